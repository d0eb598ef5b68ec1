// The gate: what the baseline excuses, and what has changed since an earlier outcome.
import { readFile } from 'node:fs/promises';
import { RuncertError } from '../common/error.ts';
import {
  applyBaseline,
  type Baseline,
  EMPTY_BASELINE,
  readBaseline,
  updateBaseline,
  writeBaseline,
} from '../conformance/judging/baseline.ts';
import type { Outcome } from '../conformance/judging/outcome.ts';
import { readOutcome, writeWhole } from '../reports/folder.ts';

export interface GateFlags {
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly previous?: string;
}

export interface Gate {
  /** The outcome as the baseline sees it today; with `--update-baseline` the file is written first. */
  readonly judge: (outcome: Outcome) => Promise<Outcome>;
  /** The outcome to compare with. */
  readonly previous?: Outcome;
}

/** Reads what the gate needs before anything is driven, so that a wrong path costs no run. */
export async function gateOf({ baseline: path, updateBaseline: update, previous }: GateFlags): Promise<Gate> {
  const before = previous === undefined ? {} : { previous: await readOutcome(previous) };
  if (path === undefined) {
    if (update)
      throw new RuncertError('RUNCERT_USAGE', '--update-baseline needs a file.', {
        remedy: 'Name it with --baseline FILE.',
      });
    return { ...before, judge: async (outcome) => outcome };
  }
  // A run of both parties is judged twice: what the first adds must not be lost by the second.
  let baseline = await read(path, update ?? false);
  return {
    ...before,
    judge: async (outcome) => {
      const today = new Date().toISOString().slice(0, 10);
      if (update) {
        baseline = updateBaseline(outcome, baseline, today);
        await writeWhole(path, writeBaseline(baseline));
      }
      return applyBaseline(outcome, baseline, today);
    },
  };
}

/** A baseline that is to be written need not be there yet. */
async function read(path: string, mayBeNew: boolean): Promise<Baseline> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && mayBeNew) return undefined;
    throw new RuncertError('RUNCERT_BASELINE', `The baseline cannot be read: ${error.message}`, {
      place: path,
      remedy: 'Make one with --update-baseline.',
      cause: error,
    });
  });
  return text === undefined ? EMPTY_BASELINE : readBaseline(text, path);
}
