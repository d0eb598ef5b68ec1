// runcert.config.json: the settings of a run, so that a gate is one word. Flags on the command line win.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Static, Type } from 'typebox';
import { checkDocument, parseJson, readDocument } from '../common/document.ts';
import { RuncertError } from '../common/error.ts';
import { isObject, type JsonObject } from '../common/json.ts';
import { FORMATS } from '../reports/format-names.ts';
import { nearest } from './nearest.ts';
import { CONFIG_FILE } from './options.ts';

const words = Type.Array(Type.String({ minLength: 1 }), { minItems: 1 });
const url = Type.String({ pattern: '^wss?://' });
const closed = { additionalProperties: false } as const;

/** One target a run, named as its flag is. Commands are argument lists, never shell strings. */
export const ConfigTarget = Type.Union([
  Type.Object({ reference: Type.Literal(true) }, closed),
  Type.Object({ mutant: Type.String({ minLength: 1, description: 'The reference with one small break.' }) }, closed),
  Type.Object({ module: Type.String({ minLength: 1, description: 'A JS/TS module, relative to this file.' }) }, closed),
  Type.Object({ plugin: words }, closed),
  Type.Object({ pluginListen: url }, closed),
  Type.Object({ runtime: words }, closed),
  Type.Object({ runtimeUrl: url }, closed),
  Type.Object({ host: words }, closed),
  Type.Object({ hostUrl: url }, closed),
  Type.Object({ hostListen: url }, closed),
]);

export const Config = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    party: Type.Optional(Type.Enum(['runner', 'host', 'runtime'], { description: 'Who is under test.' })),
    target: Type.Optional(ConfigTarget),
    env: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*(=[\\s\\S]*)?$' }), {
        description: 'NAME passes a variable on to the child and blots its value out; NAME=VALUE sets it.',
      }),
    ),
    generation: Type.Optional(Type.Enum(['S', 'J', 'A'])),
    seed: Type.Optional(Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 })),
    runs: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Stimuli an area.' })),
    timeLimit: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400, description: 'Seconds.' })),
    grace: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000, description: 'Milliseconds.' })),
    parallel: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
    only: Type.Optional(Type.Array(Type.String(), { description: 'Clause globs.' })),
    skip: Type.Optional(Type.Array(Type.String(), { description: 'Clause globs.' })),
    shard: Type.Optional(Type.String({ pattern: '^[0-9]+/[0-9]+$' })),
    baseline: Type.Optional(Type.String({ minLength: 1, description: 'Known failures, relative to this file.' })),
    previous: Type.Optional(
      Type.String({ minLength: 1, description: 'An earlier outcome.json to compare with, relative to this file.' }),
    ),
    out: Type.Optional(Type.String({ minLength: 1, description: 'The report folder, relative to this file.' })),
    format: Type.Optional(Type.Array(Type.Enum([...FORMATS]))),
    revision: Type.Optional(Type.String({ minLength: 1 })),
  },
  closed,
);
export type Config = Static<typeof Config>;

const PATHS = ['baseline', 'previous', 'out'] as const;

/** Reads a configuration; the paths in it come out absolute. */
export async function readConfig(path: string): Promise<Config> {
  const told = {
    what: 'configuration',
    code: 'RUNCERT_CONFIG',
    place: path,
    remedy: 'Its JSON Schema is schemas/runcert/config.schema.json in the package.',
  } as const;
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw new RuncertError(told.code, `The configuration cannot be read: ${cause.message}.`, { place: path, cause });
  });
  refuseUnknown(parseJson(text, told), path);
  const config = readDocument(Config, text, told);
  const folder = dirname(resolve(path));
  const absolute = Object.fromEntries(
    PATHS.flatMap((name) => (config[name] === undefined ? [] : [[name, resolve(folder, config[name])]])),
  );
  const { target } = config;
  return {
    ...config,
    ...absolute,
    ...(target !== undefined && 'module' in target ? { target: { module: resolve(folder, target.module) } } : {}),
  };
}

