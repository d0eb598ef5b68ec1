// HOST_SDK §4.4, §5.10, §7.1, §8: runs do not mix, scopes keep apart, and a runner that breaks harms no other.
import { type JsonObject, sameJson } from '../../../../common/json.ts';
import { type Finding, hold, judge, open } from '../../../judging/judge.ts';
import { part } from '../../oracle/context.ts';
import { offeredIn } from '../../oracle/manifest.ts';
import { textOf } from '../../oracle/payload.ts';
import type { StateScope } from '../../oracle/state.ts';
import { brief, FAILURES, isTelling, marksIn, messagesOf, timesDelivered } from '../effects.ts';
import { cutOf, type Folded, foldAll, offeredFor } from '../folded.ts';
import { lastOf, observationsOf, type Shown } from '../shown.ts';
import { writesOf } from '../stored.ts';
import type { HostCase, HostRun } from '../view.ts';

const show = (value: unknown): string => brief(JSON.stringify(value) ?? 'nothing');
const NEVER = Number.POSITIVE_INFINITY;

/** Fields that tell owners of a scope apart, and the one in which two runs must differ. */
const DIFFERS: Readonly<Record<StateScope, (run: HostRun) => unknown>> = {
  conversation: ({ submission }) => submission?.event['conversation_id'],
  actor: ({ submission }) => part(submission?.event, 'actor')['actor_id'],
  subject: ({ submission }) => part(submission?.event, 'subject')['subject_id'],
  runner: ({ runnerId }) => runnerId,
};

/** Do two runs differ in just this? */
function differOnly(one: HostRun, other: HostRun, scope: StateScope): boolean {
  const scopes = Object.keys(DIFFERS) as StateScope[];
  const [a, b] = [one.submission?.event ?? {}, other.submission?.event ?? {}];
  return (
    scopes.every((field) => sameJson(DIFFERS[field](one), DIFFERS[field](other)) === (field !== scope)) &&
    ['bot_id', 'workspace_id', 'thread_id'].every((key) => (a[key] ?? null) === (b[key] ?? null))
  );
}

function* isolated(view: HostCase, scope: StateScope): Iterable<Finding> {
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
        if (other.n < (folded.run.end?.n ?? NEVER) || !scopes.has(scope) || !differOnly(folded.run, other, scope))
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
        yield hold(!leak, [write.n, other.n, ...(got ? [got.reply!.n] : [])], {
          expected: `${scope}/${write.key} stays with its ${scope}`,
          found: `the run of another sees ${show(write.value)}`,
        });
      }
    }
  }
}

/** Were two runs under way at the same time? */
const together = (one: HostRun, other: HostRun): boolean =>
  one.n < (other.end?.n ?? NEVER) && other.n < (one.end?.n ?? NEVER);

/** A run that did nothing out of the way, in good time, and must get all it asks for. */
const isHealthy = ({ stream, terminal }: Folded): boolean => terminal?.kind === 'completed' && !stream.shaky;

/** Each healthy run that was under way beside one that did harm: it gets its deliveries and its end. */
function* unharmed(
  view: HostCase,
  harmful: (folded: Folded, beside: Folded) => boolean,
  words: string,
): Iterable<Finding> {
  const all = foldAll(view);
  for (const folded of all) {
    if (!isHealthy(folded) || harmful(folded, folded)) continue;
    const beside = all.find((other) => other !== folded && together(other.run, folded.run) && harmful(other, folded));
    if (beside === undefined) continue;
    const shown = folded.settled ?? lastOf(view, folded.run);
    if (shown === undefined) {
      yield view.end?.how === 'done'
        ? hold(false, [beside.run.n, folded.run.n], {
            expected: `a run beside one that ${words} comes to its end`,
            found: 'the host does not answer',
          })
        : open(folded.run.n, 'the case was cut short');
      continue;
    }
    const delivered = messagesOf(shown, folded);
    const lost = folded.items.find(
      (item) =>
        item.kind === 'message' &&
        folded.counts(item) &&
        textOf(item.content) !== '' &&
        delivered !== undefined &&
        timesDelivered(delivered, item.content) === 0,
    );
    const ended = shown.status === undefined || shown.status === 'completed';
    yield hold(ended && lost === undefined, [beside.run.n, folded.run.n, shown.n], {
      expected: `a run beside one that ${words} gets its deliveries and its end`,
      found: ended ? `${show(textOf(lost?.content))} was not delivered` : `status ${show(shown.status)}`,
    });
  }
}

