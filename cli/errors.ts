// Words for errors: a user's mistake is told with its place and its remedy, never as a stack trace.
import { EXIT, type ExitCode, RuncertError } from '../common/error.ts';

/** Prints the error on stderr and gives the exit code it means. */
export function explainError(error: unknown): ExitCode {
  if (error instanceof RuncertError) {
    const place = error.place === undefined ? '' : `${error.place}: `;
    process.stderr.write(`runcert: ${place}${error.message} [${error.code}]\n`);
    if (error.remedy !== undefined) process.stderr.write(`  → ${error.remedy}\n`);
    return error.exit;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`runcert: this is a fault of Runcert itself, not of your target [RUNCERT_INTERNAL]\n${text}\n`);
  process.stderr.write('  → Please report it with the command you ran and the seed.\n');
  return EXIT.internal;
}
