// Verdict → exit code, as CONTRACT promises.
import { EXIT, type ExitCode } from '../common/error.ts';
import type { Outcome } from '../conformance/judging/outcome.ts';

const CODES = {
  conformant: EXIT.conformant,
  'not-conformant': EXIT.notConformant,
  inconclusive: EXIT.inconclusive,
} as const;

export const exitOf = (verdict: Outcome['verdict']): ExitCode => CODES[verdict];

/** Of several: a failure first, then what could not be decided. */
export const worst = (verdicts: readonly Outcome['verdict'][]): Outcome['verdict'] =>
  verdicts.includes('not-conformant')
    ? 'not-conformant'
    : verdicts.includes('inconclusive') || verdicts.length === 0
      ? 'inconclusive'
      : 'conformant';
