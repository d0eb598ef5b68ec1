// Live progress while driving: one line that is drawn again on a terminal, a plain line an area on a pipe.
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

/** On a pipe each area is told once, when the next begins or the run ends. */
function plain(stream: Terminal): Progress {
  let last: ProgressEvent | undefined;
  const tell = (event: ProgressEvent): void => {
    stream.write(
      `${label(event)}: ${event.done}/${event.total} ${event.phase === 'shrink' ? 'clauses' : 'cases'}, ${plural(event.failures, 'clause')} failing, ${clock(event.elapsedMs)}\n`,
    );
  };
  return {
    update(event) {
      if (last !== undefined && label(last) !== label(event)) tell(last);
      last = event;
    },
    done() {
      if (last !== undefined) tell(last);
      last = undefined;
    },
  };
}

const label = ({ phase, area }: ProgressEvent): string =>
  phase === 'shrink' ? `looking for smallest cases, ${oneLine(area)}` : oneLine(area);

/** The time left: what the limit leaves, or what the pace so far suggests, whichever comes first. */
function remaining({ phase, done, total, elapsedMs, leftMs }: ProgressEvent): string {
  const pace = phase === 'shrink' || done < 10 || done >= total ? undefined : (elapsedMs / done) * (total - done);
  const left = Math.min(pace ?? Number.POSITIVE_INFINITY, leftMs ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(left) ? `, about ${clock(left)} left` : '';
}

function clock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}
