// The gate: what the baseline excuses, and what has changed since an earlier outcome.
import { readFile } from 'node:fs/promises';
import { RuncertError } from '../common/error.ts';
import {
  applyBaseline,
  EMPTY_BASELINE,
  readBaseline,
  updateBaseline,
  writeBaseline,
} from '../conformance/judging/baseline.ts';
import type { Outcome } from '../conformance/judging/outcome.ts';
import { writeWhole } from '../reports/folder.ts';

export interface GateFlags {
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly previous?: string;
}

/** The outcome as the baseline sees it today. */
export async function baselined(
  outcome: Outcome,
  { baseline: path, updateBaseline: update }: GateFlags,
): Promise<Outcome> {
  if (path === undefined) {
    if (update)
      throw new RuncertError('RUNCERT_USAGE', '--update-baseline needs a file.', {
        remedy: 'Name it with --baseline FILE.',
      });
    return outcome;
  }
  const today = new Date().toISOString().slice(0, 10);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && update) return undefined;
    throw new RuncertError('RUNCERT_BASELINE', `The baseline cannot be read: ${error.message}`, {
      place: path,
      remedy: 'Make one with --update-baseline.',
      cause: error,
    });
  });
  let baseline = text === undefined ? EMPTY_BASELINE : readBaseline(text, path);
  if (update) {
    baseline = updateBaseline(outcome, baseline, today);
    await writeWhole(path, writeBaseline(baseline));
  }
  return applyBaseline(outcome, baseline, today);
}
