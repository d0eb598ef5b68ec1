// The report folder: outcome, evidence and every wanted format, written whole or not at all, and read back with care.
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { checkDocument, parseJson } from '../common/document.ts';
import { EXIT, RuncertError } from '../common/error.ts';
import { Outcome } from '../conformance/judging/outcome.ts';
import type { Fact, RecordingHead } from '../conformance/recording/fact.ts';
import { readRecording, recordingText } from '../conformance/recording/file.ts';
import type { Extras, Recording } from './extras.ts';
import type { Format } from './format-names.ts';
import { reporters } from './reporters.ts';
import { slugOf } from './text.ts';

/** The file that holds the outcome in every report folder. */
export const OUTCOME_FILE = 'outcome.json';
/** A recording larger than this is not shown in a report; it stays on disk. */
const SHOWN_RECORDING_BYTES = 8 * 1024 * 1024;
const OUTCOME_LIMIT = 64 * 1024 * 1024;

export const casePath = (clause: string): string => `cases/${slugOf(clause)}.json`;
export const recordingPath = (clause: string): string => `recordings/${slugOf(clause)}.ndjson`;

export interface Written {
  readonly format: Format | 'outcome' | 'evidence';
  readonly path: string;
}

/**
 * Writes the report folder: `outcome.json`, the evidence in `extras` (recordings and cases), and the formats.
 * @example await writeReports('runcert-report', outcome, ['html', 'junit'], { recordings, cases });
 */
export async function writeReports(
  dir: string,
  outcome: Outcome,
  formats: readonly Format[],
  extras: Extras = {},
): Promise<Written[]> {
  const told: Extras = { folder: dir, ...extras };
  const files: [Written['format'], string, string][] = [
    ['outcome', OUTCOME_FILE, reporters.json.report(outcome, told)],
    ...Object.entries(extras.cases ?? {}).map(([path, value]): [Written['format'], string, string] => [
      'evidence',
      path,
      `${JSON.stringify(value, null, 2)}\n`,
    ]),
    ...Object.entries(extras.recordings ?? {}).flatMap(
      ([path, { head, facts }]): [Written['format'], string, string][] =>
        head === undefined ? [] : [['evidence', path, recordingText(head, facts)]],
    ),
    ...formats
      .filter((format) => format !== 'json')
      .map((format): [Written['format'], string, string] => [
        format,
        reporters[format].file,
        reporters[format].report(outcome, told),
      ]),
  ];
  for (const [, path] of files) insideOf(dir, path);
  const written: Written[] = [];
  for (const [format, path, text] of files) {
    await writeWhole(join(dir, path), text);
    written.push({ format, path: join(dir, path) });
  }
  return written;
}

export interface ReportFolder {
  readonly dir: string;
  readonly outcome: Outcome;
  readonly extras: Pick<Extras, 'recordings' | 'cases'>;
}

/** Reads an outcome and the evidence beside it. `path` is the folder or its outcome.json. */
export async function readReportFolder(path: string): Promise<ReportFolder> {
  const file = (await isFolder(path)) ? join(path, OUTCOME_FILE) : path;
  const outcome = await readOutcome(file);
  const dir = dirname(file);
  const recordings: Record<string, Recording> = {};
  const cases: Record<string, unknown> = {};
  for (const result of outcome.clauses) {
    if (result.verdict !== 'fail') continue;
    if (result.recording !== undefined) {
      const recording = await readEvidence(dir, result.recording, readFacts);
      if (recording !== undefined) recordings[result.recording] = recording;
    }
    if (result.case !== undefined) {
      const saved = await readEvidence(
        dir,
        result.case,
        async (at) => JSON.parse(await readFile(at, 'utf8')) as unknown,
      );
      if (saved !== undefined) cases[result.case] = saved;
    }
  }
  return { dir, outcome, extras: { recordings, cases } };
}

/** Reads and checks one outcome.json. */
export async function readOutcome(path: string): Promise<Outcome> {
  const words = {
    what: 'outcome',
    code: 'RUNCERT_OUTCOME',
    place: path,
    remedy: 'Give an outcome.json that `runcert certify` or `runcert judge` wrote.',
  } as const;
  let text: string;
  try {
    const { size } = await lstat(path);
    if (size > OUTCOME_LIMIT) throw new Error(`it has ${size} bytes, more than ${OUTCOME_LIMIT}`);
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new RuncertError(words.code, `The outcome cannot be read: ${reasonOf(cause)}.`, { ...words, cause });
  }
  return checkDocument(Outcome, parseJson(text, words), words);
}

/** Writes a file so that a reader sees the old one or the new one, never a half. */
export async function writeWhole(path: string, text: string | Uint8Array, mode?: number): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, text, mode === undefined ? {} : { mode });
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw new RuncertError('RUNCERT_CANNOT_WRITE', `The file cannot be written: ${reasonOf(cause)}.`, {
      place: path,
      remedy: 'Is there room on the disk, and may this user write there?',
      exit: EXIT.inconclusive,
      cause,
    });
  }
}

/** The absolute path of something in a folder; a path that leaves the folder is refused. */
export function insideOf(dir: string, path: string): string {
  const root = resolve(dir);
  const whole = resolve(root, path);
  if (path === '' || path.includes('\0') || whole === root || !whole.startsWith(root + sep)) {
    throw new RuncertError('RUNCERT_PATH_OUTSIDE', `${JSON.stringify(path)} does not stay inside the report folder.`, {
      place: dir,
    });
  }
  return whole;
}

/** Evidence that is missing, broken or lies elsewhere is left out: the outcome stands without it. */
async function readEvidence<T>(dir: string, path: string, read: (path: string) => Promise<T>): Promise<T | undefined> {
  try {
    const whole = insideOf(dir, path);
    const real = await realpath(whole);
    if (relative(await realpath(dir), real).startsWith('..')) return undefined;
    const { size } = await lstat(real);
    return size > SHOWN_RECORDING_BYTES ? undefined : await read(real);
  } catch {
    return undefined;
  }
}

async function readFacts(path: string): Promise<Recording> {
  const facts: Fact[] = [];
  let first: RecordingHead | undefined;
  for await (const { head, facts: some } of readRecording(path)) {
    first ??= head;
    facts.push(...some);
  }
  return first === undefined ? { facts } : { head: first, facts };
}

async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
