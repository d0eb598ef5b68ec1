// From flags to a target. One target a run; commands are argument lists behind `--`, never shell strings.
import { RuncertError } from '../common/error.ts';
import { PARTIES, suiteFor } from '../conformance/suites.ts';
import { resolveTarget, type TargetSpec } from '../conformance/targets/resolve.ts';
import type { Target } from '../conformance/targets/target.ts';
import { commandBehindDashes } from './argv.ts';
import { nearest } from './nearest.ts';

export interface TargetFlags {
  readonly reference?: boolean;
  /** The embedded reference with one small break. */
  readonly mutant?: string;
  readonly module?: string;
  readonly plugin?: boolean;
  readonly pluginListen?: string;
  readonly runtime?: boolean;
  readonly runtimeUrl?: string;
  readonly host?: boolean;
  readonly hostUrl?: string;
  readonly hostListen?: string;
  readonly env?: readonly string[];
  readonly generation?: string;
  /** The command behind `--`, where a configuration file names it. */
  readonly command?: readonly string[];
}

export type Party = 'host' | 'runner' | 'runtime';

/** Which party a target's kind stands for; undefined where it could be either (`--module`, the reference). */
export async function partyOf(flags: TargetFlags): Promise<Party | undefined> {
  if (flags.mutant !== undefined) return partyOfMutant(flags.mutant);
  if (flags.host || flags.hostUrl !== undefined || flags.hostListen !== undefined) return 'host';
  if (flags.plugin || flags.pluginListen !== undefined || flags.runtime || flags.runtimeUrl !== undefined)
    return 'runner';
  return undefined;
}

export async function targetOf(flags: TargetFlags, party: Party): Promise<Target> {
  const spec = specOf(flags, party);
  const suite = await suiteFor(party);
  if (spec.kind === 'reference') return suite.reference();
  const meant = await partyOf(flags);
  const agentRuntime = party === 'runtime' && (spec.kind === 'runtime' || spec.kind === 'runtime-url');
  if (meant !== undefined && meant !== party && !agentRuntime) {
    throw usage(
      `--${spec.kind} names a ${meant}, and a ${party} is to be certified.`,
      `Say \`runcert certify ${meant} …\`.`,
    );
  }
  return spec.kind === 'mutant' ? suite.mutants.find(({ id }) => id === spec.id)!.target() : resolveTarget(spec);
}

async function partyOfMutant(id: string): Promise<Party> {
  const names: string[] = [];
  for (const party of PARTIES) {
    const { mutants } = await suiteFor(party);
    if (mutants.some((mutant) => mutant.id === id)) return party;
    names.push(...mutants.map((mutant) => mutant.id));
  }
  const near = nearest(id, names);
  throw usage(
    `There is no mutant ${id}.`,
    `${near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `}\`runcert list mutants\` names them all.`,
  );
}

type Embedded = { readonly kind: 'reference' } | { readonly kind: 'mutant'; readonly id: string };

function specOf(flags: TargetFlags, party: Party): TargetSpec | Embedded {
  const command = commandBehindDashes() ?? flags.command;
  const common = {
    party,
    env: flags.env ?? [],
    ...(flags.generation === undefined ? {} : { generation: flags.generation }),
  };
  const named = [
    flags.mutant !== undefined && { kind: 'mutant' as const, id: flags.mutant },
    flags.module !== undefined && { ...common, kind: 'module' as const, file: flags.module },
    flags.plugin && { ...common, kind: 'plugin' as const, command: need(command, 'plugin') },
    flags.pluginListen !== undefined && {
      ...common,
      kind: 'plugin-listen' as const,
      url: flags.pluginListen,
      ...(command === undefined ? {} : { command }),
    },
    flags.runtime && { ...common, kind: 'runtime' as const, command: need(command, 'runtime') },
    flags.runtimeUrl !== undefined && { ...common, kind: 'runtime-url' as const, url: flags.runtimeUrl },
    flags.host && { ...common, kind: 'host' as const, command: need(command, 'host') },
    flags.hostUrl !== undefined && { ...common, kind: 'host-url' as const, url: flags.hostUrl },
    flags.hostListen !== undefined && {
      ...common,
      kind: 'host-listen' as const,
      url: flags.hostListen,
      ...(command === undefined ? {} : { command }),
    },
  ].filter((spec) => spec !== false && spec !== undefined);
  if (named.length > 1)
    throw usage(
      `Two targets were named: --${named.map(({ kind }) => kind).join(' and --')}.`,
      'Name one target a run.',
    );
  if (named.length === 0 && command !== undefined)
    throw usage(
      'A command stands behind `--`, and nothing says what it is.',
      'Put --plugin, --runtime or --host before the `--`.',
    );
  return named[0] ?? { kind: 'reference' };
}

function need(command: readonly string[] | undefined, flag: string): readonly string[] {
  if (command === undefined || command.length === 0)
    throw usage(`--${flag} needs a command.`, `Put it behind two dashes: --${flag} -- CMD ARG…`);
  return command;
}

const usage = (message: string, remedy: string): RuncertError => new RuncertError('RUNCERT_USAGE', message, { remedy });
