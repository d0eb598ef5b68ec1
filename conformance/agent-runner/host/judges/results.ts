// §7.1: how a host takes results one by one: in their order, once, well formed and within its limits; and what it records of them.
import { isObject } from '../../../../common/json.ts';
import { type Finding, hold, judge } from '../../../judging/judge.ts';
import { textOf } from '../../oracle/payload.ts';
import type { Item } from '../../oracle/stream.ts';
import {
  artifactShown,
  brief,
  FAILURES,
  inTelemetry,
  marksIn,
  messagesOf,
  sameContent,
  timesDelivered,
  traceOf,
} from '../effects.ts';
import { deadlineFor } from '../ends.ts';
import { type Folded, foldAll, type Settled, settledRuns } from '../folded.ts';
import type { Shown } from '../shown.ts';
import { isWhole, messagesIn } from '../surface.ts';
import type { ApiCall, HostCase } from '../view.ts';

const status = ({ settled }: Settled): string => `status ${JSON.stringify(settled.status)}`;

/** Does the host show all of a delta, or of the name of an artifact? Undefined where it does not show such things. */
function keptWhole(shown: Shown, { run }: Folded, { type, data, content }: Item): boolean | undefined {
  if (type === 'artifact.created' && typeof data['artifact_id'] === 'string' && typeof data['name'] === 'string')
    return shown.artifacts?.some(({ artifact_id: id, name }) => id === data['artifact_id'] && name === data['name']);
  const words = textOf(content);
  if (type !== 'message.delta' || words === '') return undefined;
  return shown.deliveries?.some((one) => one.runId === run.runId && textOf(one.content) === words);
}

