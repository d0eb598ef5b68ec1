// What is wrong, or odd, in a document: as data, with its place and what to do about it.
import type { Place } from './model.ts';

export interface Diagnostic {
  readonly severity: 'error' | 'warning' | 'note';
  /** Stable, e.g. `undefined-name`. */
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
  readonly place: Place;
}

export const placeText = (place: Place): string => `${place.file}:${place.line}:${place.column}`;

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some((d) => d.severity === 'error');

const rank = { error: 0, warning: 1, note: 2 } as const;

/** By file, then line, then column, so that a reader walks the document once. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort(
    (a, b) =>
      (a.place.file < b.place.file ? -1 : a.place.file > b.place.file ? 1 : 0) ||
      a.place.line - b.place.line ||
      a.place.column - b.place.column ||
      rank[a.severity] - rank[b.severity],
  );
}

/** One line a diagnostic, as editors and CI logs understand it. */
export function diagnosticText(d: Diagnostic): string {
  const remedy = d.remedy === undefined ? '' : `\n  → ${d.remedy}`;
  return `${placeText(d.place)}: ${d.severity}: ${d.message} [${d.code}]${remedy}`;
}

/** Thrown inside the readers, caught per statement, so that one document shows all its errors at once. */
export class Unreadable extends Error {
  readonly diagnostic: Diagnostic;
  constructor(code: string, message: string, place: Place, remedy?: string) {
    super(message);
    this.diagnostic = { severity: 'error', code, message, place, ...(remedy === undefined ? {} : { remedy }) };
  }
}
