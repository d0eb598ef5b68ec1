// Why a target could not be opened: at which step, what was expected, what came, what to try.
import { EXIT, RuncertError } from '../../common/error.ts';
import type { Step } from './target.ts';

export interface FailureDetails {
  readonly expected: string;
  readonly came: string;
  readonly remedy: string;
  readonly cause?: unknown;
}

export class TargetFailure extends RuncertError {
  readonly step: Step;
  readonly expected: string;
  readonly came: string;

  constructor(code: `RUNCERT_TARGET_${string}`, step: Step, details: FailureDetails) {
    super(code, `The target failed at the step "${step}". Expected: ${details.expected}. Came: ${details.came}.`, {
      place: step,
      remedy: details.remedy,
      exit: EXIT.inconclusive,
      cause: details.cause,
    });
    this.name = 'TargetFailure';
    this.step = step;
    this.expected = details.expected;
    this.came = details.came;
  }
}
