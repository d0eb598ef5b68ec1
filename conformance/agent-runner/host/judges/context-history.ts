// §4.5, §5.8, §12: a context is made of the present event and of handles, not of history, and says so.
import type { JsonObject } from '../../../../common/json.ts';
import { memo } from '../../../../common/memo.ts';
import { hold, judge } from '../../../judging/judge.ts';
import { holdsText, isWindowKey, part } from '../../oracle/context.ts';
import { brief } from '../effects.ts';
import { offeredFor } from '../folded.ts';
import { settledOf } from '../shown.ts';
import { access, earlierTexts, isText, type Turn, turnsOf, withoutState } from '../turns.ts';
import type { HostCase } from '../view.ts';

const show = (value: unknown): string => brief(JSON.stringify(value) ?? 'nothing');
const policyOf = (context: JsonObject): JsonObject => part(context, 'context', 'inline_policy');

/** How many earlier items the policy says it delivers. Whether the current event counts as one is nowhere said. */
const earlierCounted = (context: JsonObject): number => {
  const { mode, delivered_count: count } = policyOf(context);
  if (typeof count !== 'number') return 0;
  return mode === 'current_event' && count === 1 ? 0 : count;
};

/** Each turn that has earlier ones, with what of them stands in its context. */
const withHistory = memo((view: HostCase): readonly WithHistory[] =>
  turnsOf(view).flatMap((turn) => {
    const earlier = earlierTexts(view, turn);
    if (earlier.length === 0) return [];
    const context = withoutState(turn.context);
    const inlined = earlier.flat().filter((text) => holdsText(context, text));
    const all = earlier.every((texts) => texts.some((text) => inlined.includes(text)));
    return [{ ...turn, earlier, inlined, all }];
  }),
);
const NOTHING_BEFORE: Pick<WithHistory, 'earlier' | 'inlined'> = { earlier: [], inlined: [] };
interface WithHistory extends Turn {
  /** What was said in each earlier turn. */
  readonly earlier: readonly (readonly string[])[];
  readonly inlined: readonly string[];
  readonly all: boolean;
}

export const contextHistoryJudges = [
  judge<HostCase>('v1/12/adapter-no-window', function* (view) {
    for (const turn of withHistory(view)) {
      const { adapter } = turn.context;
      const text = turn.earlier.flat().find((one) => holdsText(adapter, one));
      const key = [part(adapter), part(adapter, 'extra')]
        .flatMap(Object.keys)
        .find((name) => name === 'messages' || name === 'history' || isWindowKey(name));
      yield hold(text === undefined && key === undefined, turn.run.n, () => ({
        expected: 'no history in adapter',
        found: text === undefined ? String(key) : show(text),
      }));
    }
  }),

  judge<HostCase>('v1/4.3/self-managed-no-history', function* (view) {
    for (const turn of withHistory(view)) {
      const offered = offeredFor(view, turn.run.runnerId, turn.run.n);
      // §4.3: true unless the manifest says otherwise.
      if (offered === undefined || offered.capabilities['self_managed_context'] === false) continue;
      const { mode, delivered_count } = policyOf(turn.context);
      const window = mode === 'recent_tail' || mode === 'summary_tail' || earlierCounted(turn.context) > 0;
      yield hold(!window && turn.inlined.length === 0, turn.run.n, () => ({
        expected: 'no inlined history',
        found: window ? show({ mode, delivered_count }) : show(turn.inlined[0]),
      }));
    }
  }),

  judge<HostCase>('v1/4.5/no-full-history', function* (view) {
    for (const turn of withHistory(view))
      if (turn.earlier.length >= 2)
        yield hold(!turn.all, turn.run.n, {
          expected: 'not the full history',
          found: `all ${turn.earlier.length} earlier turns stand in the context`,
        });
  }),

  judge<HostCase>('v1/4.5/only-current-event', function* (view) {
    for (const turn of withHistory(view))
      yield hold(turn.inlined.length === 0, turn.run.n, () => ({
        expected: 'nothing of earlier turns',
        found: show(turn.inlined[0]),
      }));
  }),

  judge<HostCase>('v1/4.5/policy-is-no-window', function* (view) {
    for (const turn of withHistory(view)) {
      if (offeredFor(view, turn.run.runnerId, turn.run.n) === undefined) continue;
      const counted = earlierCounted(turn.context) > 0;
      yield hold(!counted && turn.inlined.length === 0, turn.run.n, () => ({
        expected: 'no window of history, whatever the manifest says',
        found: counted ? show({ inline_policy: policyOf(turn.context) }) : show(turn.inlined[0]),
      }));
    }
  }),

  judge<HostCase>('v1/5.2/input-is-current', function* (view) {
    for (const turn of withHistory(view)) {
      const { text, contents } = part(turn.context, 'input');
      const old = turn.inlined.find((one) => holdsText([text, contents], one));
      yield hold(old === undefined, turn.run.n, () => ({
        expected: 'the input of the present event alone',
        found: show(old),
      }));
    }
  }),

  judge<HostCase>('v1/5.8/inline-policy-honest', function* (view) {
    const before = new Map(withHistory(view).map((turn) => [turn.run, turn]));
    for (const turn of turnsOf(view)) {
      const { mode, delivered_count: count, messages_complete: complete } = policyOf(turn.context);
      const { earlier, inlined: texts } = before.get(turn.run) ?? NOTHING_BEFORE;
      const inlined = earlier.filter((those) => those.some((text) => texts.includes(text)));
      const silent = (mode === 'none' || mode === 'current_event') && inlined.length > 0;
      const miscounted = typeof count === 'number' && (inlined.length === 0) !== (earlierCounted(turn.context) === 0);
      const boast = complete === true && earlier.length > 0 && inlined.length < earlier.length;
      yield hold(!silent && !miscounted && !boast, turn.run.n, () => ({
        expected: 'an inline_policy that tells what was inlined',
        found: `${show({ mode, delivered_count: count, messages_complete: complete })} where ${inlined.length} of ${earlier.length} earlier turns were`,
      }));
    }
  }),

  judge<HostCase>('v1/5.8/history-before-told', function* (view) {
    for (const turn of turnsOf(view)) {
      const { event, context, submission, run } = turn;
      if (!isText(event['conversation_id'])) continue;
      const told = access(context)['has_history_before'] === true;
      const before = view.submissions.filter(
        (other) => other.n < submission.n && other.event['conversation_id'] === event['conversation_id'],
      );
      const transcribed = before.find(
        (other) =>
          other.event['event_type'] === 'message.received' &&
          isText(part(other.event, 'input')['text']) &&
          part(other.event, 'input')['text'] !== '' &&
          ['thread_id', 'bot_id', 'workspace_id'].every((key) => (other.event[key] ?? null) === (event[key] ?? null)) &&
          other.run !== undefined &&
          (settledOf(view, other.run)?.n ?? Number.POSITIVE_INFINITY) < submission.n &&
          settledOf(view, other.run)?.status === 'completed',
      );
      if (before.length === 0)
        yield hold(!told, [submission.n, run.n], {
          expected: 'has_history_before false for the first event',
          found: 'true',
        });
      else if (transcribed !== undefined)
        yield hold(told, [transcribed.n, submission.n, run.n], {
          expected: 'has_history_before true after an earlier turn',
          found: 'false',
        });
    }
  }),
];
