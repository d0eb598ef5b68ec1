// §7, §9.11 and restarts: the read models that a runtime shows agree with its events, guess nothing, and are the same after a restart.
import { canonical } from '../../../common/json.ts';
import { broken, type Finding, hold, type Judge, judge, kept } from '../../judging/judge.ts';
import { readModels } from '../models/all.ts';
import { type Comparing, compare, type Difference, words } from './agree.ts';
import type { Restarted, RuntimeCase, ShownModel } from './view.ts';

export const clauseOfModel = (model: string): string => `ar/7/${model.replaceAll('_', '-')}-agrees`;

const agrees: Judge<RuntimeCase>[] = readModels.map(({ name }) =>
  judge<RuntimeCase>(clauseOfModel(name), (seen) =>
    seen.reads
      ? []
      : compared({ ...seen, shown: seen.shown.filter(({ model }) => model === name) }, ['other'], 'stated'),
  ),
);

/** Every read model that was shown beside what the events say: kinds of difference, and what makes an occasion. */
function* compared(
  { shown, expected }: Pick<RuntimeCase, 'shown' | 'expected'>,
  kinds: readonly Difference['kind'][],
  occasion: 'stated' | 'left',
  comparing: Comparing = {},
): Iterable<Finding> {
  for (const one of shown) {
    const wanted = expected(one);
    if (wanted === undefined) continue;
    const agreement = compare(wanted, one.value, comparing);
    const first = agreement.differences.find(({ kind }) => kinds.includes(kind));
    if (first !== undefined) yield broken(one.n, words(first));
    else if (agreement[occasion] > 0) yield kept(one.n);
  }
}

/** What it did not do though it says that it can. */
function* refusals({ refused }: Pick<RuntimeCase, 'refused'>): Iterable<Finding> {
  for (const { n, what } of refused) yield broken(n, { expected: `${what}, as declared`, found: 'an error' });
}

/** The same part of a model before and after a restart. */
const survives = (clause: string, model: string, part: (value: unknown) => unknown, what: string): Judge<RuntimeCase> =>
  judge<RuntimeCase>(clause, function* ({ restarts }) {
    for (const restart of restarts) {
      for (const [before, after] of pairs(restart, model)) {
        const was = part(before.value);
        if (empty(was)) continue;
        yield hold(canonical(was) === canonical(part(after.value)), [before.n, restart.n, after.n], {
          expected: `${what} as before the restart: ${canonical(was).slice(0, 300)}`,
          found: canonical(part(after.value)).slice(0, 300),
        });
      }
    }
  });

const pairs = ({ shownBefore, shownAfter }: Restarted, model: string): [ShownModel, ShownModel][] =>
  shownBefore.flatMap((before): [ShownModel, ShownModel][] => {
    const after = shownAfter.find((one) => one.model === model && one.session === before.session);
    return before.model === model && after !== undefined ? [[before, after]] : [];
  });

type Rows = readonly Readonly<Record<string, unknown>>[];
const rows = (value: unknown, name: string): Rows => {
  const list = (value as Record<string, unknown> | null | undefined)?.[name];
  return Array.isArray(list) ? (list as Rows) : [];
};
const empty = (value: unknown): boolean => Array.isArray(value) && value.flat().length === 0;

export const modelJudges: readonly Judge<RuntimeCase>[] = [
  ...agrees,

  judge<RuntimeCase>('ar/7/declared-models-are-shown', function* (seen) {
    if (seen.reads) return;
    for (const { n } of seen.shown) yield kept(n);
    yield* refusals(seen);
  }),

  judge<RuntimeCase>('ar/7/told-facts-are-shown', (seen) => (seen.reads ? [] : compared(seen, ['withheld'], 'stated'))),

  judge<RuntimeCase>('ar/9.11/nothing-is-guessed', (seen) => (seen.reads ? [] : compared(seen, ['guess'], 'left'))),

  judge<RuntimeCase>('ar/7/reads-foreign-logs', function* (seen) {
    if (!seen.reads) return;
    yield* refusals(seen);
    yield* compared(seen, ['other', 'guess', 'withheld'], 'stated', { foreign: true });
  }),

  judge<RuntimeCase>('ar/7/foreign-facts-are-shown', (seen) =>
    seen.reads ? compared(seen, ['missing'], 'stated', { foreign: true }) : [],
  ),

  judge<RuntimeCase>('ar/9.1/log-survives-restart', function* ({ restarts }) {
    for (const { n, before, after } of restarts) {
      const same =
        before.length === after.length && before.every(({ raw }, i) => canonical(raw) === canonical(after[i]));
      if (before.length > 0)
        yield hold(same, n, {
          expected: `the ${before.length} events that there were`,
          found: `${after.length} events, or others`,
        });
    }
  }),

  survives(
    'ar/9.5/queue-survives-restart',
    'queue_snapshot',
    (value) => rows(value, 'threads').flatMap(({ queued_turns }) => (Array.isArray(queued_turns) ? queued_turns : [])),
    'the queue',
  ),
  survives(
    'ar/9.4/open-actions-survive-restart',
    'thread_read_model',
    (value) =>
      rows(value, 'threads').flatMap(({ pending_requests }) =>
        Array.isArray(pending_requests)
          ? pending_requests.map((request) => (request as Record<string, unknown>)['action_id'])
          : [],
      ),
    'the open requests',
  ),
  survives(
    'ar/9.6/task-status-survives-restart',
    'task_snapshot',
    (value) => rows(value, 'tasks').map(({ task_id, status }) => [task_id, status]),
    'the status of every task',
  ),
  survives(
    'ar/9.6/attempts-survive-restart',
    'task_snapshot',
    (value) =>
      rows(value, 'tasks').flatMap(({ task_id, attempts }) =>
        Array.isArray(attempts) ? attempts.map((attempt) => [task_id, attempt]) : [],
      ),
    'every attempt',
  ),
  survives(
    'ar/9.6/edges-survive-restart',
    'task_snapshot',
    (value) =>
      rows(value, 'tasks').flatMap(({ task_id, relationships }) =>
        Array.isArray(relationships) ? relationships.map((edge) => [task_id, edge]) : [],
      ),
    'every edge',
  ),
];
