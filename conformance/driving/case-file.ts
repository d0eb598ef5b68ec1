// A saved case: one stimulus with the clause it breaks, to be played again on any target.
import { readFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/schema';
import { RuncertError } from '../../common/error.ts';

export const CaseFile = Type.Object({
  $schema: Type.Optional(Type.String()),
  case: Type.Literal('runcert'),
  version: Type.Literal(1),
  protocol: Type.String(),
  revision: Type.String(),
  party: Type.Enum(['host', 'runner', 'runtime']),
  clause: Type.String(),
  area: Type.String(),
  /** Seed and index give the stimulus it was shrunk from. */
  seed: Type.Integer(),
  path: Type.Integer({ minimum: 0 }),
  /** Nothing in it can be dropped and the clause still be broken. */
  minimal: Type.Boolean(),
  expected: Type.String(),
  found: Type.String(),
  target: Type.Object({ kind: Type.String(), name: Type.String() }),
  stimulus: Type.Unknown(),
});
export type CaseFile = Static<typeof CaseFile>;

export async function readCase(path: string): Promise<CaseFile> {
  const remedy = 'Saved cases lie in the cases/ folder of a report; `runcert certify` writes them.';
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new RuncertError('RUNCERT_CASE_UNREADABLE', `The case cannot be read: ${(error as Error).message}`, {
      place: path,
      remedy,
      cause: error,
    });
  }
  const [ok, errors] = Compile(CaseFile).Errors(value);
  if (ok) return value as CaseFile;
  const first = errors[0] as { instancePath: string; message: string } | undefined;
  throw new RuncertError(
    'RUNCERT_CASE_INVALID',
    `This is no saved case: ${first?.instancePath ?? ''} ${first?.message ?? ''}`.trim(),
    { place: path, remedy },
  );
}
