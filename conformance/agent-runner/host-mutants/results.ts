// §5.7, §7: results, what they bring about, and how they end a run.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { HOST_PARTS } from '../reference-host/parts.ts';
import { isObjection } from '../reference-host/results.ts';
import type { Delivery } from '../reference-host/shapes.ts';
import { textOf } from '../reference-host/stores/transcript.ts';
import { type Change, mutant, shows } from './mutant.ts';

const {
  answerOf,
  artifactOf,
  checkPayload,
  checkSize,
  checkSequence,
  deliver,
  isKnownType,
  isTerminal,
  readResult,
  streams,
} = HOST_PARTS;

/** Takes more for an answer than it should. */
const answering = (type: string, read: (data: JsonObject) => unknown): Change => ({
  answerOf: (result, session) => {
    const said = result.type === type ? read(result.data) : undefined;
    return typeof said === 'string' ? { role: 'assistant', content: said } : answerOf(result, session);
  },
});
const silentOf = (...codes: readonly string[]): Change => ({ warnsOf: (code) => !codes.includes(code) });
const telemetryWithout = (prefix: string): Change =>
  shows('telemetry', (entries) => entries.filter(({ type }) => !String(type).startsWith(prefix)));

export const resultMutants = [
  mutant(
    'streams-everywhere',
    'Passes deltas on to surfaces that do not stream.',
    '5.7/host-streams-only-where-supported',
    { streams: () => true },
  ),
  mutant('oversized-messages', 'Delivers messages larger than the surface takes.', '5.7/host-max-message-size', {
    deliver: (session, kind, content) =>
      deliver({ ...session, delivery: { ...session.delivery, max_message_size: null } }, kind, content),
  }),
  ...(
    [
      ['lose-one', 'Loses a piece of a message that it splits.', (all) => all.filter((_, index) => index !== 1)],
      ['shuffled', 'Delivers the last piece of a message first.', (all) => all.toReversed()],
      ['doubled', 'Delivers each piece of a message twice.', (all) => all.flatMap((one) => [one, one])],
    ] as const satisfies readonly (readonly [string, string, (all: readonly Delivery[]) => Delivery[]])[]
  ).map(([id, what, change]) =>
    mutant(`pieces-${id}`, what, '5.7/host-max-message-size', {
      deliver: (session, kind, content) => {
        const pieces = deliver(session, kind, content);
        return pieces.length > 2 ? change(pieces) : pieces;
      },
    }),
  ),
  mutant('sequence-needed', 'Drops results without a sequence number.', '7.1/sequence-optional', {
    checkSequence: (sequence, seen) =>
      sequence == null ? { code: 'result_malformed', message: 'No sequence.' } : checkSequence(sequence, seen),
  }),
  mutant(
    'deliveries-reversed',
    'Delivers the last message first.',
    '7.1/arrival-order',
    shows('deliveries', (entries) => entries.toReversed()),
  ),
  mutant(
    'duplicates-counted',
    'Takes a result again that comes again with the same number.',
    '7.1/duplicate-sequence-once',
    { checkSequence: () => undefined },
  ),
  mutant(
    'results-by-run-id',
    'Believes the run_id of a result, whichever stream it came on.',
    '7.1/foreign-run-id-inert',
    {
      sessionOf: (result, session, all) => all.find(result.run_id) ?? session,
    },
  ),
  mutant('malformed-taken', 'Delivers whatever stands where a message should.', '7.1/malformed-not-consumed', {
    checkPayload: (result) => (result.type === 'message.completed' ? undefined : checkPayload(result)),
    answerOf: (result, session) =>
      answerOf(result, session) ??
      (result.type === 'message.completed'
        ? { role: 'assistant', content: result.data['message'] ?? JSON.stringify(result.data) }
        : undefined),
  }),
  mutant('roleless-taken', 'Delivers messages that name no role.', '7.1/malformed-not-consumed', {
    checkPayload: (result) => {
      const message = result.data['message'];
      return isObject(message)
        ? checkPayload({ ...result, data: { ...result.data, message: { role: 'assistant', ...message } } })
        : checkPayload(result);
    },
  }),
  mutant(
    'malformed-unwarned',
    'Drops malformed results without a word.',
    '7.1/malformed-warned',
    silentOf('result_malformed'),
  ),
  mutant('oversized-taken', 'Takes results of any size.', '7.1/oversized-refused', { checkSize: () => undefined }),
  mutant('half-size', 'Refuses results that are half as large as it says.', '7.1/oversized-refused', {
    checkSize: (value, limits) => checkSize(value, { ...limits, result_bytes: limits.result_bytes / 2 }),
  }),
  mutant('size-one-more', 'Takes results that are one byte too large.', '7.1/oversized-refused', {
    checkSize: (value, limits) => checkSize(value, { ...limits, result_bytes: limits.result_bytes + 1 }),
  }),
  mutant('size-one-less', 'Refuses results of exactly the size it says.', '7.1/oversized-refused', {
    checkSize: (value, limits) => checkSize(value, { ...limits, result_bytes: limits.result_bytes - 1 }),
  }),
  mutant('size-in-characters', 'Counts results in characters instead of bytes.', '7.1/oversized-refused', {
    checkSize: (value, limits) => {
      const text = JSON.stringify(value);
      const wide = Buffer.byteLength(text) - text.length;
      return checkSize(value, { ...limits, result_bytes: limits.result_bytes + wide });
    },
  }),
  ...['message.delta', 'artifact.created'].map((type) =>
    mutant(`size-of-${type.replace('.', '-')}`, `Does not measure ${type}.`, '7.1/oversized-refused', {
      checkSize: (value, limits) => (value['type'] === type ? undefined : checkSize(value, limits)),
    }),
  ),
  mutant(
    'unknown-is-an-answer',
    'Takes a result of unknown type for the answer, and the message of run.completed for one too many.',
    '7.2/unknown-type-inert',
    {
      handOver: (session, result, take) => {
        take(session);
        if (!isKnownType(String(result['type']))) session.answered = true;
      },
    },
  ),
  mutant(
    'unknown-warned-once',
    'Warns of an unknown type when it first comes, and in no later run.',
    '7.2/unknown-type-warned',
    () => {
      const known = new Set<string>();
      let last = '';
      return {
        isKnownType: (type) => {
          last = type;
          return isKnownType(type);
        },
        warnsOf: (code) => {
          const again = known.has(last);
          if (code === 'result_type_unknown') known.add(last);
          return code !== 'result_type_unknown' || !again;
        },
      };
    },
  ),
  ...(
    [
      ['blanks', 'Takes no notice of blanks around the type of a result.', (type: string) => type.trim()],
      [
        'spelling',
        'Reads an underscore in the type of a result as a dot.',
        (type: string) => type.replaceAll('_', '.'),
      ],
    ] as const
  ).map(([id, what, read]) =>
    mutant(`unknown-by-${id}`, what, '7.2/unknown-type-ignored', {
      readResult: (value) =>
        readResult(typeof value['type'] === 'string' ? { ...value, type: read(value['type']) } : value),
    }),
  ),
  mutant(
    'unknown-delivered',
    'Delivers the message of a result whose type it does not know.',
    ['7.2/unknown-type-ignored', '7.2/unknown-type-inert'],
    {
      isKnownType: () => true,
      answerOf: (result, session) => {
        const { message, chunk, text } = result.data;
        if (isKnownType(result.type)) return answerOf(result, session);
        const said = [message, chunk].find(isObject) ?? { content: text ?? JSON.stringify(result.data) };
        return { role: 'assistant', content: null, ...said };
      },
    },
  ),
  mutant('unknown-ends-run', 'Takes every type that begins with run. for an end.', '7.2/unknown-type-ignored', {
    isKnownType: (type) => isKnownType(type) || type.startsWith('run.'),
    isTerminal: (type) => type.startsWith('run.'),
  }),
  mutant(
    'unknown-unwarned',
    'Ignores unknown types without a word.',
    '7.2/unknown-type-warned',
    silentOf('result_type_unknown'),
  ),
  mutant(
    'unknown-swallows-next',
    'Drops the delta or message that follows a result of unknown type.',
    '7.2/unknown-type-inert',
    () => {
      let skip = false;
      return {
        isKnownType: (type) => {
          const known = isKnownType(type);
          if (!known) skip = true;
          return known;
        },
        checkPayload: (result) => {
          const swallowed = skip && result.type.startsWith('message.');
          skip = false;
          return swallowed ? { code: 'result_malformed', message: 'Lost.' } : checkPayload(result);
        },
      };
    },
  ),
  mutant('unknown-fails-run', 'Fails a run over a result of unknown type.', '7.2/unknown-type-inert', {
    endOfObjection: ({ code }) =>
      code === 'result_type_unknown'
        ? { status: 'failed', code: 'runner.protocol_error', message: 'Unknown type.' }
        : undefined,
  }),
  mutant('deltas-dropped', 'Delivers no deltas.', '7.2/delta-delivered', { streams: () => false }),
  mutant('second-delta-dropped', 'Delivers only the first delta of a run.', '7.2/delta-delivered', () => {
    const seen = new Set<string>();
    return {
      streams: (session) => {
        const first = !seen.has(session.run.run_id);
        seen.add(session.run.run_id);
        return first && streams(session);
      },
    };
  }),
  mutant('delivered-twice', 'Delivers every message twice.', '7.2/completed-delivered', {
    deliver: (session, kind, content) =>
      kind === 'message' ? [0, 1].flatMap(() => deliver(session, kind, content)) : deliver(session, kind, content),
  }),
  mutant('wordless-dropped', 'Delivers no message that has no text.', '7.2/completed-delivered', {
    deliver: (session, kind, content) => (textOf(content) === null ? [] : deliver(session, kind, content)),
  }),
  mutant('delivered-elsewhere', 'Delivers messages to another surface.', '7.2/completed-delivered', {
    deliver: (session, kind, content) =>
      deliver(session, kind, content).map((delivery) => ({
        ...delivery,
        surface: 'elsewhere',
        conversation_id: 'elsewhere',
      })),
  }),
  mutant('reply-to-the-latest', 'Replies to what was said last in the conversation.', '7.2/completed-delivered', () => {
    const latest = new Map<unknown, JsonObject | null>();
    return {
      deliveryOf: (event, bound) => {
        const surface = HOST_PARTS.deliveryOf(event, bound);
        latest.set(event.conversation_id, surface.reply_target);
        return surface;
      },
      deliver: (session, kind, content) =>
        deliver(session, kind, content).map((delivery) => ({
          ...delivery,
          reply_target: latest.get(session.run.scope.conversation_id) ?? null,
        })),
    };
  }),
  mutant('message-dropped', 'Delivers no whole messages of a run that streamed.', '7.2/completed-delivered', () => {
    const streamed = new Set<string>();
    return {
      streams: (session) => {
        streamed.add(session.run.run_id);
        return streams(session);
      },
      answerOf: (result, session) => (streamed.has(session.run.run_id) ? undefined : answerOf(result, session)),
    };
  }),
  mutant('last-word-dropped', 'Ignores the message of run.completed.', '7.2/completed-message-delivered', {
    answerOf: (result, session) => (result.type === 'run.completed' ? undefined : answerOf(result, session)),
  }),
  mutant(
    'any-message-delivered',
    'Delivers whatever stands under message in a result of any type.',
    '7.2/nothing-else-delivered',
    {
      answerOf: (result, session) =>
        answerOf(result, session) ?? (isObject(result.data['message']) ? result.data['message'] : undefined),
    },
  ),
  mutant(
    'last-word-twice',
    'Delivers the message of run.completed though message.completed has said the same.',
    '7.2/completed-message-delivered',
    { answerOf: (result, session) => answerOf(result, { ...session, answered: false }) },
  ),
  mutant(
    'tool-results-delivered',
    'Delivers tool events as messages.',
    '7.2/nothing-else-delivered',
    answering('tool.call.started', ({ tool_name: name }) => `Calling ${name}…`),
  ),
  mutant(
    'tools-untold',
    'Keeps no telemetry of tool events.',
    '7.2/tool-events-to-telemetry',
    telemetryWithout('tool.call.'),
  ),
  mutant('artifacts-dropped', 'Stores no artifacts of runners.', '7.2/artifact-stored', {
    artifactOf: () => ({ code: 'artifact_off', message: 'No.' }),
  }),
  mutant('artifact-taken-over', 'Lets a runner take over the id of any artifact.', '8/scope-artifacts', {
    isFreeId: () => true,
  }),
  mutant('artifacts-renamed', 'Stores artifacts under ids of its own.', '7.2/artifact-stored', {
    artifactOf: (result, run, id, now) => artifactOf(result, run, `${id}-${run.run_id}`, now),
  }),
  mutant(
    'actions-untold',
    'Keeps no telemetry of requested actions.',
    '7.2/action-recorded',
    telemetryWithout('action.'),
  ),
  mutant('actions-executed', 'Carries requested actions out.', '7.2/action-not-executed', {
    answerOf: (result, session) =>
      result.type === 'action.requested'
        ? { role: 'assistant', content: JSON.stringify(result.data['payload'] ?? {}) }
        : answerOf(result, session),
    deliver: (session, kind, content) =>
      deliver(session, kind, content).map((delivery) =>
        typeof content === 'string' && content.startsWith('{') ? { ...delivery, kind: 'action' } : delivery,
      ),
  }),
  mutant('completed-as-failed', 'Counts completed runs as failed.', '7.2/completed-ends-run', {
    endOf: (result) =>
      result.type === 'run.completed' ? { status: 'failed', code: 'x', message: 'x' } : HOST_PARTS.endOf(result),
  }),
  mutant('failed-as-completed', 'Counts failed runs as completed.', '7.2/failed-ends-run', {
    endOf: () => ({ status: 'completed' }),
  }),
  mutant('sdk-failure-ignored', 'Takes run.failed for an end only where it has a message.', '7.2/failed-ends-run', {
    checkPayload: (result) =>
      result.type === 'run.failed' && typeof result.data['message'] !== 'string'
        ? { code: 'result_malformed', message: 'No message.' }
        : checkPayload(result),
    endOfSilentStream: () => ({ status: 'completed' }),
  }),
  mutant('goes-on-after-end', 'Goes on taking results after the terminal one.', '7.2/after-terminal-ignored', {
    stopsAfter: ({ status }) => status !== 'completed',
  }),
  mutant(
    'silence-is-success',
    'Counts a stream without a terminal result as completed.',
    '7.2/no-terminal-is-failure',
    { endOfSilentStream: () => ({ status: 'completed' }) },
  ),
  mutant('any-result-completes', 'Ends a run with the first whole message.', '7.2/completed-delivered', {
    isTerminal: (type) => isTerminal(type) || type === 'message.completed',
    endOf: (result) => (result.type === 'run.failed' ? HOST_PARTS.endOf(result) : { status: 'completed' }),
  }),
  mutant('malformed-swallows-next', 'Loses the result after a malformed one.', '7.2/completed-delivered', () => {
    let lost = false;
    return {
      readResult: (value) => {
        const read = readResult(value);
        const result = lost ? { code: 'result_malformed', message: 'Lost.' } : read;
        lost = isObjection(read);
        return result;
      },
    };
  }),
];