/** A misspelt setting is the likeliest mistake; it is told with the nearest name that there is. */
function refuseUnknown(value: unknown, place: string): void {
  if (!isObject(value)) return;
  const known = Object.keys(Config.properties);
  const targets = ConfigTarget.anyOf.flatMap((kind) => Object.keys(kind.properties));
  const check = (names: readonly string[], allowed: readonly string[], where: string): void => {
    const strange = names.find((name) => !allowed.includes(name));
    if (strange === undefined) return;
    const [near] = nearest(strange, allowed);
    throw new RuncertError('RUNCERT_CONFIG', `There is no ${where} ${JSON.stringify(strange)}.`, {
      place,
      remedy:
        near === undefined
          ? `There are ${allowed.filter((name) => name !== '$schema').join(', ')}.`
          : `Did you mean ${JSON.stringify(near)}?`,
    });
  };
  check(Object.keys(value), known, 'setting');
  if (isObject(value['target'])) checkTarget(value['target'], targets, place, check);
}

/** A union's errors speak of every branch; the target that was meant says more. */
function checkTarget(
  target: JsonObject,
  kinds: readonly string[],
  place: string,
  check: (names: readonly string[], allowed: readonly string[], where: string) => void,
): void {
  const names = Object.keys(target);
  check(names, kinds, 'target');
  if (names.length !== 1)
    throw new RuncertError(
      'RUNCERT_CONFIG',
      names.length === 0 ? 'No target is named.' : `Two targets are named: ${names.join(' and ')}.`,
      {
        place,
        remedy: 'Name one target a run.',
      },
    );
  const meant = ConfigTarget.anyOf.find((kind) => names.every((name) => name in kind.properties));
  if (meant !== undefined)
    checkDocument(meant, target, {
      what: 'target',
      code: 'RUNCERT_CONFIG',
      place: `${place}: target`,
      remedy:
        'A command is a list of words: ["python", "main.py"]; a module is a path; the others are ws:// addresses.',
    });
}

const TARGET_FLAGS = [
  'reference',
  'mutant',
  'module',
  'plugin',
  'pluginListen',
  'runtime',
  'runtimeUrl',
  'host',
  'hostUrl',
  'hostListen',
] as const;

export interface Configured<Flags> {
  readonly flags: Flags;
  readonly party: Config['party'];
}

/**
 * The flags of a command with the configuration behind them: what stands on the command line wins, then the file, then the default.
 * A target on the command line replaces the one in the file as a whole.
 */
export async function configured<Flags extends object>(
  command: Command,
  flags: Flags & { readonly config?: string },
): Promise<Configured<Flags>> {
  const path = flags.config ?? (existsSync(CONFIG_FILE) ? join(process.cwd(), CONFIG_FILE) : undefined);
  if (path === undefined) return { flags, party: undefined };
  const { $schema: _, party, target, shard, ...settings } = await readConfig(path);
  const given = (name: string): boolean => command.getOptionValueSource(name) === 'cli';
  const known = new Set(command.options.map((option) => option.attributeName()));
  const named = TARGET_FLAGS.some(given);
  const values = {
    ...settings,
    ...(shard === undefined ? {} : { shard: shardOf(shard, path) }),
    ...(target === undefined || named ? {} : flagsOf(target)),
  };
  const taken = Object.entries(values).filter(
    ([name]) => (name === 'command' ? known.has('plugin') : known.has(name)) && !given(name),
  );
  return { flags: { ...flags, ...Object.fromEntries(taken) }, party: named ? undefined : party };
}

/** A command in the file becomes the flag and the words that would stand behind `--`. */
function flagsOf(target: Static<typeof ConfigTarget>): Record<string, unknown> {
  const [entry] = Object.entries(target);
  if (entry === undefined) return {};
  const [name, value] = entry;
  return Array.isArray(value) ? { [name]: true, command: value } : { [name]: value };
}

function shardOf(text: string, place: string): { index: number; of: number } {
  const [index = 0, of = 0] = text.split('/').map(Number);
  if (index < 1 || index > of)
    throw new RuncertError('RUNCERT_CONFIG', `The shard must be I/N with 1 ≤ I ≤ N, not ${JSON.stringify(text)}.`, {
      place,
      remedy: 'Write "1/4" for the first of four parts.',
    });
  return { index, of };
}
