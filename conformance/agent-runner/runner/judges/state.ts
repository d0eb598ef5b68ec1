// §7.3: what a runner keeps at the host.
import type { JsonObject } from '../../../../common/json.ts';
import { hold, type Judge, judge, kept } from '../../../judging/judge.ts';
import { apiAction } from '../api.ts';
import { flags } from '../grants.ts';
import type { Run, RunnerCase } from '../view.ts';
import { endingOf, endProof } from './endings.ts';

const SCOPES = ['conversation', 'actor', 'subject', 'runner'];

/** Every place where a run names a state entry: results and API calls. */
const entries = (run: Run): readonly { readonly n: number; readonly data: JsonObject }[] => [
  ...run.results.filter(({ type }) => type === 'state.updated'),
  ...run.calls.filter(({ action, data }) => apiAction(action, data)?.family === 'state'),
];

export const stateJudges: readonly Judge<RunnerCase>[] = [
  judge('v1/7.3/runner-state-scope', function* ({ runs }) {
    for (const run of runs)
      for (const { n, data } of entries(run))
        yield hold(SCOPES.includes(data['scope'] as string), n, () => ({
          expected: `a scope of ${SCOPES.join(', ')}`,
          found: JSON.stringify(data['scope']) ?? 'none',
        }));
  }),

  judge('v1/7.3/runner-state-key', function* ({ runs }) {
    for (const run of runs)
      for (const { n, data } of entries(run))
        yield hold(typeof data['key'] === 'string' && data['key'] !== '', n, () => ({
          expected: 'a key that is a text and not empty',
          found: JSON.stringify(data['key']) ?? 'none',
        }));
  }),

  judge('v1/7.3/runner-state-granted', function* ({ runs }) {
    const updates = (run: Run): readonly number[] =>
      run.results.filter(({ type }) => type === 'state.updated').map(({ n }) => n);
    const usedAtAll = runs.some((run) => updates(run).length > 0);
    for (const run of runs) {
      if (flags(run.context)['state'] === true || !usedAtAll) continue;
      const [first] = updates(run);
      if (first !== undefined || endingOf(run) === 'completed')
        yield first === undefined
          ? kept(endProof(run))
          : hold(false, first, {
              expected: 'no state.updated: available_apis.state is not true',
              found: 'state.updated',
            });
    }
  }),
];
