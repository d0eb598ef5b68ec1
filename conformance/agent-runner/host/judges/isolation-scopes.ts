// §5.10, §7.1, HOST_SDK §4.4: what belongs to one run, conversation or actor is not seen by another.
import { type JsonObject, sameJson } from '../../../../common/json.ts';
import { type Finding, hold, judge } from '../../../judging/judge.ts';
import { part } from '../../oracle/context.ts';
import { SCOPES, type StateScope } from '../../oracle/state.ts';
import { brief, isTelling, marksIn } from '../effects.ts';
import { foldAll, together } from '../folded.ts';
import { lastOf, type Shown } from '../shown.ts';
import { writesOf } from '../stored.ts';
import type { HostCase, HostRun } from '../view.ts';

const show = (value: unknown): string => brief(JSON.stringify(value) ?? 'nothing');

/** What tells owners of state apart. */
type Side = StateScope | 'binding' | 'bot' | 'workspace';
const SIDES: Readonly<Record<Side, (run: HostRun) => unknown>> = {
  conversation: ({ submission }) => submission?.event['conversation_id'],
  actor: ({ submission }) => part(submission?.event, 'actor')['actor_id'],
  subject: ({ submission }) => part(submission?.event, 'subject')['subject_id'],
  runner: ({ runnerId }) => runnerId,
  binding: ({ submission }) => submission?.binding['binding_id'],
  bot: ({ submission }) => submission?.event['bot_id'],
  workspace: ({ submission }) => submission?.event['workspace_id'],
};

/** Do two runs differ in just this? */
function differOnly(one: HostRun, other: HostRun, side: Side): boolean {
  const [a, b] = [one, other].map(({ submission }) => submission?.event['thread_id'] ?? null);
  return (
    a === b &&
    (Object.keys(SIDES) as Side[]).every(
      (each) => sameJson(SIDES[each](one) ?? null, SIDES[each](other) ?? null) === (each !== side),
    )
  );
}

/** State of one scope, as runs see it that differ in one side alone: in whose the scope is, unless told otherwise. */
function* isolated(view: HostCase, scope: StateScope, side: Side = scope): Iterable<Finding> {
  const all = foldAll(view);
  for (const folded of all) {
    for (const write of writesOf(folded)) {
      if (write.scope !== scope || write.unsure || write.value === undefined || !isTelling(write.value)) continue;
      // Only what really was stored can leak.
      const stored =
        folded.settled?.state === undefined ||
        folded.settled.state.some(({ key, value }) => key === write.key && sameJson(value, write.value));
      if (!stored) continue;
      for (const { run: other, scopes } of all) {
        if (
          other.n < (folded.run.end?.n ?? Number.POSITIVE_INFINITY) ||
          !scopes.has(scope) ||
          !differOnly(folded.run, other, side)
        )
          continue;
        const held = part(other.context, 'state', scope)[write.key];
        const got = other.calls.find(
          (call) =>
            call.action === 'state_get' &&
            call.data['scope'] === scope &&
            call.data['key'] === write.key &&
            call.reply?.code === 0,
        );
        const leak =
          sameJson(held, write.value) || (got !== undefined && sameJson(got.reply!.data['value'], write.value));
        yield hold(!leak, [write.n, other.n, ...(got ? [got.reply!.n] : [])], () => ({
          expected: `${scope}/${write.key} stays with its ${side}`,
          found: `the run of another ${side} sees ${show(write.value)}`,
        }));
      }
    }
  }
}

/** What of a run is its own alone: deliveries, artifacts, and state of its conversation. */
function ownPart(shown: Shown, run: HostRun): unknown {
  return [
    shown.deliveries?.filter(({ runId }) => runId === run.runId),
    shown.artifacts?.filter(
      (artifact) => artifact['run_id'] === undefined || artifact['run_id'] === null || artifact['run_id'] === run.runId,
    ),
    shown.state?.filter(({ scope }) => scope === 'conversation'),
    shown.transcript,
    shown.failure,
  ];
}

/** What a run made that no other of its conversation has a part in. */
const madeBy = (shown: Shown, { runId }: HostRun): unknown => [
  shown.deliveries?.filter((one) => one.runId === runId),
  shown.artifacts?.filter((one) => one['run_id'] === runId),
  shown.failure,
];

const conversationOf = (run: HostRun): unknown => run.submission?.event['conversation_id'];

export const isolationScopeJudges = [
  judge<HostCase>('v1/5.10/isolated-conversation', (view) => isolated(view, 'conversation')),

  judge<HostCase>('v1/5.10/isolated-actor', (view) => isolated(view, 'actor')),

  judge<HostCase>('v1/5.10/isolated-subject', (view) => isolated(view, 'subject')),

  judge<HostCase>('v1/5.10/isolated-runner', (view) => isolated(view, 'runner')),

  ...(['binding', 'bot', 'workspace'] as const).map((side) =>
    judge<HostCase>(`v1/5.10/isolated-${side}`, function* (view) {
      for (const scope of SCOPES) yield* isolated(view, scope, side);
    }),
  ),

  judge<HostCase>('v1/7.1/foreign-run-id-inert', function* (view) {
    const all = foldAll(view);
    for (const { run, items } of all)
      for (const item of items) {
        if (item.kind !== 'foreign') continue;
        const victim = all.find(
          (other) => other.run !== run && other.run.runId === (item.value as JsonObject)['run_id'],
        );
        const shown = victim && lastOf(view, victim.run);
        if (victim === undefined || shown === undefined || !together(run, victim.run) || victim.run.n > item.n)
          continue;
        const text = JSON.stringify(ownPart(shown, victim.run));
        const mark = marksIn(item.value).find((one) => text.includes(one));
        const ended =
          victim.due !== undefined &&
          shown.status !== undefined &&
          shown.status !== 'running' &&
          (shown.status === 'completed') !== (victim.due === 'completed');
        yield hold(mark === undefined && !ended, [item.n, shown.n], () => ({
          expected: 'no effect on the run whose id was used',
          found: mark === undefined ? `status ${show(shown.status)}` : `it shows ${mark}`,
        }));
      }
  }),

  judge<HostCase>('v1/host-4/runs-do-not-mix', function* (view) {
    const all = foldAll(view);
    for (const one of all)
      for (const other of all) {
        if (one === other || !together(one.run, other.run)) continue;
        // Of one conversation they share transcript and state, but neither deliveries nor artifacts.
        const apart = !sameJson(conversationOf(one.run), conversationOf(other.run));
        const shown = lastOf(view, one.run);
        if (shown === undefined || (shown.deliveries === undefined && shown.state === undefined)) continue;
        const mine = new Set([...one.run.pushed.map(({ value }) => value), one.run.submission?.data].flatMap(marksIn));
        const foreign = [
          ...other.items.filter(({ kind }) => kind !== 'foreign').map(({ value }) => value),
          part(other.run.submission?.event, 'input'),
        ]
          .flatMap(marksIn)
          .filter((mark) => !mine.has(mark));
        if (foreign.length === 0) continue;
        const text = JSON.stringify(apart ? [ownPart(shown, one.run), one.run.context] : madeBy(shown, one.run));
        const mixed = foreign.find((mark) => text.includes(mark));
        yield hold(mixed === undefined, [one.run.n, other.run.n, shown.n], {
          expected: 'nothing of another run',
          found: `${mixed} of ${other.run.runId} shows under ${one.run.runId}`,
        });
      }
  }),
];
