// JSON documents that people write or carry about: read with a place for every mistake, checked against a TypeBox schema.
import type { Static, TSchema } from 'typebox';
import Value from 'typebox/value';
import { RuncertError } from './error.ts';

export interface DocumentWords {
  /** What the document is, for messages: `baseline`, `outcome`, `configuration`. */
  readonly what: string;
  /** The stable code of the error. */
  readonly code: `RUNCERT_${string}`;
  /** Where it was read from: a path, or `<stdin>`. */
  readonly place: string;
  readonly remedy?: string;
}

/**
 * Reads a JSON text and checks it against a schema.
 * @example const baseline = readDocument(Baseline, text, { what: 'baseline', code: 'RUNCERT_BASELINE', place: path });
 */
export function readDocument<Schema extends TSchema>(
  schema: Schema,
  text: string,
  words: DocumentWords,
): Static<Schema> {
  return checkDocument(schema, parseJson(text, words), words);
}

/** Checks a value that is JSON already. TypeBox stops at eight mistakes, which is as many as one message bears. */
export function checkDocument<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
  words: DocumentWords,
): Static<Schema> {
  if (Value.Check(schema, value)) return value as Static<Schema>;
  const mistakes = [
    ...new Set([...Value.Errors(schema, value)].filter((error) => error.keyword !== 'boolean').map(mistake)),
  ];
  throw new RuncertError(words.code, `This is no valid ${words.what}: ${mistakes.join('; ')}.`, words);
}

/** Parses JSON; a syntax error is told with line and column. */
export function parseJson(text: string, words: DocumentWords): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    const at = placeOf(text, firstError(text));
    const plain = said.replace(/ in JSON at position.*$/s, '').replace(/, "[\s\S]*$/, '');
    throw new RuncertError(words.code, `The ${words.what} is not JSON: ${plain}.`, {
      ...words,
      place: `${words.place}:${at}`,
      cause,
    });
  }
}

interface ValueError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

function mistake({ keyword, instancePath, message, params }: ValueError): string {
  const at = instancePath === '' ? 'the document' : instancePath;
  const named = params as {
    allowedValues?: readonly unknown[];
    additionalProperties?: readonly string[];
    requiredProperties?: readonly string[];
  };
  if (keyword === 'enum' && named.allowedValues)
    return `${at} must be one of ${named.allowedValues.map(String).join(', ')}`;
  if (keyword === 'additionalProperties' && named.additionalProperties)
    return `${at} has the unknown member ${named.additionalProperties.map((name) => JSON.stringify(name)).join(', ')}`;
  if (keyword === 'required' && named.requiredProperties) return `${at} lacks ${named.requiredProperties.join(', ')}`;
  return `${at} ${message}`;
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `${line}:${offset - before.lastIndexOf('\n')}`;
}

/** Where JSON stops being JSON. V8 does not always say, so the shortest prefix that no ending could mend is looked for. */
export function firstError(text: string): number {
  let good = 0;
  let bad = text.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (couldGoOn(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return Math.min(good, text.length);
}

function couldGoOn(prefix: string): boolean {
  try {
    JSON.parse(prefix);
    return true;
  } catch (error) {
    return (
      error instanceof Error &&
      /Unexpected end of|Unterminated|^Expected .* at position/.test(error.message) &&
      atItsEnd(prefix, error.message)
    );
  }
}

/** "Expected …" and "Unterminated …" mean a missing rest only where they point at the very end. */
function atItsEnd(prefix: string, message: string): boolean {
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined || message.startsWith('Unterminated') || Number(position) >= prefix.trimEnd().length;
}
