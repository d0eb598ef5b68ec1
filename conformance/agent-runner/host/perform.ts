// The harness as a runner: plays the script of one run, result by result and call by call, and takes a cancel as the script says.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import type { Stage } from '../../driving/suite.ts';
import { success } from '../../wire/frame.ts';
import { type Answer, Refusal } from '../../wire/peer.ts';
import { fill, fillObject, fillTo, type Known } from './placeholder.ts';
import type { Beat, Call, Script } from './stimulus.ts';

/** Milliseconds that one call waits for its answer. */
export const CALL_PATIENCE = 5000;
/** Actions that answer with a stream. */
const STREAMS: ReadonlySet<string> = new Set(['invoke_llm_stream', 'artifact_open_stream']);
/** A stream of answers is read no further than this. */
const MOST_CHUNKS = 10_000;

export interface Performance {
  readonly stage: Stage;
  /** The `run_agent` request: its number, and what it carried. */
  readonly seq: number;
  readonly identity: string;
  readonly deadlineAt: number | undefined;
  readonly known: Known;
  keep(name: string, data: JsonValue): void;
  /** Aborts when the case is over. */
  readonly over: AbortSignal;
  /** Aborts when the host asked to cancel the run, and when the case is over. */
  readonly cut: AbortSignal;
}

/** The stream of one run: what each `say` yields goes out as one frame. `onEnd` tells that all is played, late beats too. */
export async function* perform(script: Script, show: Performance, onEnd: () => void): AsyncGenerator<JsonObject> {
  let late: Promise<void> | undefined;
  try {
    for (const beats of [script.beats, script.cancelled ?? []]) {
      const cut = beats === script.beats ? show.cut : show.over;
      for (const [index, beat] of beats.entries()) {
        if (cut.aborted) break;
        if ('end' in beat) {
          if (beat.end === 'silence') {
            await aborted(cut);
            break;
          }
          late = playLate(beats.slice(index + 1), { ...show, cut });
          if (beat.end === 'error') throw new Refusal(beat.message ?? 'RuntimeError: the runner broke');
          return;
        }
        yield* play(beat, { ...show, cut });
      }
      if (!show.cut.aborted || show.over.aborted) return;
    }
  } finally {
    if (late === undefined) onEnd();
    else void late.finally(onEnd);
  }
}

/** What comes after the stream has ended: the same frames, past their end. */
async function playLate(beats: readonly Beat[], show: Performance): Promise<void> {
  // The end frame leaves only after the generator has returned.
  await show.stage.clock.sleep(0, show.cut);
  for (const beat of beats) {
    if (show.cut.aborted || 'end' in beat) return;
    for await (const chunk of play(beat, show)) await show.stage.session.peer.send(success(show.seq, chunk));
  }
}

async function* play(beat: Beat, show: Performance): AsyncGenerator<JsonObject> {
  const { clock, session, grace } = show.stage;
  if ('say' in beat) {
    const value = (
      beat.bytes === undefined ? fill(beat.say, show.known) : fillTo(beat.say, show.known, beat.bytes)
    ) as JsonObject;
    for (let left = beat.times ?? 1; left > 0 && !show.cut.aborted; left--) yield value;
  } else if ('frame' in beat) {
    await session.peer.send({ ...success(show.seq, {}), ...fillObject(beat.frame, show.known) });
  } else if ('wait' in beat) {
    await clock.sleep(beat.wait + (beat.graces ?? 0) * grace, show.cut);
  } else if ('deadline' in beat) {
    if (show.deadlineAt !== undefined)
      await clock.sleep(
        Math.max(0, show.deadlineAt + beat.deadline + (beat.graces ?? 0) * grace - clock.now()),
        show.cut,
      );
  } else if ('call' in beat) {
    const made = makeCalls(beat, show);
    if (beat.alongside !== true) await made;
  } else if ('walk' in beat) {
    let data: JsonObject = fillObject(beat.data, show.known);
    for (let page = 0; page < beat.most && !show.cut.aborted; page++) {
      const answer = await makeCall(beat.walk, data, show.identity, show);
      const cursor = answer.data[beat.from];
      if (answer.code !== 0 || answer.data['has_more'] !== true || typeof cursor !== 'string') break;
      data = { ...data, [beat.to]: cursor };
      for (const between of beat.between ?? []) yield* play(between, show);
    }
  }
}

type Caller = Pick<Performance, 'stage' | 'known' | 'keep' | 'cut'> & { readonly identity: string | null };

/** Makes one call, or a burst of the same. */
export async function makeCalls(call: Call, caller: Caller): Promise<void> {
  const data = fillObject(call.data, caller.known);
  const identity = call.as === undefined ? caller.identity : call.as;
  const answers = await Promise.all(
    Array.from({ length: call.times ?? 1 }, () => makeCall(call.call, data, identity, caller)),
  );
  const first = answers[0];
  if (call.keep !== undefined && first !== undefined) caller.keep(call.keep, first.data);
}

async function makeCall(
  action: string,
  data: JsonObject,
  identity: string | null,
  { stage, cut }: Pick<Caller, 'stage' | 'cut'>,
): Promise<Answer> {
  const asked = inBothNames(action, data);
  const whole = identity === null ? asked : { ...asked, caller_plugin_identity: identity };
  const options = { timeout: CALL_PATIENCE, signal: cut };
  if (cut.aborted) return { code: -1, message: 'the case is over', data: {}, lost: 'closed' };
  if (!STREAMS.has(action)) return stage.session.peer.call(action, whole, options);
  let first: Answer | undefined;
  let chunks = 0;
  for await (const answer of stage.session.peer.stream(action, whole, options)) {
    first ??= answer;
    if (++chunks >= MOST_CHUNKS) break;
  }
  return first ?? { code: 0, message: 'success', data: {} };
}

/** The documents say `length`, the SDK `limit`: a host reads whichever it knows. */
const inBothNames = (action: string, data: JsonObject): JsonObject =>
  action === 'artifact_read' && 'length' in data && !('limit' in data) ? { ...data, limit: data['length'] } : data;

/** `author/name` of the plugin whose runner the host asked for. */
export function identityOf(request: JsonObject): string {
  const { plugin_author: author, plugin_name: name, runner_id: id } = request;
  if (typeof author === 'string' && typeof name === 'string') return `${author}/${name}`;
  const parts = typeof id === 'string' ? /^plugin:([^/]+)\/([^/]+)\/.+$/.exec(id) : null;
  return parts ? `${parts[1]}/${parts[2]}` : 'unknown/unknown';
}

/** The runner that the host asked for: by its id, or by plugin and name, as a real Runtime is asked. */
export function runnerIdOf(request: JsonObject): string {
  const { runner_id: id, plugin_author: author, plugin_name: plugin, runner_name: name } = request;
  if (typeof id === 'string') return id;
  const parts = [author, plugin, name];
  return parts.every((part) => typeof part === 'string') ? `plugin:${parts.join('/')}` : '';
}

/** The deadline of a context in epoch milliseconds. */
export function deadlineOf(context: JsonValue | undefined): number | undefined {
  const runtime = isObject(context) ? context['runtime'] : undefined;
  const seconds = isObject(runtime) ? runtime['deadline_at'] : undefined;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
