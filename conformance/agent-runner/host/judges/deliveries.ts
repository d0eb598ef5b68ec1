// §5.7, §7.2: what of a stream reaches the surface, once, whole and in its place, and what must not.
import { sameJson } from '../../../../common/json.ts';
import { type Finding, hold, judge } from '../../../judging/judge.ts';
import { jsonBytes, utf8Bytes } from '../../oracle/measure.ts';
import { textOf } from '../../oracle/payload.ts';
import type { Item } from '../../oracle/stream.ts';
import { brief, deltasReached, messagesOf, sameContent, timesDelivered, traceOf } from '../effects.ts';
import { type Folded, foldAll, type Settled, settledRuns } from '../folded.ts';
import { type Delivery, lastOf } from '../shown.ts';
import { deliveryOf, isWhole, messagesIn, mostBytes, streams, surfaceStreams } from '../surface.ts';
import type { HostCase } from '../view.ts';

/** Results that bring no message, whatever stands in them. */
const SILENT: ReadonlySet<Item['kind']> = new Set(['tool', 'artifact', 'state', 'action']);

/** Pictures and files without a word: how they are shown is the host's affair, but not whether, unless they may be too large for the surface. */
function* wordless(folded: Settled, delivered: readonly Delivery[]): Iterable<Finding> {
  const { items, settled, counts, run } = folded;
  const all = items.filter(({ type }) => type === 'message.completed' || type === 'run.completed');
  const mute = all.filter(
    ({ kind, content }) => kind === 'message' && Array.isArray(content) && content.length > 0 && textOf(content) === '',
  );
  const [first] = mute;
  // Where one of them is in doubt the rest cannot be counted.
  if (
    first === undefined ||
    mute.some(({ content }) => jsonBytes(content) > mostBytes(folded)) ||
    !all.every((item) => item.kind === 'completed' || (item.kind === 'message' && counts(item)))
  )
    return;
  const texts = all.map(({ content }) => textOf(content)).filter((text) => text !== '');
  const others = delivered.filter(
    ({ kind, content }) => kind === 'message' && !comesFrom(textOf(content) || NONE, texts),
  );
  yield hold(others.length > 0, [first.n, settled.n], {
    expected: `a delivery in ${run.runId} for each message, those without a text among them`,
    found: `none for ${mute.length} of them`,
  });
}
const NONE = '\u0000';

export const deliveryJudges = [
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
        (item) => item.kind === 'message' && folded.counts(item) && !isWhole(folded, item),
      );
      const delivered = messagesOf(folded.settled, folded);
      if (large.length === 0 || delivered === undefined) continue;
      const sizes = delivered.filter(({ kind }) => kind === 'message').map(({ content }) => utf8Bytes(textOf(content)));
      yield hold(
        sizes.every((size) => size <= mostBytes(folded)),
        [large[0]!.n, folded.settled.n],
        {
          expected: `no delivery above ${mostBytes(folded)} bytes`,
          found: `one of ${Math.max(...sizes)} bytes`,
        },
      );
      const stray = strayPiece(folded, delivered);
      // A host may make messages of deltas too.
      if (!folded.stream.shaky && !folded.items.some(({ type }) => type === 'message.delta'))
        yield hold(stray === undefined, [large[0]!.n, folded.settled.n], () => ({
          expected: 'pieces that make up the message, or its beginning, in their order',
          found: brief(stray ?? ''),
        }));
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
      yield hold(deltasReached(said, got), [deltas[0]!.n, settled.n], () => ({
        expected: `deltas ${brief(JSON.stringify(said))}`,
        found: brief(JSON.stringify(got)),
      }));
    }
  }),

  judge<HostCase>('v1/7.2/completed-delivered', function* (view) {
    for (const folded of settledRuns(view)) {
      const { run, settled } = folded;
      const delivered = messagesOf(settled, folded);
      if (delivered === undefined) continue;
      const { surface, reply_target } = deliveryOf(folded);
      const conversation = run.submission?.event['conversation_id'] ?? null;
      yield* wordless(folded, delivered);
      for (const item of messagesIn(folded)) {
        if (!isWhole(folded, item)) continue;
        const proof = [item.n, settled.n];
        const own = delivered.filter(({ kind, content }) => kind === 'message' && sameContent(content, item.content));
        const expected = `“${brief(textOf(item.content), 40)}” delivered once`;
        // The second of two is run.completed's, and another clause asks about that.
        if (own.length !== 1 && !(own.length === 2 && repeatedAtTheEnd(folded, item))) {
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
        !isWhole(folded, terminal) ||
        !folded.counts(terminal)
      )
        continue;
      const before = items.filter(({ type, n }) => type === 'message.completed' && n < terminal.n);
      const times = timesDelivered(delivered, terminal.content);
      const said = before.find((item) => repeatedAtTheEnd(folded, item));
      if (before.length === 0)
        yield hold(times > 0, [terminal.n, settled.n], {
          expected: 'the message of run.completed is delivered',
          found: 'no delivery of it',
        });
      else if (before.length === 1 && said !== undefined && times > 0)
        yield hold(times === 1, [said.n, terminal.n, settled.n], {
          expected: 'the words of message.completed, which run.completed repeats, are delivered once',
          found: `delivered ${times} times`,
        });
    }
  }),

  judge<HostCase>('v1/7.2/nothing-else-delivered', function* (view) {
    for (const folded of foldAll(view)) {
      const shown = lastOf(view, folded.run);
      const delivered = shown && messagesOf(shown, folded);
      if (shown === undefined || delivered === undefined) continue;
      const said = folded.items
        .filter(({ n, kind, content }) => n < shown.n && content !== undefined && !SILENT.has(kind))
        .map(({ content }) => textOf(content));
      const deltas = folded.items.filter(({ type }) => type === 'message.delta').map(({ content }) => textOf(content));
      const sources = [...said, deltas.join('')];
      const stray = delivered.find(
        ({ content }) => !comesFrom(textOf(content), sources) && !isJoined(textOf(content), deltas),
      );
      if (delivered.length === 0 && folded.items.length === 0) continue;
      yield hold(stray === undefined, [folded.run.n, shown.n], () => ({
        expected: 'nothing delivered but what message results of the run brought',
        found: brief(JSON.stringify(stray?.content) ?? ''),
      }));
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
        yield hold(carried === undefined && trace === undefined, [item.n, shown.n], () => ({
          expected: `the action ${String(item.data['action'])} is not carried out`,
          found: carried === undefined ? (trace ?? '') : brief(JSON.stringify(carried.raw)),
        }));
      }
    }
  }),
];

