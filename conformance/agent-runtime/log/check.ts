// `runtime check` as a function: a log in, an outcome out.
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { RuncertError } from '../../../common/error.ts';
import { isObject } from '../../../common/json.ts';
import { clauses } from '../../../schemas/agent-runtime/0.3.9/clauses.ts';
import type { Outcome } from '../../judging/outcome.ts';
import { Tally } from '../../judging/tally.ts';
import { countUp, overall, verdicts } from '../../judging/verdict.ts';
import { catalogue, PROTOCOL, REVISION } from '../catalogue.ts';
import { REMEMBERED } from '../intake/identity.ts';
import type { Page } from '../judges/book.ts';
import { Inspection } from '../judges/inspection.ts';
import { LogFile, type LogReading, readLog } from './read.ts';

export interface CheckOptions {
  readonly version: string;
  /** Which clauses to judge. */
  readonly wanted?: (clause: string) => boolean;
}

export interface Checked {
  readonly outcome: Outcome;
  readonly reading: LogReading;
}

export async function checkLog(path: string, options: CheckOptions): Promise<Checked> {
  const seekable = (await stat(path).catch(() => undefined))?.isFile() ?? false;
  const file = seekable ? new LogFile(path) : undefined;
  try {
    const inspection = new Inspection({ recall: file?.recall ?? (() => undefined) });
    let strangers = 0;
    const reading = await readLog(path, {
      take: (json, line, offset, bytes) => {
        if (!isObject(json)) strangers++;
        inspection.take(json, line, bytes, offset);
      },
      hole: () => inspection.hole(),
    });
    mustBeEvents(reading, inspection, path);
    inspection.end();
    return { outcome: outcomeOf(path, inspection, reading, strangers, options), reading };
  } finally {
    file?.close();
  }
}

export const isEmpty = ({ lines, blank }: LogReading): boolean => lines === blank;

/** A file in which no line is an event is something else. */
export function mustBeEvents(reading: LogReading, inspection: Pick<Inspection, 'named'>, path: string): void {
  if (isEmpty(reading) || inspection.named > 0) return;
  const flaw = reading.flaws[0] ?? reading.torn;
  throw new RuncertError(
    'RUNCERT_LOG_KIND',
    flaw === undefined
      ? 'No line is an event: none has a type or an event_id.'
      : `No line is an event. The first that cannot be read: ${flaw.message}.`,
    {
      place: `${path}:${flaw?.line ?? 1}${flaw?.column === undefined ? '' : `:${flaw.column}`}`,
      remedy: `A log has one event a line, as JSON: {"type": …, "event_id": …, "timestamp": …}.${flaw === undefined ? '' : ' JSON that is written over several lines becomes one by: jq -c . FILE'}`,
    },
  );
}

function outcomeOf(
  path: string,
  inspection: Inspection,
  reading: LogReading,
  strangers: number,
  options: CheckOptions,
): Outcome {
  const chosen = clauses.filter(({ id }) => options.wanted?.(id) ?? true);
  const traits = traitsOf(inspection);
  const tally = tallyOf(inspection.book.pages.values());
  const results = verdicts({ clauses: chosen, traits, tally }).map((result) =>
    result.verdict === 'not-exercised' && reading.objects > 0
      ? { ...result, verdict: 'not-applicable' as const, reason: 'nothing in this log could have broken it' }
      : result.verdict === 'not-applicable'
        ? { ...result, reason: 'nothing in this log could have broken it' }
        : result,
  );
  const unjudged = chosen.flatMap(({ id, unjudged: reason }) => (reason === undefined ? [] : [{ id, reason }]));
  return {
    version: 1,
    runcert: options.version,
    protocol: PROTOCOL,
    revision: REVISION,
    party: 'runtime',
    target: {
      kind: 'log',
      name: basename(path),
      declared: { events: inspection.events, bytes: reading.bytes },
      traits,
    },
    seed: 0,
    options: { judged: 'log' },
    ...withHoles(overall(results, 0), reading, strangers),
    clauses: results,
    unjudged,
    notes: notesOf(inspection, reading, strangers),
    stale: [],
    counts: countUp(results, unjudged.length, inspection.events),
    timing: {},
  };
}

