// How a stream of results is to be taken (§7): what each result is, and whether it still counts where it stands.
import { canonical, isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import { IMMODEST_BYTES, jsonBytes, limitOf, MODEST_BYTES, sizeAgainst } from './measure.ts';
import { contentOf, payloadFits } from './payload.ts';
import { type Ruling, rule, type StateScope } from './state.ts';

/**
 * `malformed`: must not be consumed. `unsure`: the documents let a host take it or leave it.
 * `foreign`: carries another run's id. `again`: a sequence that was there before. `oversized`: above the host's limit.
 */
export type Kind =
  | 'unknown'
  | 'malformed'
  | 'unsure'
  | 'foreign'
  | 'again'
  | 'oversized'
  | 'delta'
  | 'message'
  | 'tool'
  | 'artifact'
  | 'state'
  | 'action'
  | 'completed'
  | 'failed';

/**
 * `live`: it counts. `shaky`: it counts unless the host let the run fail over something before it.
 * `grey`: too close to a cut to tell. `after`: behind the terminal result, or the end of the stream. `cut`: behind deadline or cancel, and grace.
 */
export type Phase = 'live' | 'shaky' | 'grey' | 'after' | 'cut';

export interface Item {
  readonly n: number;
  readonly at: number;
  readonly kind: Kind;
  readonly phase: Phase;
  /** Behind the end of the stream. */
  readonly late: boolean;
  readonly type: string;
  readonly data: JsonObject;
  readonly bytes: number;
  /** For messages and deltas: what they bring. */
  readonly content: JsonValue | undefined;
  readonly ruling: Ruling | undefined;
  readonly value: JsonValue | undefined;
}

export interface StreamInput {
  readonly runId: string;
  /** `late`: behind the end of the stream. */
  readonly pushed: readonly {
    readonly n: number;
    readonly at: number;
    readonly value: JsonValue | undefined;
    readonly late: boolean;
  }[];
  readonly limits: JsonObject;
  readonly openScopes: ReadonlySet<StateScope>;
  /** From when on it is unsure, and from when on it is sure that nothing counts any more. */
  readonly cut: { readonly from: number; readonly until: number } | undefined;
}

export interface Stream {
  readonly items: readonly Item[];
  /** The first terminal result that surely counts, unless something before it makes the end unsure. */
  readonly terminal: Item | undefined;
  /** The run may have ended in another way than `terminal` tells. */
  readonly shaky: boolean;
}

const KINDS: Readonly<Record<string, Kind>> = {
  'message.delta': 'delta',
  'message.completed': 'message',
  'tool.call.started': 'tool',
  'tool.call.completed': 'tool',
  'artifact.created': 'artifact',
  'state.updated': 'state',
  'action.requested': 'action',
  'run.completed': 'completed',
  'run.failed': 'failed',
};

/** Kinds that a strict host may let the run fail over. */
const TROUBLE: ReadonlySet<Kind> = new Set(['malformed', 'unsure', 'foreign', 'oversized', 'again']);

export function readStream(input: StreamInput): Stream {
  const items: Item[] = [];
  const seen: Seen = { texts: new Map(), highest: 0 };
  let terminal: Item | undefined;
  let shaky = false;
  /** Something that may have been the end, and may not. */
  let perhapsOver = false;
  for (const { n, at, value, late } of input.pushed) {
    const read = readResult(value, input, seen);
    const phase: Phase =
      late || terminal !== undefined
        ? 'after'
        : input.cut !== undefined && at > input.cut.until
          ? 'cut'
          : perhapsOver || (input.cut !== undefined && at >= input.cut.from)
            ? 'grey'
            : shaky
              ? 'shaky'
              : 'live';
    const item: Item = { n, at, phase, late, value, ...read };
    items.push(item);
    if (phase !== 'live' && phase !== 'shaky') continue;
    if (item.kind === 'completed' || item.kind === 'failed') terminal = item;
    else if (TROUBLE.has(item.kind) && item.type.startsWith('run.')) perhapsOver = true;
    if (TROUBLE.has(item.kind) || (item.ruling !== undefined && item.ruling.ruling !== 'stored')) shaky = true;
  }
  return { items, terminal: perhapsOver ? undefined : terminal, shaky: shaky || perhapsOver };
}

/** The results that came with a number, and the highest of those. */
interface Seen {
  readonly texts: Map<number, string>;
  highest: number;
}

type Read = Pick<Item, 'kind' | 'type' | 'data' | 'bytes' | 'content' | 'ruling'>;

function readResult(value: JsonValue | undefined, input: StreamInput, seen: Seen): Read {
  const bytes = jsonBytes(value);
  const result = isObject(value) ? value : {};
  const type = typeof result['type'] === 'string' ? result['type'] : '';
  const data = isObject(result['data']) ? result['data'] : {};
  const read = { type, data, bytes, content: contentOf(type, data), ruling: undefined };
  const as = (kind: Kind): Read => ({ ...read, kind });
  if (!isObject(value) || type === '' || (!isObject(result['data']) && result['data'] !== undefined))
    return as('malformed');
  // Too large a key or value is refused as such, whatever the size of the whole.
  const ruling = type === 'state.updated' ? rule(data, input.openScopes, input.limits) : undefined;
  if (ruling?.ruling === 'refused' && result['run_id'] === input.runId && (result['sequence'] ?? null) === null)
    return { ...read, kind: 'state', ruling };
  const size = sizeAgainst(bytes, limitOf(input.limits, 'result_bytes'), MODEST_BYTES, IMMODEST_BYTES);
  if (size !== 'within') return as(size === 'above' ? 'oversized' : 'unsure');
  if (typeof result['run_id'] !== 'string') return as('unsure');
  if (result['run_id'] !== input.runId) return as('foreign');
  const order = orderOf(result, seen);
  if (order === 'unsure') return as('unsure');
  const kind = KINDS[type];
  if (kind === undefined) return as('unknown');
  if (order === 'again') return as('again');
  if (kind === 'state') return { ...read, kind, ruling };
  const fits = payloadFits(type, data);
  return as(fits === 'fits' ? kind : fits === 'unfit' ? 'malformed' : 'unsure');
}

/** A number that came before with the same result is a repetition; one that falls back otherwise leaves the host a choice. */
function orderOf(result: JsonObject, seen: Seen): 'next' | 'again' | 'unsure' {
  const { sequence } = result;
  if (sequence === undefined || sequence === null) return 'next';
  if (typeof sequence !== 'number' || !Number.isInteger(sequence) || sequence < 1) return 'unsure';
  const text = canonical(result);
  const before = seen.texts.get(sequence);
  if (before !== undefined) return before === text ? 'again' : 'unsure';
  const falls = seen.highest > sequence;
  seen.texts.set(sequence, text);
  seen.highest = Math.max(seen.highest, sequence);
  return falls ? 'unsure' : 'next';
}
