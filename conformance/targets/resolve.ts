// From what the user named to a target.
import { RuncertError } from '../../common/error.ts';
import { agentRuntimeSeat } from '../agent-runtime/driven/seat.ts';
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
  return externalTarget(seatOf(spec), {
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

/** `--runtime` is a Plugin Runtime, except where an Agent Runtime is to be certified. */
function seatOf({ kind, party }: TargetSpec): SeatRules {
  if (kind === 'plugin' || kind === 'plugin-listen') return pluginSeat();
  if (kind !== 'runtime' && kind !== 'runtime-url') return hostSeat();
  return party === 'runtime' ? agentRuntimeSeat() : runtimeSeat;
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
