// Placeholders of a stimulus, and what they stand for once a run is under way.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';

/** What is known while a stimulus is played. */
export interface Known {
  /** The id of the run that a submission began; `self` is the run whose script this is. */
  runId(which: number | 'self'): string;
  /** The data of a kept answer. */
  answer(name: string): JsonValue | undefined;
  /** The context of the run whose script this is. */
  readonly context: JsonValue | undefined;
  /** Bytes that `$pad` takes up; none unless told otherwise. */
  readonly padding?: number;
}

/** A text never grows past this, whatever the stimulus says. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

/**
 * Fills in every placeholder, however deep.
 * `{$run, more}` a run id, with more behind it where that is given · `{$answer, path}` out of a kept answer · `{$context: path}` out of the run's context,
 * a number moved on by `plus` where that is given ·
 * `{$repeat, times, rest}` a long text · `{$pad, before}` a text as long as the beat's `bytes` leave room for · `{$literal}` its value untouched.
 */
export function fill(value: unknown, known: Known): JsonValue {
  if (Array.isArray(value)) return value.map((item) => fill(item, known));
  if (!isObject(value)) return (value ?? null) as JsonValue;
  if ('$run' in value) return known.runId(value['$run'] as number | 'self') + String(value['more'] ?? '');
  if ('$answer' in value) return at(known.answer(String(value['$answer'])), value['path']) ?? null;
  if ('$context' in value) return shifted(at(known.context, value['$context']) ?? null, value['plus']);
  if ('$repeat' in value)
    return repeated(String(value['$repeat']), Number(value['times'])) + String(value['rest'] ?? '');
  if ('$pad' in value) return `${value['before'] ?? ''}${padded(String(value['$pad']), known.padding ?? 0)}`;
  if ('$literal' in value) return value['$literal'] as JsonValue;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, known)]));
}

export const fillObject = (value: unknown, known: Known): JsonObject => {
  const filled = fill(value, known);
  return isObject(filled) ? filled : {};
};

/** Fills placeholders so that the whole is `bytes` of compact JSON in UTF-8. */
export function fillTo(value: unknown, known: Known, bytes: number): JsonValue {
  const padding = bytes - Buffer.byteLength(JSON.stringify(fill(value, known)));
  return fill(value, { ...known, padding: Math.max(0, padding) });
}

/** So many bytes of text: whole units, and ASCII for what is left over. */
function padded(unit: string, bytes: number): string {
  const units = Math.floor(bytes / Math.max(1, Buffer.byteLength(unit)));
  return repeated(unit, units) + 'x'.repeat(bytes - units * Buffer.byteLength(unit));
}

const shifted = (value: JsonValue, by: unknown): JsonValue =>
  typeof value === 'number' && typeof by === 'number' ? value + by : value;

function repeated(text: string, times: number): string {
  const most = Math.floor(MOST_CHARACTERS / Math.max(1, text.length));
  return text.repeat(Math.max(0, Math.min(Math.trunc(times) || 0, most)));
}

function at(value: JsonValue | undefined, path: unknown): JsonValue | undefined {
  let here: JsonValue | undefined = value;
  for (const step of Array.isArray(path) ? path : []) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as JsonObject)[String(step)];
  }
  return here;
}
