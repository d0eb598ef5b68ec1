// §11: the host records run_id, runner_id, action, resource, scope and result of every call, answered or refused.
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import { broken, type Finding, hold, type Judge, judge, kept } from '../../../judging/judge.ts';
import { resourceOf, scopeOf } from '../../oracle/calls.ts';
import type { HostCase } from '../view.ts';
import { type Assessed, assess } from './authorization-assess.ts';
import { brief, proofOf } from './authorization-refusals.ts';

const FIELDS = ['run_id', 'runner_id', 'action', 'resource', 'scope', 'result'] as const;
type Field = (typeof FIELDS)[number];

/** What an entry must hold for a call: the values that are right, or undefined where anything is. */
type Due = Readonly<Record<Field, readonly (JsonValue | undefined)[] | undefined>>;

const NONE = [null, undefined, ''] as const;
/** A host may cut what it records; longer texts are not compared. */
const MOST_CHARACTERS = 200;

function dueFor(one: Assessed): Due {
  const { call, run, api } = one;
  const named = (text: string | undefined): readonly string[] | undefined =>
    text === undefined || text.length > MOST_CHARACTERS ? undefined : [text];
  const known = typeof call.runId === 'string' && call.runId !== '';
  return {
    run_id: known ? [call.runId as string] : NONE.includes(call.runId as null) ? NONE : undefined,
    runner_id:
      run === undefined
        ? one.wrongs.includes('run-unknown') || one.wrongs.includes('run-missing')
          ? NONE
          : undefined
        : one.wrongs.includes('run-ended') || one.wrongs.includes('deadline') || one.doubts.length > 0
          ? [run.runnerId, ...NONE]
          : [run.runnerId],
    action: [one.action, api.name],
    resource: named(resourceOf(one.action, call.data)),
    scope: named(scopeOf(one.action, call.data)),
    result: one.ok ? ['ok'] : typeof one.code === 'string' ? [one.code] : undefined,
  };
}

export interface Audited {
  readonly one: Assessed;
  readonly due: Due;
  /** The entry that belongs to it. */
  readonly entry: JsonObject | undefined;
  /** Where the audit was seen. */
  readonly seen: number;
}

const memo = new WeakMap<HostCase, readonly Audited[]>();

/** Every answered call with its entry in the last look at the whole audit. */
function audited(view: HostCase): readonly Audited[] {
  const known = memo.get(view);
  if (known !== undefined) return known;
  const found = match(view);
  memo.set(view, found);
  return found;
}

function match(view: HostCase): readonly Audited[] {
  if (!view.features.has('audit')) return [];
  const look = view.observations.findLast(
    ({ runId, reply, shown }) => runId === undefined && reply?.code === 0 && Array.isArray(shown['audit']),
  );
  if (look === undefined) return [];
  const restarted = view.restarts.at(-1)?.n ?? -1;
  const calls = assess(view)
    .filter(
      ({ call, reply }) => call.n > restarted && reply !== undefined && (call.replies.at(-1)?.n ?? reply.n) < look.n,
    )
    .map((one) => ({ one, due: dueFor(one) }));
  const entries = new Set((look.shown['audit'] as readonly JsonValue[]).filter(isObject));
  const taken = new Map<Assessed, JsonObject>();
  // The best fits first, so that an entry that is missing is not made up for by that of another call.
  for (let wanted = FIELDS.length; wanted >= 4; wanted--)
    for (const { one, due } of calls) {
      if (taken.has(one) || entries.size === 0) continue;
      for (const entry of entries)
        if (FIELDS.filter((field) => agrees(due, field, entry)).length >= wanted) {
          taken.set(one, entry);
          entries.delete(entry);
          break;
        }
    }
  return calls.map(({ one, due }) => ({ one, due, entry: taken.get(one), seen: look.reply!.n }));
}

const agrees = (due: Due, field: Field, entry: JsonObject): boolean => due[field]?.includes(entry[field]) ?? true;

function* recorded(view: HostCase, which: (one: Assessed) => boolean): Iterable<Finding> {
  for (const { one, entry, seen } of audited(view))
    if (which(one))
      yield entry === undefined
        ? broken([...proofOf(one), seen], { expected: `an audit entry for ${one.action}`, found: 'none that fits it' })
        : kept([...proofOf(one), seen]);
}

const WORDS: Readonly<Record<Field, string>> = {
  run_id: 'the run_id it was made with',
  runner_id: 'the runner_id of the run',
  action: 'the action',
  resource: 'the resource it named',
  scope: 'the scope, area or conversation it named',
  result: 'ok, or the code that was answered',
};

const tells = (field: Field): Judge<HostCase> =>
  judge<HostCase>(`v1/11/audit-${field.replace('_', '-')}`, function* (view) {
    for (const { one, due, entry, seen } of audited(view))
      if (entry !== undefined && due[field] !== undefined)
        yield hold(agrees(due, field, entry), [...proofOf(one), seen], () => ({
          expected: `the audit of ${one.action} to tell ${WORDS[field]}: ${due[field]!.map((value) => brief(value)).join(' or ')}`,
          found: brief(entry),
        }));
  });

export const auditJudges: readonly Judge<HostCase>[] = [
  judge<HostCase>('v1/11/audit-granted-calls', (view) => recorded(view, (one) => one.ok)),
  judge<HostCase>('v1/11/audit-refused-calls', (view) => recorded(view, (one) => one.refusal !== undefined)),
  ...FIELDS.map(tells),
];