/** Does run.completed say the same again as this message.completed? */
const repeatedAtTheEnd = ({ terminal, counts }: Folded, item: Item): boolean =>
  terminal?.kind === 'completed' && counts(item) && item.n < terminal.n && sameContent(item.content, terminal.content);

/**
 * Messages that were split, put together again: the first piece that goes on with none of them. A message may end early, or come
 * not at all; blanks where it was split may be gone, and a piece may tell by a mark that it was cut.
 */
function strayPiece(folded: Settled, delivered: readonly Delivery[]): string | undefined {
  const said = folded.items.flatMap(({ content }) => (content === undefined ? [] : [content]));
  const large = said
    .map(textOf)
    .filter((text) => utf8Bytes(text) > mostBytes(folded))
    .map(packed);
  const pieces = delivered.filter(
    ({ kind, content }) =>
      kind === 'message' &&
      !said.some((one) => sameContent(one, content) && utf8Bytes(textOf(one)) <= mostBytes(folded)),
  );
  let at = 0;
  let done = '';
  for (const { content } of pieces) {
    const ways = [textOf(content), textOf(content).replace(CUT, '')].map(packed);
    // What is of none of them is not theirs to explain.
    if (!large.some((text) => ways.some((way) => text.includes(way)))) continue;
    // It goes on with the message under way, or begins a later one.
    for (;;) {
      const rest = large[at]?.slice(done.length);
      if (rest === undefined) return textOf(content);
      const way = ways.find((one) => rest.startsWith(one));
      if (way !== undefined) {
        done += way;
        break;
      }
      at++;
      done = '';
    }
  }
  return undefined;
}
const packed = (text: string): string => text.replaceAll(/\s/gu, '');
/** How a text tells that it was cut. */
const CUT = /(\s*(\.\.\.|…))?\s*(\[[^\]]*\])?\s*$/u;

/** A delivered text is one that was said, a piece of it, or its beginning cut short. */
function comesFrom(text: string, said: readonly string[]): boolean {
  if (text === '' || said.some((one) => one.includes(text))) return true;
  const cut = text.replace(CUT, '');
  return cut !== '' && said.some((one) => one.length > cut.length && one.startsWith(cut));
}

/** Pieces joined in their order; some may be left out: a repetition, one that the host need not take. */
function isJoined(text: string, pieces: readonly string[]): boolean {
  let at = 0;
  for (const piece of pieces) if (text.startsWith(piece, at)) at += piece.length;
  return at === text.length;
}
