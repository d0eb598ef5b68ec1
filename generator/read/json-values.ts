// A JSON block may hold one value or many, one after the other: each is read with its place.
import type { JsonValue } from '../../common/json.ts';
import { Unreadable } from '../diagnostics.ts';
import type { Place } from '../model.ts';
import type { Block } from './markdown.ts';

export interface PlacedValue {
  readonly value: JsonValue;
  readonly place: Place;
}

export function readJsonValues(block: Block): PlacedValue[] {
  const { text } = block;
  const values: PlacedValue[] = [];
  let at = skipSpace(text, 0);
  while (at < text.length) {
    const end = endOfValue(text, at);
    const piece = text.slice(at, end);
    try {
      values.push({ value: JSON.parse(piece) as JsonValue, place: block.placeAt(at) });
    } catch (error) {
      throw new Unreadable(
        'json-syntax',
        `This is not JSON: ${(error as Error).message.replace(/ in JSON at position.*$/su, '')}.`,
        block.placeAt(at + errorOffset(error as Error, piece)),
        'Correct it; or mark the block ```text if it is not meant as JSON.',
      );
    }
    at = skipSpace(text, end);
    if (text[at] === ',')
      throw new Unreadable(
        'json-syntax',
        'A comma stands between two values.',
        block.placeAt(at),
        'Put the values in [ ], or one after the other without a comma.',
      );
  }
  return values;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/u.test(text[at] as string)) at += 1;
  return at;
}

/** Where the value that begins at `from` ends: at its closing bracket, its quote, or the next space. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '"') {
      for (at += 1; at < text.length && text[at] !== '"' && text[at] !== '\n'; at++) if (text[at] === '\\') at += 1;
      if (depth === 0) return at + 1;
    } else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth <= 0) return at + 1;
    } else if (depth === 0 && (/\s/u.test(char) || char === ',')) return at;
  }
  return text.length;
}

function errorOffset(error: Error, piece: string): number {
  const position = /position (\d+)/u.exec(error.message)?.[1];
  return Math.min(position === undefined ? piece.length - 1 : Number(position), Math.max(0, piece.length - 1));
}