/** A run that a host has taken on and then never begins, while another hangs. */
function* begun(view: HostCase): Iterable<Finding> {
  for (const submission of view.submissions) {
    const { runId, run, n, at, binding, event } = submission;
    const offered = offeredFor(view, String(binding['runner_id']), n);
    const types = binding['event_types'];
    const bound =
      binding['enabled'] === true &&
      (!Array.isArray(types) || types.length === 0 || types.includes(event['event_type'] ?? null));
    if (runId === undefined || offered?.fit !== 'sound' || !bound) continue;
    const shown = observationsOf(view, { runId }).findLast((one) => one.at >= at + view.head.grace);
    const hung = shown && view.runs.find((other) => other.n < shown.n && (other.end?.n ?? NEVER) > shown.n);
    if (shown?.status === 'running' && hung !== undefined && (run === undefined || run.n > shown.n))
      yield hold(false, [hung.n, n, shown.n], {
        expected: 'a run beside one that hangs begins',
        found: 'no run_agent, and it counts as running',
      });
  }
}

const MANY = 500;
const isBroken = ({ run, items }: Folded): boolean =>
  run.end?.how === 'error' || items.some(({ kind }) => kind === 'malformed');
const floods = ({ run }: Folded): boolean => run.pushed.length >= MANY || run.calls.length >= MANY;
/** It neither ended nor broke off until the other was over. */
const hangs = ({ run, terminal }: Folded, beside: Folded): boolean =>
  terminal === undefined && (run.end?.n ?? NEVER) > (beside.settled?.n ?? beside.run.end?.n ?? NEVER);

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

const conversationOf = (run: HostRun): unknown => run.submission?.event['conversation_id'];