/** A log with a hole is judged as far as it is sound, and is never called conformant. */
function withHoles(
  found: Pick<Outcome, 'verdict' | 'reason'>,
  reading: LogReading,
  strangers: number,
): Pick<Outcome, 'verdict' | 'reason'> {
  if (isEmpty(reading)) return { verdict: 'inconclusive', reason: 'the log is empty' };
  if (found.verdict !== 'conformant') return found;
  const holes = reading.flawCount + strangers;
  if (holes === 0) return found;
  const first = reading.flaws[0];
  return {
    verdict: 'inconclusive',
    reason: `${holes} line${holes === 1 ? ' is' : 's are'} no event${first === undefined ? '' : ` (the first: line ${first.line})`}; what is sound was judged`,
  };
}

/** What the log shows that its runtime does. */
function traitsOf({ types, vendorTypes, sawMode, gaps }: Inspection): string[] {
  const traits = new Set<string>();
  for (const type of types.keys()) {
    const known = catalogue.get(type);
    if (known === undefined) continue;
    traits.add(`family:${known.family}`);
    traits.add(`uses:${type}`);
  }
  if (vendorTypes > 0) traits.add('uses:vendor-types');
  if (gaps > 0) traits.add('uses:sequence-gap');
  if (sawMode) traits.add('uses:permission-mode');
  return [...traits].sort();
}

/** Findings of a log, counted as the common engine counts them. Proofs are line numbers. */
function tallyOf(pages: Iterable<Page>): Tally {
  const tally = new Tally();
  tally.cases = 1;
  for (const page of pages) {
    const counted = tally.of(page.clause);
    counted.occasions = page.occasions;
    counted.violations = page.violations;
    counted.open = page.open;
    counted.openReason = page.openReason;
    const first = page.first[0];
    if (first !== undefined) {
      const finding = { kind: 'broken' as const, facts: first.places, expected: first.expected, found: first.found };
      counted.first = { case: 'log', area: 'log', index: 0, finding };
    }
  }
  return tally;
}

function notesOf(inspection: Inspection, reading: LogReading, strangers: number): Outcome['notes'] {
  const notes: Outcome['notes'] = [];
  for (const { line, column, message } of reading.flaws.slice(0, 20)) {
    notes.push({
      kind: 'broken-line',
      text: `line ${line}${column === undefined ? '' : `, column ${column}`}: ${message}`,
    });
  }
  if (reading.flawCount > 20)
    notes.push({ kind: 'broken-line', text: 'more lines that are no JSON', count: reading.flawCount - 20 });
  if (reading.torn !== undefined)
    notes.push({
      kind: 'torn-line',
      text: `line ${reading.torn.line}: the last line is cut off (${reading.torn.message}); all before it was judged`,
    });
  if (strangers > 0) notes.push({ kind: 'no-object', text: 'lines that are JSON and no object', count: strangers });
  if (inspection.repeats > 0)
    notes.push({ kind: 'repeated', text: 'events delivered again, with the same content', count: inspection.repeats });
  if (inspection.gaps > 0)
    notes.push({
      kind: 'gap',
      text: 'gaps in the sequence; what rests on the missing events is left undecided',
      count: inspection.gaps,
    });
  if (inspection.events > REMEMBERED)
    notes.push({
      kind: 'id-window',
      text: `an event_id is compared with those of the last ${REMEMBERED} events, not with all of the log`,
    });
  if (inspection.late > 0)
    notes.push({ kind: 'late', text: 'events that came too late to be put in order', count: inspection.late });
  for (const [type, { count }] of [...inspection.types].filter(([, { known }]) => !known).slice(0, 20)) {
    notes.push({ kind: 'vendor-type', text: type === '' ? '(no type)' : type, count });
  }
  return notes;
}
