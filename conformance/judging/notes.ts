// What is worth telling and breaks no clause. Rules of the wire are among it: the protocol's own document leaves frames to
// the SDK, so no clause stands on them; but whoever broke one is told which, for readers of other make may not be so patient.
import type { Fact } from '../recording/fact.ts';
import type { Outcome } from './outcome.ts';

export interface Note {
  readonly kind: string;
  readonly text: string;
}

/** A target that says something new in every case must not fill the outcome. */
const MOST_NOTES = 200;

/** Notes, each once, with how often it came. */
export class Notes {
  readonly #notes = new Map<string, Note & { count: number }>();
  readonly #most: number;

  constructor(most = MOST_NOTES) {
    this.#most = most;
  }

  add(notes: Iterable<Note & { readonly count?: number | undefined }>): void {
    for (const { kind, text, count = 1 } of notes) {
      const known = this.#notes.get(`${kind}\n${text}`);
      if (known !== undefined) known.count += count;
      else if (this.#notes.size < this.#most) this.#notes.set(`${kind}\n${text}`, { kind, text, count });
    }
  }

  get all(): Outcome['notes'] {
    return [...this.#notes.values()];
  }
}

export const WIRE_FAULT = 'wire-fault';

/** The rules of the wire that the target broke, in words that are the same from case to case. */
export function* wireNotes(facts: readonly Fact[]): Iterable<Note> {
  for (const fact of facts) {
    if (fact.fact !== 'fault' || fact.by !== 'target') continue;
    const [words = ''] = fact.code === UNCAUGHT ? fact.message.split('\n') : [];
    const rule = RULES[fact.code] ?? 'kept to no rule of the wire';
    yield { kind: WIRE_FAULT, text: `the target ${rule} (${fact.code})${words && `: ${words.slice(0, 200)}`}` };
  }
}

/** Whoever left it needs its words to find it. */
const UNCAUGHT = 'RUNCERT_TARGET_UNCAUGHT';

const RULES: Readonly<Record<string, string>> = {
  RUNCERT_FRAME_ANSWERED_TWICE: 'answered a request again that it had answered to its end',
  RUNCERT_FRAME_UNKNOWN_SEQ: 'answered a request that was never made',
  RUNCERT_FRAME_SHAPE:
    'sent a frame of the wrong shape: seq_id is an integer, data an object, and it has an action or a code',
  RUNCERT_WIRE_JSON: 'sent a line or message that looks like a frame and is no JSON object',
  RUNCERT_WIRE_UTF8: 'sent bytes that are no UTF-8',
  RUNCERT_WIRE_NUMBER: 'sent a number that no double holds',
  RUNCERT_WIRE_TOO_DEEP: 'sent JSON that is nested too deep',
  RUNCERT_WIRE_TOO_LARGE: 'sent a message that is larger than any generation of the SDK takes',
  RUNCERT_WIRE_LINE_TOO_LONG: 'sent a line over 64 KiB, at which every reader of the SDK breaks',
  RUNCERT_WIRE_FRAGMENT:
    'cut a large message in the wrong way: offsets and sizes count bytes, and every series has an end',
  RUNCERT_WIRE_INTERLEAVED: 'sent a whole message inside a series of fragments, where readers swallow it',
  RUNCERT_WIRE_CUT: 'ended within a message',
  RUNCERT_WIRE_SOCKET: 'broke a rule of WebSockets',
  RUNCERT_WIRE_PINGS: 'sent pings without end',
  RUNCERT_WIRE_CONNECTION: 'opened a connection that was refused',
  RUNCERT_TARGET_STDIN_CLOSED: 'closed its stdin while it went on',
  [UNCAUGHT]: 'left an error that nobody caught; a process of its own would have died of it',
  RUNCERT_FLOOD: 'sent more in one case than is recorded',
};
