// clauses.yaml → clauses, each checked for what every clause must have. The place of a mistake is its line in the file.
import { LineCounter, parseDocument, type Node as YamlNode } from 'yaml';
import { type Diagnostic, Unreadable } from '../diagnostics.ts';
import type { Place } from '../model.ts';
import { decodeDocument } from './document-text.ts';
import { readPlainList } from './plain-yaml.ts';

export interface ClauseEntry {
  readonly id: string;
  readonly section: string;
  readonly level: 'MUST' | 'SHOULD' | 'MAY';
  readonly party: string;
  readonly area: string;
  readonly text: string;
  readonly source: string;
  readonly why?: string;
  readonly how?: string;
  readonly unjudged?: string;
  readonly requires?: readonly string[];
  readonly after?: readonly string[];
}

export interface ClauseFile {
  readonly clauses: readonly ClauseEntry[];
  /** The place of each clause, by id. */
  readonly places: ReadonlyMap<string, Place>;
  readonly diagnostics: readonly Diagnostic[];
}

const TEXTS = ['id', 'section', 'level', 'party', 'area', 'text', 'source'] as const;
const MORE = ['why', 'how', 'unjudged'] as const;
const LISTS = ['requires', 'after'] as const;
const PARTIES = ['host', 'runtime', 'runner', 'sdk'];

export function readClauses(file: string, bytes: Uint8Array): ClauseFile {
  const diagnostics: Diagnostic[] = [];
  const places = new Map<string, Place>();
  const clauses: ClauseEntry[] = [];
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col), section: '' };
  };
  const wrong = (place: Place, message: string, remedy: string): void =>
    void diagnostics.push({ severity: 'error', code: 'clause', message, place, remedy });

  let source: string;
  try {
    source = decodeDocument(file, bytes).text;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { clauses, places, diagnostics: [error.diagnostic] };
  }
  const items =
    readPlainList(source, 'clauses')?.map(({ value, line, column }) => ({
      value: value as unknown,
      place: { file, line, column, section: '' },
    })) ?? wholeYaml(source);
  for (const { value, place } of items) {
    const entry = readEntry(value, (message, remedy) => wrong(place, message, remedy));
    if (entry === undefined) continue;
    const earlier = places.get(entry.id);
    if (earlier !== undefined)
      wrong(place, `The clause ${entry.id} stands already in line ${earlier.line}.`, 'An id is never used twice.');
    places.set(entry.id, place);
    clauses.push(entry);
  }
  for (const clause of clauses) {
    for (const before of clause.after ?? []) {
      if (!places.has(before))
        wrong(
          places.get(clause.id) as Place,
          `${clause.id} comes after ${before}, which is no clause.`,
          'Correct the id.',
        );
    }
  }
  return { clauses, places, diagnostics };

  function wholeYaml(text: string): { value: unknown; place: Place }[] {
    const document = parseDocument(text, { lineCounter: lines, schema: 'failsafe', prettyErrors: false });
    for (const error of document.errors) {
      const message = (error.message.split('\n')[0] ?? '').replace(/ at line \d+.*$/u, '');
      diagnostics.push({
        severity: 'error',
        code: 'yaml',
        message,
        place: at(error.pos[0]),
        remedy: 'Correct the YAML.',
      });
    }
    if (document.errors.length > 0) return [];
    const list = document.get('clauses');
    if (list === null || typeof list !== 'object' || !('items' in list)) {
      wrong(at(0), 'There is no list "clauses" in this file.', 'Begin it with `clauses:` and one entry a duty.');
      return [];
    }
    return (list.items as YamlNode[]).map((node) => ({
      value: node.toJS(document) as unknown,
      place: at(node.range?.[0] ?? 0),
    }));
  }
}

function readEntry(value: unknown, wrong: (message: string, remedy: string) => void): ClauseEntry | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    wrong('This entry is not a clause.', 'Give it id, section, level, party, area, text and source.');
    return undefined;
  }
  const given = value as Record<string, unknown>;
  const name = typeof given['id'] === 'string' ? given['id'] : 'this clause';
  const before = { count: 0 };
  const fail = (message: string, remedy: string): void => {
    before.count += 1;
    wrong(message, remedy);
  };
  for (const key of TEXTS)
    if (typeof given[key] !== 'string' || given[key] === '')
      fail(`${name} has no ${key}, or it is not text.`, `Add \`${key}:\`.`);
  for (const key of MORE)
    if (given[key] !== undefined && (typeof given[key] !== 'string' || given[key] === ''))
      fail(`${key} of ${name} is empty or not text.`, 'Say it, or leave the key out.');
  for (const key of LISTS) {
    const items = given[key];
    if (items !== undefined && !(Array.isArray(items) && items.every((item) => typeof item === 'string')))
      fail(`${key} of ${name} is not a list of texts.`, `Write ${key}: [a, b].`);
  }
  const unknown = Object.keys(given).filter(
    (key) => ![...TEXTS, ...MORE, ...LISTS].includes(key as (typeof TEXTS)[number]),
  );
  if (unknown.length > 0)
    fail(
      `${name} has ${unknown.map((key) => `"${key}"`).join(', ')}, which no clause has.`,
      `A clause has ${[...TEXTS, ...MORE, ...LISTS].join(', ')}.`,
    );
  if (before.count > 0) return undefined;
  if (!['MUST', 'SHOULD', 'MAY'].includes(given['level'] as string))
    fail(`The level "${given['level']}" of ${name} is not a level.`, 'Use MUST, SHOULD or MAY.');
  if (!PARTIES.includes(given['party'] as string))
    fail(`"${given['party']}" of ${name} is not a party.`, `Use ${PARTIES.join(', ')}.`);
  if ((given['how'] === undefined) === (given['unjudged'] === undefined))
    fail(`${name} must say how it is judged, or why it cannot be; one of the two.`, 'Give `how:` or `unjudged:`.');
  if (before.count > 0) return undefined;
  const keep = [...TEXTS, ...MORE, ...LISTS].filter((key) => given[key] !== undefined);
  return Object.fromEntries(
    keep.map((key) => [key, typeof given[key] === 'string' ? given[key].trim().replace(/\s+/gu, ' ') : given[key]]),
  ) as unknown as ClauseEntry;
}
