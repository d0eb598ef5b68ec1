// An outcome on the terminal: on stdout for a person, or as JSON and nothing else.
import type { Outcome } from '../conformance/judging/outcome.ts';
import type { Extras } from '../reports/extras.ts';
import { hasColor } from '../reports/progress.ts';
import { terminal } from '../reports/terminal.ts';

/** Prints the summary; `json` leaves stdout to the JSON, so the summary goes to stderr then. */
export function showOutcome(outcome: Outcome, { json, ...extras }: Extras & { readonly json: boolean }): void {
  const stream = json ? process.stderr : process.stdout;
  const { columns, rows, isTTY } = stream;
  const screen = isTTY ? { columns, rows } : {};
  stream.write(terminal(outcome, { ...extras, terminal: { color: hasColor(stream, process.env), ...screen } }));
}

export const printJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
