// Three generations of the SDK speak the same frames with small differences on the wire.
// S: June 2026, contemporary with revision 2026-06-03 · J: feat/agent-runner-plugin · A: dev/4.11.
import { isObject, type JsonObject } from '../../common/json.ts';

export type Generation = 'S' | 'J' | 'A';
export const GENERATIONS: readonly Generation[] = ['S', 'J', 'A'];

export const KIB = 1024;
export const MIB = 1024 * KIB;

/** A line that is longer breaks the reader of every SDK generation. */
export const LINE_BYTES = 64 * KIB;
/** A larger message is cut on stdio. */
export const FRAGMENT_BYTES = 16 * KIB;
/** A larger message is cut on a WebSocket. */
export const PIECE_BYTES = 64 * KIB;
/** The largest message that any generation takes; ours too. */
export const MESSAGE_BYTES = 16 * MIB;

export interface WireRules {
  /** A frame that has both `code` and `action` is a response. */
  readonly codeFirst: boolean;
  /** Requests that one side answers at a time; one more is refused as busy. */
  readonly maxInFlight: number;
  /** Wrong offsets and totals break the connection; else they are only reported. */
  readonly strictFragments: boolean;
  /** The most lines of one fragmented message. */
  readonly fragmentLines: number;
  /** How a large message goes over a WebSocket: as messages of their own, or as frames of one message. */
  readonly large: 'pieces' | 'fragments';
  /** `always`: join messages until they are JSON. `never`: one message, one JSON text. `full`: only after a piece of full size. */
  readonly join: 'always' | 'never' | 'full';
}

const early: WireRules = {
  codeFirst: false,
  // The SDK has no limit; ours bounds what a flood of requests can cost.
  maxInFlight: 4096,
  strictFragments: false,
  fragmentLines: 65_536,
  large: 'pieces',
  join: 'always',
};

const RULES: Readonly<Record<Generation, WireRules>> = {
  S: early,
  J: early,
  A: {
    codeFirst: true,
    maxInFlight: 128,
    strictFragments: true,
    fragmentLines: 4096,
    large: 'fragments',
    join: 'never',
  },
};

// An unknown peer is read tolerantly, and gets what both readings take: one message, cut into WebSocket frames (S and J up to 1 MiB).
const UNKNOWN: WireRules = { ...early, large: 'fragments', join: 'full' };

export const rulesOf = (generation: Generation | undefined): WireRules =>
  generation === undefined ? UNKNOWN : RULES[generation];

/** What a frame from the far side gives away about its generation, if anything. S and J are told apart only by discovery entries. */
export function detectGeneration(frame: JsonObject): Generation | undefined {
  if (isObject(frame['context']) && 'instance_uuid' in frame['context']) return 'A';
  const data = frame['data'];
  if (!isObject(data)) return undefined;
  if (frame['action'] === 'register_plugin') return 'registration_capability' in data ? 'A' : 'J';
  if (frame['action'] === 'set_runtime_config' && 'runtime_identity' in data) return 'A';
  const runners = data['runners'];
  const entry: unknown = Array.isArray(runners) ? runners[0] : undefined;
  if (!isObject(entry) || !('runner_name' in entry) || !isObject(entry['manifest'])) return undefined;
  if (entry['manifest']['kind'] === 'AgentRunner') return 'S';
  const capabilities = entry['manifest']['capabilities'];
  return isObject(capabilities) && 'interactions' in capabilities ? 'A' : 'J';
}