export const isolationJudges = [
  judge<HostCase>('v1/5.10/isolated-conversation', (view) => isolated(view, 'conversation')),
  judge<HostCase>('v1/5.10/isolated-actor', (view) => isolated(view, 'actor')),
  judge<HostCase>('v1/5.10/isolated-subject', (view) => isolated(view, 'subject')),
  judge<HostCase>('v1/5.10/isolated-runner', (view) => isolated(view, 'runner')),

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
        yield hold(mark === undefined && !ended, [item.n, shown.n], {
          expected: 'no effect on the run whose id was used',
          found: mark === undefined ? `status ${show(shown.status)}` : `it shows ${mark}`,
        });
      }
  }),

  judge<HostCase>('v1/8/scope-storage', function* (view) {
    const calls = view.calls.filter(
      ({ reply, identity, runId }) =>
        reply !== undefined && view.runs.some((run) => run.runId === runId && run.identity === identity),
    );
    for (const set of calls) {
      if (set.action !== 'set_plugin_storage' || set.reply!.code !== 0) continue;
      const { key, value_base64: value } = set.data;
      for (const call of calls) {
        if (call.n < set.reply!.n || call.identity === set.identity || !call.action.includes('plugin_storage'))
          continue;
        const own = calls.some(
          (other) =>
            other.action === 'set_plugin_storage' && other.identity === call.identity && other.data['key'] === key,
        );
        if (own) continue;
        const proof = [set.n, call.n, call.reply!.n];
        const { data, code } = call.reply!;
        if (call.action === 'get_plugin_storage' && call.data['key'] === key)
          yield hold(code !== 0 || data['value_base64'] !== value, proof, {
            expected: `${show(key)} stays with ${show(set.identity)}`,
            found: `${show(call.identity)} reads it`,
          });
        if (call.action === 'get_plugin_storage_keys' && code === 0)
          yield hold(!(Array.isArray(data['keys']) && data['keys'].includes(key ?? null)), proof, {
            expected: 'no key of another plugin',
            found: show(data['keys']),
          });
        if (call.action === 'delete_plugin_storage' && call.data['key'] === key) {
          const again = calls.find(
            (other) =>
              other.n > call.reply!.n &&
              other.action === 'get_plugin_storage' &&
              other.identity === set.identity &&
              other.data['key'] === key,
          );
          if (again !== undefined)
            yield hold(
              again.reply!.code === 0 && again.reply!.data['value_base64'] === value,
              [...proof, again.reply!.n],
              {
                expected: `${show(key)} survives the delete of another plugin`,
                found: again.reply!.code === 0 ? show(again.reply!.data) : again.reply!.message,
              },
            );
        }
      }
    }
  }),

  judge<HostCase>('v1/host-4/unknown-runner-refused', function* (view) {
    for (const submission of view.submissions) {
      const { reply, binding, n, runId } = submission;
      const last = view.listings.findLast(({ answer }) => answer?.code === 0 && answer.n < n);
      const known = last === undefined ? [] : (offeredIn(last.answer!.data) ?? []);
      if (
        reply === undefined ||
        typeof binding['runner_id'] !== 'string' ||
        known.some(({ id }) => id === binding['runner_id'])
      )
        continue;
      const shown = view.observations.filter((one) => one.runId === runId && one.reply?.code === 0).at(-1);
      const refused =
        reply.code !== 0 || runId === undefined || (shown !== undefined && FAILURES.has(shown.shown['status']));
      if (!refused && shown === undefined) continue;
      yield hold(refused && submission.run === undefined, [n, reply.n], {
        expected: 'a refusal, or a run that fails',
        found: submission.run === undefined ? `status ${show(shown?.shown['status'])}` : 'run_agent',
      });
      const next = view.submissions.find(
        (other) =>
          other.n > n &&
          known.some(({ id, fit }) => id === other.binding['runner_id'] && fit === 'sound') &&
          other.binding['enabled'] === true,
      );
      if (next?.reply !== undefined)
        yield hold(next.run !== undefined, [n, next.n], {
          expected: 'the next submission runs',
          found: 'no run_agent',
        });
    }
  }),

  judge<HostCase>('v1/host-4/runs-do-not-mix', function* (view) {
    const all = foldAll(view);
    for (const one of all)
      for (const other of all) {
        if (
          one === other ||
          !together(one.run, other.run) ||
          sameJson(conversationOf(one.run), conversationOf(other.run))
        )
          continue;
        const shown = lastOf(view, one.run);
        if (shown === undefined || (shown.deliveries === undefined && shown.state === undefined)) continue;
        const mine = new Set([
          ...marksIn(one.run.pushed.map(({ value }) => value)),
          ...marksIn(one.run.submission?.data),
        ]);
        const foreign = marksIn([
          other.items.filter(({ kind }) => kind !== 'foreign').map(({ value }) => value),
          part(other.run.submission?.event, 'input'),
        ]).filter((mark) => !mine.has(mark));
        if (foreign.length === 0) continue;
        const text = JSON.stringify([ownPart(shown, one.run), one.run.context]);
        const mixed = foreign.find((mark) => text.includes(mark));
        yield hold(mixed === undefined, [one.run.n, other.run.n, shown.n], {
          expected: 'nothing of another run',
          found: `${mixed} of ${other.run.runId} shows under ${one.run.runId}`,
        });
      }
  }),

  judge<HostCase>('v1/host-4/crash-isolated', (view) => unharmed(view, isBroken, 'breaks')),
  judge<HostCase>('v1/host-4/flood-isolated', (view) => unharmed(view, floods, 'floods')),
  judge<HostCase>('v1/host-4/hang-isolated', function* (view) {
    yield* unharmed(view, hangs, 'hangs');
    yield* begun(view);
  }),

  judge<HostCase>('v1/host-4/crash-fails-run', function* (view) {
    for (const folded of foldAll(view)) {
      const { run, items, stream } = folded;
      if (run.end?.how !== 'error' || stream.shaky || items.some(({ type, late }) => !late && type.startsWith('run.')))
        continue;
      const cut = cutOf(view, run);
      const shown = lastOf(view, run);
      if ((cut !== undefined && run.end.at >= cut.from) || shown?.status === undefined || shown.n < run.end.n) continue;
      if (shown.status === 'running' && shown.at < run.end.at + view.head.grace) continue;
      yield hold(FAILURES.has(shown.status), [run.end.n, shown.n], {
        expected: 'a failed run',
        found: `status ${show(shown.status)}`,
      });
    }
  }),
];
