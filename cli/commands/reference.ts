// `runcert reference`: the reference implementations as real processes, to try targets on and to learn from.
// Frames alone go to stdout; every word for people goes to stderr.
import { Argument, type Command, Option } from 'commander';
import { RuncertError } from '../../common/error.ts';
import type { Link } from '../../conformance/wire/link.ts';
import { list } from '../options.ts';
import { untilInterrupted } from '../signals.ts';

export interface ReferenceFlags {
  readonly stdio?: boolean;
  readonly listen?: string;
  readonly connect?: string;
  readonly storage?: string;
  readonly limit?: readonly string[];
  readonly seat?: string;
}

/** Serves one role on one link; resolves when the link is closed. */
type Serve = (link: Link, flags: ReferenceFlags) => Promise<unknown>;

const roles: Record<string, () => Promise<Serve>> = {
  host: async () => {
    const { serveHost } = await import('../../conformance/agent-runner/reference-host/serve.ts');
    const { realClock } = await import('../../conformance/driving/clock.ts');
    const { DEFAULT_LIMITS } = await import('../../conformance/agent-runner/reference-host/limits.ts');
    return (link, { storage, limit = [] }) =>
      serveHost(link, {
        clock: realClock,
        limits: limitsOf(limit, Object.keys(DEFAULT_LIMITS)),
        ...(storage !== undefined && { storage }),
      }).peer.closed;
  },
  runner: async () => {
    const { serveRunner } = await import('../../conformance/agent-runner/reference-runner/target.ts');
    const { Peer } = await import('../../conformance/wire/peer.ts');
    const { realClock: clock } = await import('../../conformance/driving/clock.ts');
    return (link, { seat }) => {
      const peer = new Peer(link, { clock });
      serveRunner(peer, { clock, seat: seat === 'runtime' ? 'runtime' : 'plugin' });
      return peer.closed;
    };
  },
  runtime: async () => {
    const { serveRuntime } = await import('../../conformance/agent-runtime/reference/serve.ts');
    const { realClock } = await import('../../conformance/driving/clock.ts');
    return (link, { storage }) =>
      serveRuntime(link, { clock: realClock, ...(storage !== undefined && { storage }) }).peer.closed;
  },
};

export default function reference(command: Command): void {
  command
    .addArgument(new Argument('<role>', 'which reference').choices(Object.keys(roles)))
    .option('--stdio', 'talk on stdin and stdout')
    .option('--listen <url>', 'wait for WebSocket connections, e.g. ws://127.0.0.1:5400/')
    .option('--connect <url>', 'connect to a WebSocket server')
    .option('--storage <dir>', 'host: keep the log here, so that it outlives the process (default: in memory)')
    .addOption(
      new Option('--seat <seat>', 'runner: as a plugin, or as a Plugin Runtime with it')
        .choices(['plugin', 'runtime'])
        .default('plugin'),
    )
    .option('--limit <name=n>', 'host: set a limit, e.g. state_value_bytes=4096; repeatable', list)
    .addHelpText(
      'after',
      [
        '\nExamples:',
        '  $ runcert certify host --host -- npx runcert reference host --stdio',
        '  $ runcert reference host --listen ws://127.0.0.1:5400/ --storage ./host-data',
        '  $ runcert certify host --host-url ws://127.0.0.1:5400/',
        '  $ runcert certify runner --plugin -- npx runcert reference runner --stdio',
        '  $ runcert certify runner --runtime -- npx runcert reference runner --stdio --seat runtime',
      ].join('\n'),
    )
    .action(async (role: string, flags: ReferenceFlags) => {
      const ways = [flags.stdio, flags.listen, flags.connect].filter((way) => way !== undefined);
      if (ways.length !== 1)
        throw new RuncertError(
          'RUNCERT_REFERENCE_LINK',
          'A reference needs exactly one of --stdio, --listen, --connect.',
          {
            remedy: `Try: runcert reference ${role} --stdio`,
          },
        );
      const serve = await roles[role]!();
      if (flags.listen !== undefined) await listen(role, flags.listen, serve, flags);
      else await serve(await linkOf(flags), flags);
      // Whatever still waits belongs to a far side that is gone.
      process.exit();
    });
}

async function linkOf({ connect: url }: ReferenceFlags): Promise<Link> {
  if (url === undefined) {
    const { OwnStdioLink } = await import('../../conformance/wire/own-stdio.ts');
    return new OwnStdioLink();
  }
  const { connect } = await import('../../conformance/wire/connect.ts');
  return connect(url);
}

/** One connection after the other, until interrupted. */
async function listen(role: string, url: string, serve: Serve, flags: ReferenceFlags): Promise<void> {
  const { Listener } = await import('../../conformance/wire/listen.ts');
  const { signal, done } = untilInterrupted();
  const listener = await Listener.on(url);
  process.stderr.write(`runcert: the reference ${role} listens on ${listener.url}\n`);
  while (!signal.aborted) {
    const link = await listener.accept(HOUR, signal);
    if (link === undefined) continue;
    await Promise.race([serve(link, flags), new Promise((stop) => signal.addEventListener('abort', stop))]);
  }
  done();
  await listener.close();
}

const HOUR = 3_600_000;

function limitsOf(given: readonly string[], known: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    given.map((each) => {
      const [name = '', value = ''] = each.split('=', 2);
      if (!known.includes(name) || !/^\d+$/.test(value))
        throw new RuncertError('RUNCERT_REFERENCE_LIMIT', `"${each}" is no limit of the reference host.`, {
          remedy: `Write NAME=NUMBER, with a name of: ${known.join(', ')}.`,
        });
      return [name, Number(value)];
    }),
  );
}
