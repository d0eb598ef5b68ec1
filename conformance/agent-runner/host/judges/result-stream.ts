// §7: what a host does with a stream of results, item by item, and how the run ends.
import { isObject, sameJson } from '../../../../common/json.ts';
import { type Finding, hold, judge, kept, open } from '../../../judging/judge.ts';
import { utf8Bytes } from '../../oracle/measure.ts';
import { textOf } from '../../oracle/payload.ts';
import type { Item } from '../../oracle/stream.ts';
import {
  artifactShown,
  brief,
  deltasReached,
  FAILURES,
  inTelemetry,
  marksIn,
  messagesOf,
  sameContent,
  timesDelivered,
  traceOf,
} from '../effects.ts';
import { cutOf, type Folded, foldAll, offeredFor } from '../folded.ts';
import { lastOf, type Shown } from '../shown.ts';
import type { HostCase } from '../view.ts';

type Settled = Folded & { readonly settled: Shown };

/** Runs that came to their end and were looked at then. */
const settledRuns = (view: HostCase): Settled[] =>
  foldAll(view).filter((folded): folded is Settled => folded.settled !== undefined);

const deliveryOf = ({ run }: Folded) => (isObject(run.context['delivery']) ? run.context['delivery'] : {});
const streams = (view: HostCase, { run }: Folded): boolean =>
  offeredFor(view, run.runnerId, run.n)?.capabilities['streaming'] === true;
const surfaceStreams = (folded: Folded): boolean => deliveryOf(folded)['supports_streaming'] === true;
const most = (folded: Folded): number => {
  const limit = deliveryOf(folded)['max_message_size'];
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
};
/** A message that the surface takes whole. */
const whole = (folded: Folded, item: Item): boolean => utf8Bytes(textOf(item.content)) <= most(folded);
const status = ({ settled }: Settled): string => `status ${JSON.stringify(settled.status)}`;

/** Messages of this run that surely count, carry something, and come once. */
function messagesIn(folded: Folded): readonly Item[] {
  const { items } = folded;
  return items.filter(
    (item) =>
      item.kind === 'message' &&
      folded.counts(item) &&
      textOf(item.content) !== '' &&
      items.filter((other) => sameContent(other.content, item.content)).length === 1,
  );
}

/** An occasion for every run that ended by its terminal result, told apart by which. */
function* endings(
  view: HostCase,
  kind: Item['kind'],
  right: (status: unknown) => boolean,
  expected: string,
): Iterable<Finding> {
  for (const folded of foldAll(view)) {
    const { terminal, settled, stream, run } = folded;
    if (terminal?.kind !== kind || stream.shaky) continue;
    const shown = settled ?? lastOf(view, run);
    if (shown === undefined || shown.n < terminal.n) {
      const asked = view.observations.find(({ n, runId }) => n > terminal.n && runId === run.runId);
      if (asked === undefined || asked.reply !== undefined || view.end?.how !== 'done')
        yield open(terminal.n, 'the run was not looked at after its end');
      else yield hold(false, [terminal.n, asked.n], { expected, found: 'driver_observe is not answered any more' });
    } else if (shown.status !== undefined)
      yield hold(right(shown.status), [terminal.n, shown.n], {
        expected,
        found: `status ${JSON.stringify(shown.status)}`,
      });
  }
}

