// The names of the formats, apart from what makes them: a command line is read before anything heavy is loaded.
import { RuncertError } from '../common/error.ts';

export const FORMATS = ['terminal', 'html', 'junit', 'sarif', 'ctrf', 'markdown', 'github', 'badge', 'json'] as const;
export type Format = (typeof FORMATS)[number];

/** Reads `--format a,b`. */
export function formatsOf(text: string): Format[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return [...new Set(names)].map((name) => {
    if ((FORMATS as readonly string[]).includes(name)) return name as Format;
    throw new RuncertError('RUNCERT_FORMAT', `There is no report format ${JSON.stringify(name)}.`, {
      remedy: `Choose from ${FORMATS.join(', ')}.`,
    });
  });
}
