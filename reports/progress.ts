// Live progress while driving: one line that is drawn again on a terminal, a plain line for every tenth on a pipe.
import { createColors } from 'picocolors';
import { clip, oneLine } from './text.ts';
import { plural } from './view.ts';

export interface ProgressEvent {
  readonly phase?: 'drive' | 'shrink';
  readonly area: string;
  /** Cases of the whole run. */
  readonly done: number;
  readonly total: number;
  /** Clauses that failed so far. */
  readonly failures: number;
  readonly elapsedMs: number;
  /** What is left of `--time-limit`, where there is one. */
  readonly leftMs?: number;
}

export interface Terminal {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Progress {
  update(event: ProgressEvent): void;
  /** Takes the live line away; call it before anything else is printed. */
  done(): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether lines may be drawn again: a terminal that is one, and no CI that keeps a log. */
export const isLive = (stream: Terminal, env: Environment): boolean =>
  stream.isTTY === true && isOff(env['CI']) && env['TERM'] !== 'dumb';

/** Whether colours may be used. NO_COLOR wins, whatever its value, as no-color.org asks; FORCE_COLOR asks for them on a pipe. */
export const hasColor = (stream: Terminal, env: Environment): boolean => {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  if ((env['FORCE_COLOR'] ?? '') !== '') return env['FORCE_COLOR'] !== '0';
  return isLive(stream, env);
};

const isOff = (value: string | undefined): boolean =>
  value === undefined || value === '' || value === '0' || value === 'false';

const FRAME_MS = 80;
/** The bar gives way to words where the screen is narrow. */
const barOf = (columns: number): number => Math.min(18, Math.floor(columns / 8));

/**
 * @example
 * const progress = progressOn(process.stderr, process.env);
 * progress.update({ area: 'results', done: 12, total: 400, failures: 0, elapsedMs: 300 });
 * progress.done();
 */
export function progressOn(stream: Terminal, env: Environment): Progress {
  return isLive(stream, env) ? live(stream, env) : plain(stream);
}

function live(stream: Terminal, env: Environment): Progress {
  const colors = createColors(hasColor(stream, env));
  let drawnAt = Number.NEGATIVE_INFINITY;
  let drawn = false;
  return {
    update(event) {
      if (event.elapsedMs - drawnAt < FRAME_MS && event.done < event.total) return;
      drawnAt = event.elapsedMs;
      drawn = true;
      const columns = stream.columns ?? 80;
      const width = barOf(columns);
      const full = event.total === 0 ? 0 : Math.min(width, Math.round((event.done / event.total) * width));
      const bar = `${colors.green('━'.repeat(full))}${colors.dim('─'.repeat(width - full))}`;
      const failed = event.failures === 0 ? '' : ` · ${colors.red(`${event.failures} failing`)}`;
      const counts = `${event.done}/${event.total}`;
      const time = `${clock(event.elapsedMs)}${remaining(event)}`;
      const room =
        columns -
        width -
        counts.length -
        time.length -
        (event.failures === 0 ? 0 : String(event.failures).length + 11) -
        10;
      stream.write(
        `\r\u001b[2K ${bar} ${counts} · ${clip(label(event), Math.max(8, room))}${failed} · ${colors.dim(time)}`,
      );
    },
    done() {
      if (drawn) stream.write('\r\u001b[2K');
      drawn = false;
    },
  };
}

/** On a pipe every tenth of the cases is told, and every clause whose smallest case is looked for. */
function plain(stream: Terminal): Progress {
  let told = 0;
  const tell = (event: ProgressEvent): void => {
    const { phase, done, total, failures, elapsedMs } = event;
    if (phase === 'shrink') stream.write(`${label(event)}, ${done + 1} of ${total}, ${clock(elapsedMs)}\n`);
    else {
      const time = `${clock(elapsedMs)}${remaining(event)}`;
      stream.write(`${done}/${total} cases, ${plural(failures, 'clause')} failing, ${time}\n`);
    }
  };
  return {
    update(event) {
      const tenth = Math.floor((10 * event.done) / Math.max(1, event.total));
      if (event.phase !== 'shrink' && tenth === told) return;
      told = tenth;
      tell(event);
    },
    done() {},
  };
}

const label = ({ phase, area }: ProgressEvent): string =>
  phase === 'shrink' ? `looking for smallest cases, ${oneLine(area)}` : oneLine(area);

/** The time left: what the limit leaves, or what the pace so far suggests, whichever comes first. */
function remaining(event: ProgressEvent): string {
  const left = Math.min(paced(event) ?? Number.POSITIVE_INFINITY, event.leftMs ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(left) ? `, about ${clock(left)} left` : '';
}

/** What is left at the pace so far; the first cases say nothing about it. */
const paced = ({ phase, done, total, elapsedMs }: ProgressEvent): number | undefined =>
  phase === 'shrink' || done < 10 || done >= total ? undefined : (elapsedMs / done) * (total - done);

const LONG_MS = 10 * 60_000;
const ENOUGH_CASES = 30;

/** What to say of a run that will take long and has no limit of time: once, early, with what would shorten it. */
export function longRun(event: ProgressEvent): string | undefined {
  const left = event.done < ENOUGH_CASES || event.leftMs !== undefined ? undefined : paced(event);
  return left === undefined || left < LONG_MS
    ? undefined
    : `At this pace about ${clock(left)} are left. --parallel 4 plays four cases at once, each on a connection of its own; --runs 30 plays fewer an area; --time-limit 600 stops after ten minutes.`;
}

function clock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
  return seconds < 60 ? `${seconds} s` : `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
}