export const resultJudges = [
  judge<HostCase>('v1/7.1/sequence-optional', function* (view) {
    for (const folded of settledRuns(view)) {
      const { items, settled, terminal, stream } = folded;
      const bare = items.every(
        ({ value }) => isObject(value) && value['sequence'] === undefined && value['timestamp'] === undefined,
      );
      if (!bare || items.length === 0 || stream.shaky) continue;
      const delivered = messagesOf(settled, folded);
      for (const item of messagesIn(folded))
        if (delivered !== undefined && isWhole(folded, item))
          yield hold(timesDelivered(delivered, item.content) > 0, [item.n, settled.n], {
            expected: 'a message without sequence is delivered',
            found: 'no delivery of it',
          });
      // A stream that stays open past its terminal result, or goes on, is another clause's.
      if (terminal?.kind === 'completed' && settled.status !== undefined && endedInTime(folded))
        yield hold(settled.status === 'completed', [terminal.n, settled.n], {
          expected: 'status "completed"',
          found: status(folded),
        });
    }
  }),

  judge<HostCase>('v1/7.1/arrival-order', function* (view) {
    for (const folded of settledRuns(view)) {
      const delivered = messagesOf(folded.settled, folded)?.filter(({ kind }) => kind === 'message');
      const said = messagesIn(folded);
      if (delivered === undefined || said.length < 2) continue;
      const order = said
        .map((item) => delivered.findIndex(({ content }) => sameContent(content, item.content)))
        .filter((at) => at >= 0);
      if (order.length < 2) continue;
      yield hold(
        order.every((at, index) => index === 0 || at > order[index - 1]!),
        [said[0]!.n, folded.settled.n],
        () => ({
          expected: 'deliveries in the order of their results',
          found: `positions ${order.join(', ')}`,
        }),
      );
    }
  }),

  judge<HostCase>('v1/7.1/duplicate-sequence-once', function* (view) {
    for (const folded of settledRuns(view)) {
      const delivered = messagesOf(folded.settled, folded);
      if (delivered === undefined) continue;
      for (const item of folded.items) {
        if (
          item.kind !== 'again' ||
          item.type !== 'message.completed' ||
          item.phase === 'after' ||
          item.phase === 'cut'
        )
          continue;
        if (textOf(item.content) === '' || !marksIn(item.value).length) continue;
        const times = timesDelivered(delivered, item.content);
        if (times > 0)
          yield hold(times === 1, [item.n, folded.settled.n], {
            expected: 'a result that comes again with its sequence counts once',
            found: `delivered ${times} times`,
          });
      }
    }
  }),

  judge<HostCase>('v1/7.1/malformed-not-consumed', function* (view) {
    for (const folded of settledRuns(view))
      for (const item of folded.items) {
        if (
          item.kind !== 'malformed' ||
          item.phase === 'after' ||
          item.phase === 'cut' ||
          marksIn(item.value).length === 0
        )
          continue;
        const trace = traceOf(folded.settled, folded, item);
        yield hold(trace === undefined, [item.n, folded.settled.n], {
          expected: 'a malformed result has no effect',
          found: trace ?? '',
        });
      }
  }),

  judge<HostCase>('v1/7.1/malformed-warned', function* (view) {
    for (const folded of settledRuns(view)) {
      const { items, settled } = folded;
      // A frame whose data is no object never gets through the SDK's own reader: the host hears of no result at all.
      const first = items.find(
        ({ kind, phase, value }) => kind === 'malformed' && isObject(value) && (phase === 'live' || phase === 'shaky'),
      );
      if (first === undefined) continue;
      const told = (settled.warnings?.length ?? 0) > 0 || FAILURES.has(settled.status);
      // Silence is proven only where the host shows both warnings and status.
      if (!told && (settled.warnings === undefined || settled.status === undefined)) continue;
      yield hold(told, [first.n, settled.n], {
        expected: 'a warning, or a failed run',
        found: `no warning, ${status(folded)}`,
      });
    }
  }),

  judge<HostCase>('v1/7.1/oversized-refused', function* (view) {
    for (const folded of settledRuns(view)) {
      const delivered = messagesOf(folded.settled, folded);
      if (delivered === undefined) continue;
      const limit = view.limits['result_bytes'];
      for (const item of folded.items) {
        if (!(item.phase === 'live' || item.phase === 'shaky')) continue;
        const stored = item.kind === 'oversized' ? keptWhole(folded.settled, folded, item) : undefined;
        if (stored !== undefined)
          yield hold(!stored, [item.n, folded.settled.n], {
            expected: `${item.type} of ${item.bytes} bytes (the limit is ${limit ?? 'not declared'}) is not taken as it is`,
            found: 'it was',
          });
        if (item.type !== 'message.completed') continue;
        const times = timesDelivered(delivered, item.content);
        const proof = [item.n, folded.settled.n];
        if (item.kind === 'oversized')
          yield hold(times === 0, proof, {
            expected: `a result of ${item.bytes} bytes (the limit is ${limit ?? 'not declared'}) is not delivered whole`,
            found: 'it was delivered',
          });
        else if (
          item.kind === 'message' &&
          typeof limit === 'number' &&
          item.bytes >= limit - 1 &&
          folded.counts(item) &&
          isWhole(folded, item)
        )
          yield hold(times > 0, proof, {
            expected: `a result of ${item.bytes} bytes, within the limit of ${limit}, is delivered`,
            found: 'no delivery of it',
          });
      }
    }
  }),

  judge<HostCase>('v1/7.2/tool-events-to-telemetry', (view) => recorded(view, 'tool')),

  judge<HostCase>('v1/7.2/action-recorded', (view) => recorded(view, 'action')),

  judge<HostCase>('v1/7.2/artifact-stored', function* (view) {
    for (const folded of settledRuns(view))
      for (const item of folded.items) {
        if (item.kind !== 'artifact' || !folded.counts(item)) continue;
        const { artifact_id: id } = item.data;
        // An id that was there before leaves the host a choice.
        if (
          foldAll(view).some(({ items }) =>
            items.some((one) => one.n < item.n && id != null && one.data['artifact_id'] === id),
          )
        )
          continue;
        const shown = artifactShown(folded.settled, item);
        if (shown !== undefined)
          yield hold(shown, [item.n, folded.settled.n], {
            expected: `artifact ${String(id ?? item.data['name'] ?? 'without an id')} is stored`,
            found: 'artifacts does not show it',
          });
        const asked = folded.run.calls.find(
          (call) =>
            call.action === 'artifact_metadata' &&
            call.n > item.n &&
            call.data['artifact_id'] === id &&
            !isThrottled(call) &&
            typeof id === 'string',
        );
        if (asked?.reply === undefined || !isGrantedArtifact(folded) || asked.identity !== folded.run.identity)
          continue;
        // Calls are answered beside the stream: one that comes at once may overtake the result.
        if (asked.reply.code === 0 || asked.at - item.at >= view.head.grace)
          yield hold(asked.reply.code === 0, [item.n, asked.n, asked.reply.n], {
            expected: `artifact_metadata finds ${id}`,
            found: brief(asked.reply.message),
          });
      }
  }),
];

const endedInTime = ({ run, items, terminal }: Folded): boolean =>
  items.at(-1) === terminal && run.end !== undefined && run.end.at < (deadlineFor(run) ?? Number.POSITIVE_INFINITY);

function* recorded(view: HostCase, kind: Item['kind']): Iterable<Finding> {
  for (const folded of settledRuns(view)) {
    if (folded.settled.telemetry === undefined) continue;
    for (const item of folded.items)
      if (item.kind === kind && folded.counts(item))
        yield hold(inTelemetry(folded.settled, item, folded.run.runId), [item.n, folded.settled.n], {
          expected: `${item.type} in telemetry`,
          found: 'telemetry of the run lacks it',
        });
  }
}

/** A refusal for the rate tells nothing of what was asked for. */
const isThrottled = ({ reply }: ApiCall): boolean =>
  isObject(reply?.data['error']) && reply.data['error']['code'] === 'rate_limited';

function isGrantedArtifact({ run }: Folded): boolean {
  const access = isObject(run.context['context']) ? run.context['context'] : {};
  const apis = isObject(access['available_apis']) ? access['available_apis'] : {};
  return apis['artifact_metadata'] === true;
}
