// From what the user named to a target.
import { RuncertError } from '../../common/error.ts';
import { GENERATIONS, type Generation } from '../wire/generation.ts';
import { childEnvironment } from './environment.ts';
import { externalTarget, type SeatRules } from './external.ts';
import { hostSeat } from './host.ts';
import { moduleTarget } from './module-file.ts';
import { pluginSeat } from './plugin.ts';
import type { Way } from './reach.ts';
import { runtimeSeat } from './runtime.ts';
import type { Target } from './target.ts';

interface Common {
  readonly party?: 'host' | 'runner' | 'runtime';
  /** `NAME` passes a variable on, `NAME=VALUE` sets one. */
  readonly env?: readonly string[];
  readonly generation?: string;
  readonly cwd?: string;
  /** Milliseconds until the target must be reached, and again until it must have shaken hands. */
  readonly startTimeout?: number;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly patience?: number;
  /** What connects must show this; what we connect to is shown it. From the environment or a file, never from arguments. */
  readonly token?: string;
  /** Listen where other machines can reach it; needs a token. */
  readonly anyAddress?: boolean;
  readonly caseBytes?: number;
}

/** A target as the flags of the CLI or a configuration file name it (the reference is the suite's own). */
export type TargetSpec = Common &
  (
    | { readonly kind: 'module'; readonly file: string }
    | { readonly kind: 'plugin' | 'runtime' | 'host'; readonly command: readonly string[] }
    | { readonly kind: 'runtime-url' | 'host-url'; readonly url: string }
    | { readonly kind: 'plugin-listen' | 'host-listen'; readonly url: string; readonly command?: readonly string[] }
  );

/** Every kind of target, with its flags and what it is: for `runcert list targets`. */
export const TARGET_KINDS: readonly { readonly kind: string; readonly flags: string; readonly what: string }[] = [
  { kind: 'reference', flags: '--reference', what: 'the embedded reference, in this process' },
  {
    kind: 'mutant',
    flags: '--mutant ID',
    what: 'the embedded reference with one small break (`runcert list mutants`): what does a failing report look like?',
  },
  { kind: 'module', flags: '--module FILE', what: 'a runner or host written as a JS/TS module, in this process' },
  {
    kind: 'plugin',
    flags: '--plugin -- CMD ARG…',
    what: 'a plugin process on stdio; Runcert plays the Plugin Runtime',
  },
  {
    kind: 'plugin-listen',
    flags: '--plugin-listen ws://127.0.0.1:PORT/…',
    what: 'a plugin process that connects by WebSocket (the SDK’s debug mode)',
  },
  { kind: 'runtime', flags: '--runtime -- CMD ARG…', what: 'a Plugin Runtime on stdio; Runcert plays the Host' },
  { kind: 'runtime-url', flags: '--runtime-url ws://…', what: 'a Plugin Runtime by WebSocket; Runcert plays the Host' },
  { kind: 'host', flags: '--host -- CMD ARG…', what: 'a host on stdio, by the driver contract' },
  { kind: 'host-url', flags: '--host-url ws://…', what: 'a host by WebSocket, by the driver contract' },
  {
    kind: 'host-listen',
    flags: '--host-listen ws://127.0.0.1:PORT/…',
    what: 'a host that connects by WebSocket, by the driver contract',
  },
];

const START_TIMEOUT = 30_000;
/** Where the token of a WebSocket target comes from: never from arguments. */
export const TOKEN_VARIABLE = 'RUNCERT_TOKEN';

/** `outside` is the environment that `--env NAME` reads from. */
export async function resolveTarget(
  spec: TargetSpec,
  outside: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Target> {
  if (spec.kind === 'module') return moduleTarget(spec.file, spec.party);
  const { env, secrets } = childEnvironment(spec.env ?? [], outside);
  const { cwd, patience, anyAddress, caseBytes } = spec;
  // What listens asks for it, and what connects shows it.
  const token = spec.token ?? (wayOf(spec).by === 'command' ? undefined : outside[TOKEN_VARIABLE]);
  const generation = generationOf(spec.generation);
  return externalTarget(seatOf(spec.kind), {
    kind: spec.kind,
    way: wayOf(spec),
    env,
    secrets: token === undefined ? secrets : [...secrets, token],
    startTimeout: spec.startTimeout ?? START_TIMEOUT,
    ...(generation === undefined ? {} : { generation }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(patience === undefined ? {} : { patience }),
    ...(token === undefined ? {} : { token }),
    ...(anyAddress === undefined ? {} : { anyAddress }),
    ...(caseBytes === undefined ? {} : { caseBytes }),
  });
}

function seatOf(kind: TargetSpec['kind']): SeatRules {
  if (kind === 'plugin' || kind === 'plugin-listen') return pluginSeat();
  return kind === 'runtime' || kind === 'runtime-url' ? runtimeSeat : hostSeat();
}

function wayOf(spec: Exclude<TargetSpec, { kind: 'module' }>): Way {
  switch (spec.kind) {
    case 'runtime-url':
    case 'host-url':
      return { by: 'url', url: checkUrl(spec.url, spec.kind) };
    case 'plugin-listen':
    case 'host-listen':
      return { by: 'listen', url: spec.url, ...(spec.command === undefined ? {} : { command: spec.command }) };
    default:
      if (spec.command.length === 0 || spec.command[0] === '')
        throw new RuncertError('RUNCERT_USAGE', `--${spec.kind} needs a command.`, {
          remedy: `Put it behind two dashes: --${spec.kind} -- CMD ARG…`,
        });
      return { by: 'command', command: spec.command };
  }
}

function checkUrl(url: string, kind: string): string {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'ws:' && protocol !== 'wss:')
    throw new RuncertError('RUNCERT_USAGE', `--${kind} ${url} is no WebSocket address.`, {
      remedy: `Write --${kind} ws://HOST:PORT/PATH.`,
    });
  return url;
}

function generationOf(name: string | undefined): Generation | undefined {
  if (name === undefined) return undefined;
  const found = GENERATIONS.find((generation) => generation === name.toUpperCase());
  if (found === undefined)
    throw new RuncertError('RUNCERT_USAGE', `There is no SDK generation ${name}.`, {
      remedy: 'Write --generation S, J or A, or leave it out to have it detected.',
    });
  return found;
}
