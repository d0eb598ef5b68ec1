// Lines of a recording, checked: a recording may be anybody's. The error names the line and what is wrong with it.
import { Compile } from 'typebox/schema';
import { RuncertError } from '../../common/error.ts';
import { Fact, RecordingHead } from './fact.ts';

/** @param place where the line stands, `file:line` */
export function headIn(text: string, place: () => string): RecordingHead {
  const { head } = checks();
  const value = parse(text, place);
  if (!head.Check(value)) {
    const remedy = 'The first line must be the head: {"recording": "runcert", "version": 1, …}.';
    throw notA('head', place(), head.Errors(value)[1], remedy);
  }
  return value as RecordingHead;
}

export function factIn(text: string, place: () => string): Fact {
  const { fact } = checks();
  const value = parse(text, place);
  const check = fact.get(kindOf(value));
  if (!check?.Check(value)) {
    const unknown = [{ instancePath: '/fact', message: `must be one of ${[...fact.keys()].join(', ')}` }];
    const remedy = 'Each line after the head is one fact: {"n", "at", "fact", …}.';
    throw notA('fact', place(), check?.Errors(value)[1] ?? unknown, remedy);
  }
  return value as Fact;
}

export const kindOf = (value: unknown): string => String((value as { readonly fact?: unknown } | null)?.fact);

type SchemaErrors = readonly { readonly instancePath: string; readonly message: string }[];
interface Check {
  Check(value: unknown): boolean;
  Errors(value: unknown): readonly [boolean, SchemaErrors];
}
interface Checks {
  readonly head: Check;
  /** One for each kind of fact: the kind says which branch of the union was meant. */
  readonly fact: ReadonlyMap<string, Check>;
}

let compiled: Checks | undefined;
/** Compiled when the first recording is read, and once. */
function checks(): Checks {
  compiled ??= {
    head: Compile(RecordingHead) as Check,
    fact: new Map(Fact.anyOf.map((branch) => [branch.properties.fact.const, Compile(branch) as Check])),
  };
  return compiled;
}

function parse(text: string, place: () => string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RuncertError('RUNCERT_RECORDING_NOT_JSON', `This line is not JSON: ${(error as Error).message}`, {
      place: place(),
      remedy: 'A recording is NDJSON, one object a line. A torn last line can be deleted.',
      cause: error,
    });
  }
}

function notA(what: string, place: string, errors: SchemaErrors, remedy: string): RuncertError {
  const first = errors[0];
  const where = first === undefined || first.instancePath === '' ? '' : ` at ${first.instancePath}`;
  return new RuncertError(
    'RUNCERT_RECORDING_INVALID',
    `This line is no ${what} of a recording${where}: ${first?.message ?? 'it has another shape'}.`,
    { place, remedy },
  );
}
