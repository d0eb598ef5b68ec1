import { type Finding, hold, judge, open } from '../../../judging/judge.ts';
import { bindingFit } from '../../oracle/binding.ts';
import { offeredIn } from '../../oracle/manifest.ts';
import { textOf } from '../../oracle/payload.ts';
import { brief, FAILURES, messagesOf, timesDelivered } from '../effects.ts';
import { type Folded, foldAll, offeredFor, together } from '../folded.ts';
import { lastOf, observationsOf } from '../shown.ts';
import type { HostCase } from '../view.ts';

const show = (value: unknown): string => brief(JSON.stringify(value) ?? 'nothing');
const NEVER = Number.POSITIVE_INFINITY;

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
    // Nobody looked again after its end.
    if (folded.settled === undefined && shown.n < (folded.terminal?.n ?? 0)) continue;
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
    yield hold(ended && lost === undefined, [beside.run.n, folded.run.n, shown.n], () => ({
      expected: `a run beside one that ${words} gets its deliveries and its end`,
      found: ended ? `${show(textOf(lost?.content))} was not delivered` : `status ${show(shown.status)}`,
    }));
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

export const isolationJudges = [
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
      yield hold(refused && submission.run === undefined, [n, reply.n], () => ({
        expected: 'a refusal, or a run that fails',
        found: submission.run === undefined ? `status ${show(shown?.shown['status'])}` : 'run_agent',
      }));
      const next = view.submissions.find(
        (other) =>
          other.n > n &&
          known.some(({ id, fit }) => id === other.binding['runner_id'] && fit === 'sound') &&
          other.binding['enabled'] === true &&
          bindingFit(other.data['binding']).faults.length === 0,
      );
      if (next?.reply !== undefined)
        yield hold(next.run !== undefined, [n, next.n], {
          expected: 'the next submission runs',
          found: 'no run_agent',
        });
    }
  }),

  judge<HostCase>('v1/host-4/crash-isolated', (view) => unharmed(view, isBroken, 'breaks')),

  judge<HostCase>('v1/host-4/flood-isolated', (view) => unharmed(view, floods, 'floods')),

  judge<HostCase>('v1/host-4/hang-isolated', function* (view) {
    yield* unharmed(view, hangs, 'hangs');
    yield* begun(view);
  }),
];