export const resultStreamJudges = [
  judge<HostCase>('v1/5.7/host-streams-only-where-supported', function* (view) {
    for (const folded of settledRuns(view)) {
      const deltas = folded.items.filter(({ kind, phase }) => kind === 'delta' && phase === 'live');
      if (deltas.length === 0 || surfaceStreams(folded) || folded.settled.deliveries === undefined) continue;
      const passed = messagesOf(folded.settled, folded)?.filter(({ kind }) => kind === 'delta') ?? [];
      yield hold(passed.length === 0, [deltas[0]!.n, folded.settled.n], {
        expected: 'no deltas on a surface that does not stream',
        found: `${passed.length} delivered`,
      });
    }
  }),

  judge<HostCase>('v1/5.7/host-max-message-size', function* (view) {
    for (const folded of settledRuns(view)) {
      const large = folded.items.filter(
        (item) => item.kind === 'message' && folded.counts(item) && !whole(folded, item),
      );
      const delivered = messagesOf(folded.settled, folded);
      if (large.length === 0 || delivered === undefined) continue;
      const sizes = delivered.filter(({ kind }) => kind === 'message').map(({ content }) => utf8Bytes(textOf(content)));
      yield hold(
        sizes.every((size) => size <= most(folded)),
        [large[0]!.n, folded.settled.n],
        {
          expected: `no delivery above ${most(folded)} bytes`,
          found: `one of ${Math.max(...sizes)} bytes`,
        },
      );
    }
  }),

  judge<HostCase>('v1/7.1/sequence-optional', function* (view) {
    for (const folded of settledRuns(view)) {
      const { items, settled, terminal, stream } = folded;
      const bare = items.every(
        ({ value }) => isObject(value) && value['sequence'] === undefined && value['timestamp'] === undefined,
      );
      if (!bare || items.length === 0 || stream.shaky) continue;
      const delivered = messagesOf(settled, folded);
      for (const item of messagesIn(folded))
        if (delivered !== undefined && whole(folded, item))
          yield hold(timesDelivered(delivered, item.content) > 0, [item.n, settled.n], {
            expected: 'a message without sequence is delivered',
            found: 'no delivery of it',
          });
      if (terminal?.kind === 'completed' && settled.status !== undefined)
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
        {
          expected: 'deliveries in the order of their results',
          found: `positions ${order.join(', ')}`,
        },
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
      const first = items.find(({ kind, phase }) => kind === 'malformed' && (phase === 'live' || phase === 'shaky'));
      // Silence is proven only where the host shows both warnings and status.
      if (first === undefined || settled.warnings === undefined || settled.status === undefined) continue;
      yield hold(settled.warnings.length > 0 || FAILURES.has(settled.status), [first.n, settled.n], {
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
        if (item.type !== 'message.completed' || !(item.phase === 'live' || item.phase === 'shaky')) continue;
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
          whole(folded, item)
        )
          yield hold(times > 0, proof, {
            expected: `a result of ${item.bytes} bytes, within the limit of ${limit}, is delivered`,
            found: 'no delivery of it',
          });
      }
    }
  }),

  judge<HostCase>('v1/7.2/delta-delivered', function* (view) {
    for (const folded of settledRuns(view)) {
      const { items, settled, terminal } = folded;
      const deltas = items.filter((item) => item.kind === 'delta' && folded.counts(item));
      const troubled = items.some(
        (item) =>
          item.type === 'message.delta' && item.phase !== 'after' && item.phase !== 'cut' && !deltas.includes(item),
      );
      if (
        deltas.length === 0 ||
        terminal === undefined ||
        troubled ||
        !streams(view, folded) ||
        !surfaceStreams(folded)
      )
        continue;
      const delivered = messagesOf(settled, folded)?.filter(({ kind }) => kind === 'delta');
      if (delivered === undefined) continue;
      const said = deltas.map(({ content }) => textOf(content));
      const got = delivered.map(({ content }) => textOf(content));
      yield hold(deltasReached(said, got), [deltas[0]!.n, settled.n], {
        expected: `deltas ${brief(JSON.stringify(said))}`,
        found: brief(JSON.stringify(got)),
      });
    }
  }),

  judge<HostCase>('v1/7.2/completed-delivered', function* (view) {
    for (const folded of settledRuns(view)) {
      const { run, settled } = folded;
      const delivered = messagesOf(settled, folded);
      if (delivered === undefined) continue;
      const { surface, reply_target } = deliveryOf(folded);
      const conversation = run.submission?.event['conversation_id'] ?? null;
      for (const item of messagesIn(folded)) {
        if (!whole(folded, item)) continue;
        const proof = [item.n, settled.n];
        const own = delivered.filter(({ kind, content }) => kind === 'message' && sameContent(content, item.content));
        const expected = `“${brief(textOf(item.content), 40)}” delivered once`;
        if (own.length !== 1) {
          yield hold(false, proof, { expected, found: `delivered ${own.length} times` });
          continue;
        }
        const { raw } = own[0]!;
        const strays = [
          ['surface', raw['surface'], surface],
          ['conversation_id', raw['conversation_id'], conversation],
          ['reply_target', raw['reply_target'], reply_target],
        ].filter(([, got, due]) => got !== undefined && got !== null && !sameJson(got, due ?? null));
        yield hold(strays.length === 0, proof, {
          expected: `${expected}, where its event came from`,
          found: `another ${strays[0]?.[0]}`,
        });
      }
    }
  }),

  judge<HostCase>('v1/7.2/completed-message-delivered', function* (view) {
    for (const folded of settledRuns(view)) {
      const { terminal, settled, items } = folded;
      const delivered = messagesOf(settled, folded);
      if (
        terminal?.kind !== 'completed' ||
        textOf(terminal.content) === '' ||
        delivered === undefined ||
        !whole(folded, terminal)
      )
        continue;
      if (!folded.counts(terminal) || items.some(({ type, n }) => type === 'message.completed' && n < terminal.n))
        continue;
      yield hold(timesDelivered(delivered, terminal.content) > 0, [terminal.n, settled.n], {
        expected: 'the message of run.completed is delivered',
        found: 'no delivery of it',
      });
    }
  }),

  judge<HostCase>('v1/7.2/nothing-else-delivered', function* (view) {
    for (const folded of foldAll(view)) {
      const shown = lastOf(view, folded.run);
      const delivered = shown && messagesOf(shown, folded);
      if (shown === undefined || delivered === undefined) continue;
      const said = folded.items
        .filter(({ n, content }) => n < shown.n && content !== undefined)
        .map(({ content }) => textOf(content));
      const deltas = folded.items.filter(({ type }) => type === 'message.delta').map(({ content }) => textOf(content));
      const sources = [...said, deltas.join('')];
      const stray = delivered.find(({ content }) => !comesFrom(textOf(content), sources));
      if (delivered.length === 0 && folded.items.length === 0) continue;
      yield hold(stray === undefined, [folded.run.n, shown.n], {
        expected: 'nothing delivered but what message results of the run brought',
        found: brief(JSON.stringify(stray?.content) ?? ''),
      });
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
            expected: `artifact ${String(id ?? item.data['name'])} is stored`,
            found: 'artifacts does not show it',
          });
        const asked = folded.run.calls.find(
          (call) =>
            call.action === 'artifact_metadata' &&
            call.n > item.n &&
            call.data['artifact_id'] === id &&
            typeof id === 'string',
        );
        if (asked?.reply !== undefined && isGrantedArtifact(folded) && asked.identity === folded.run.identity)
          yield hold(asked.reply.code === 0, [item.n, asked.n, asked.reply.n], {
            expected: `artifact_metadata finds ${id}`,
            found: brief(asked.reply.message),
          });
      }
  }),

  judge<HostCase>('v1/7.2/action-not-executed', function* (view) {
    for (const folded of foldAll(view)) {
      const shown = lastOf(view, folded.run);
      if (shown?.deliveries === undefined) continue;
      for (const item of folded.items) {
        if (item.type !== 'action.requested') continue;
        const own = shown.deliveries.filter(({ runId }) => runId === folded.run.runId);
        const carried = own.find(({ kind }) => kind === 'action');
        const trace = traceOf(shown, folded, item);
        yield hold(carried === undefined && trace === undefined, [item.n, shown.n], {
          expected: `the action ${String(item.data['action'])} is not carried out`,
          found: carried === undefined ? (trace ?? '') : brief(JSON.stringify(carried.raw)),
        });
      }
    }
  }),

  judge<HostCase>('v1/7.2/completed-ends-run', function* (view) {
    yield* endings(view, 'completed', (shown) => shown === 'completed', 'status "completed"');
    // A host that dies or hangs under what a runner may send has ended no run.
    const [first] = view.submissions;
    if (first !== undefined && (view.end?.how === 'died' || view.end?.how === 'time'))
      yield hold(false, [first.n, view.end.n], {
        expected: 'a host that brings its runs to their end',
        found: view.end.pending ?? view.end.how,
      });
  }),
  judge<HostCase>('v1/7.2/failed-ends-run', (view) =>
    endings(view, 'failed', (shown) => shown !== 'completed' && shown !== 'running', 'a failed status'),
  ),

  judge<HostCase>('v1/7.2/after-terminal-ignored', function* (view) {
    for (const folded of foldAll(view)) {
      const { terminal, stream, run } = folded;
      const shown = lastOf(view, run);
      if (terminal === undefined || shown === undefined || shown.n < terminal.n) continue;
      const before = new Set(
        folded.items.filter(({ phase }) => phase !== 'after').flatMap(({ value }) => marksIn(value)),
      );
      for (const item of folded.items) {
        if (item.phase !== 'after' || item.n > shown.n || marksIn(item.value).some((mark) => before.has(mark)))
          continue;
        const trace = traceOf(shown, folded, item);
        const ends = item.kind === 'completed' || item.kind === 'failed';
        const proof = [terminal.n, item.n, shown.n];
        if (trace !== undefined)
          yield hold(false, proof, { expected: 'nothing of what came after the terminal result', found: trace });
        else if (ends && !stream.shaky && shown.status !== undefined)
          yield hold((shown.status === 'completed') === (terminal.kind === 'completed'), proof, {
            expected: `the status that ${terminal.type} gave`,
            found: `status ${JSON.stringify(shown.status)}`,
          });
        else if (marksIn(item.value).length > 0) yield kept(proof);
      }
    }
  }),

  judge<HostCase>('v1/7.2/no-terminal-is-failure', function* (view) {
    for (const folded of foldAll(view)) {
      const { run, items, stream } = folded;
      if (run.end?.how !== 'end' || stream.shaky || items.some(({ kind }) => kind === 'completed' || kind === 'failed'))
        continue;
      const cut = cutOf(view, run);
      if (cut !== undefined && run.end.at >= cut.from) continue;
      const shown = lastOf(view, run);
      if (shown === undefined || shown.n < run.end.n || shown.status === undefined) continue;
      if (shown.status === 'running' && shown.at < run.end.at + view.head.grace) continue;
      yield hold(shown.status !== 'completed' && shown.status !== 'running', [run.end.n, shown.n], {
        expected: 'a failed status',
        found: `status ${JSON.stringify(shown.status)}`,
      });
    }
  }),
];

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

function isGrantedArtifact({ run }: Folded): boolean {
  const access = isObject(run.context['context']) ? run.context['context'] : {};
  const apis = isObject(access['available_apis']) ? access['available_apis'] : {};
  return apis['artifact_metadata'] === true;
}

/** A delivered text is one that was said, a piece of it, or its beginning cut short. */
function comesFrom(text: string, said: readonly string[]): boolean {
  if (text === '' || said.some((one) => one.includes(text))) return true;
  const cut = text.replace(/(\s*(\.\.\.|…))?\s*(\[[^\]]*\])?\s*$/u, '');
  return cut !== '' && said.some((one) => one.length > cut.length && one.startsWith(cut));
}
