// The one error a user is meant to read: what was wrong, where, and what to do about it.

/** Exit codes, as CONTRACT promises them. */
export const EXIT = { conformant: 0, notConformant: 1, inconclusive: 2, usage: 64, internal: 70 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface ErrorDetails {
  /** What the user can do next, in one sentence. */
  readonly remedy?: string;
  /** Where it happened: `file:line:column`, a frame, a clause. */
  readonly place?: string;
  /** The exit code the CLI ends with; wrong input (64) unless told otherwise. */
  readonly exit?: ExitCode;
  readonly cause?: unknown;
}

/**
 * An expected failure with a stable code.
 * @example throw new RuncertError('RUNCERT_TARGET_HUNG', 'The target did not answer within 5 s.', { remedy: 'Run `runcert doctor` on it.' });
 */
export class RuncertError extends Error {
  readonly code: `RUNCERT_${string}`;
  readonly remedy: string | undefined;
  readonly place: string | undefined;
  readonly exit: ExitCode;

  constructor(code: `RUNCERT_${string}`, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'RuncertError';
    this.code = code;
    this.remedy = details.remedy;
    this.place = details.place;
    this.exit = details.exit ?? EXIT.usage;
  }
}
