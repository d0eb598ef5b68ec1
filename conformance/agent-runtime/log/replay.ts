// `runtime replay` as a function: a log in, read models out, at any event of it.
import { stat } from 'node:fs/promises';
import { RuncertError } from '../../../common/error.ts';
import { PROTOCOL, REVISION } from '../catalogue.ts';
import { readModels } from '../models/all.ts';
import type { ReadModel } from '../models/model.ts';
import { Replay, type ReplayCounts, type Shown } from '../replay.ts';
import { mustBeEvents } from './check.ts';
import { type Flaw, LogFile, type LogReading, readLog } from './read.ts';

export interface ReplayLogOptions {
  /** The name of one model, or the beginning of it. */
  readonly model?: string;
  /** Stop after so many events. */
  readonly at?: number;
  /** Only this session; it is held however many others come. */
  readonly session?: string;
  /** How many sessions to hold. */
  readonly sessions?: number;
  /** The log goes on: what was going on at its end still does. */
  readonly live?: boolean;
}

export interface Replayed {
  readonly protocol: string;
  readonly revision: string;
  readonly at: number;
  readonly log: ReplayCounts & {
    readonly lines: number;
    readonly broken_lines: readonly Flaw[];
    readonly torn_line: Flaw | null;
  };
  readonly sessions: readonly Shown[];
}

export async function replayLog(path: string, options: ReplayLogOptions = {}): Promise<Replayed> {
  const models = modelsFor(options.model);
  const seekable = (await stat(path).catch(() => undefined))?.isFile() ?? false;
  const file = seekable ? new LogFile(path) : undefined;
  try {
    const replay = new Replay({
      models,
      recall: file?.recall ?? (() => undefined),
      ...(options.sessions === undefined ? {} : { sessions: options.sessions }),
      ...(options.session === undefined ? {} : { keep: options.session }),
    });
    const most = options.at ?? Number.POSITIVE_INFINITY;
    const reading = await readLog(path, {
      take: (json, _, offset) => replay.take(json, offset),
      hole: () => replay.hole(),
      stop: () => replay.events >= most,
    });
    mustBeEvents(reading, { named: replay.named }, path);
    if (options.at !== undefined && replay.events < options.at) {
      throw new RuncertError('RUNCERT_USAGE', `The log has ${replay.events} events; there is no event ${options.at}.`, {
        place: path,
        remedy: 'Name an event of the log with --at.',
      });
    }
    const ended = !(options.live ?? false) && options.at === undefined;
    const sessions = replay.show({ ended, ...(options.session === undefined ? {} : { session: options.session }) });
    if (options.session !== undefined && sessions.length === 0) {
      throw new RuncertError('RUNCERT_USAGE', `No event of the log is of session "${options.session}".`, {
        place: path,
        remedy: 'Name a session_id of the log with --session.',
      });
    }
    return {
      protocol: PROTOCOL,
      revision: REVISION,
      at: replay.events,
      log: { ...replay.counts(), ...told(reading) },
      sessions,
    };
  } finally {
    file?.close();
  }
}

const told = (reading: LogReading) => ({
  lines: reading.lines,
  broken_lines: reading.flaws,
  torn_line: reading.torn ?? null,
});

/** The one model whose name is this or begins with it; all of them when none is named. */
export function modelsFor(name: string | undefined): readonly ReadModel[] {
  if (name === undefined) return readModels;
  const exact = readModels.filter((model) => model.name === name);
  const found = exact.length > 0 ? exact : readModels.filter((model) => model.name.startsWith(name));
  if (found.length === 1) return found;
  throw new RuncertError(
    'RUNCERT_USAGE',
    found.length === 0
      ? `There is no read model "${name}".`
      : `"${name}" is the beginning of ${found.length} read models.`,
    {
      remedy: `The read models are ${readModels.map((model) => model.name).join(', ')}.`,
    },
  );
}
