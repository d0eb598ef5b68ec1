// The ways to a target outside of this process: a child's pipes, a socket that we open, a socket that we wait for.
import type { Blotter } from '../recording/blot.ts';
import { connect } from '../wire/connect.ts';
import type { Generation } from '../wire/generation.ts';
import type { CloseReason, Link } from '../wire/link.ts';
import { Listener } from '../wire/listen.ts';
import { StdioLink } from '../wire/stdio.ts';
import { excerpt } from '../wire/text.ts';
import { TargetFailure } from './failure.ts';
import type { Harness } from './target.ts';
import type { Watch } from './watch.ts';

export interface ReachOptions {
  /** The environment of a child, where one is started. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly generation?: Generation;
  readonly blot: Blotter;
  /** Milliseconds until the target must be reached, and again until it must have shaken hands. */
  readonly startTimeout: number;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly patience?: number;
  readonly token?: string;
  readonly anyAddress?: boolean;
}

export type Way =
  | { readonly by: 'command'; readonly command: readonly string[] }
  | { readonly by: 'url'; readonly url: string }
  /** A command may be started once somebody listens; `{url}` in its environment stands for the address. */
  | { readonly by: 'listen'; readonly url: string; readonly command?: readonly string[] };

/** A link, and what belongs to it. */
export interface Reached {
  readonly link: Link;
  /** Words on how the target ended, for errors: the reason and the end of stderr. */
  epitaph(reason: CloseReason): string;
  /** The end of what a child wrote to stderr, and how much that was in all. */
  stderr?(): { readonly text: string; readonly bytes: number };
  close(): Promise<void>;
}

export async function reach(way: Way, harness: Harness, watch: Watch, options: ReachOptions): Promise<Reached> {
  switch (way.by) {
    case 'command':
      return startChild(way.command, harness, watch, options);
    case 'url':
      return openSocket(way.url, harness, watch, options);
    case 'listen':
      return awaitSocket(way.url, way.command, harness, watch, options);
  }
}

async function startChild(
  command: readonly string[],
  harness: Harness,
  watch: Watch,
  options: ReachOptions,
): Promise<Reached> {
  const link = new StdioLink({
    command,
    env: options.env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.generation === undefined ? {} : { generation: options.generation }),
    ...(options.patience === undefined ? {} : { patience: options.patience }),
  });
  if (link.child.pid === undefined) {
    const error = await link.child.exited;
    throw cannotStart(command, error);
  }
  watch.life('started', { command: [...command].map(options.blot.text) });
  harness.step?.('start', command.join(' '));
  harness.step?.('connect', 'stdio');
  return {
    link,
    epitaph: (reason) => `${reason.message}${tailOf(link, options.blot)}`,
    stderr: () => ({ text: stderrOf(link, options.blot), bytes: link.stderr.bytes }),
    close: () => link.close(),
  };
}

async function openSocket(url: string, harness: Harness, watch: Watch, options: ReachOptions): Promise<Reached> {
  const link = await connect(url, {
    timeout: options.startTimeout,
    ...(options.generation === undefined ? {} : { generation: options.generation }),
    ...(options.token === undefined ? {} : { headers: { Authorization: `Bearer ${options.token}` } }),
    ...(harness.signal === undefined ? {} : { signal: harness.signal }),
  });
  watch.life('connected', { url });
  harness.step?.('connect', url);
  return { link, epitaph: ({ message }) => message, close: () => link.close() };
}

async function awaitSocket(
  url: string,
  command: readonly string[] | undefined,
  harness: Harness,
  watch: Watch,
  options: ReachOptions,
): Promise<Reached> {
  const listener = await Listener.on(url, {
    ...(options.generation === undefined ? {} : { generation: options.generation }),
    ...(options.token === undefined ? {} : { token: options.token, tokenHeaders: TOKEN_HEADERS, lateToken: true }),
    ...(options.anyAddress === undefined ? {} : { anyAddress: options.anyAddress }),
    refused: (why) => watch.fault('RUNCERT_WIRE_CONNECTION', `a connection was refused: ${why}`),
  });
  harness.step?.('start', `listening on ${listener.url}`);
  // A port that was picked is known only now.
  const env = Object.fromEntries(
    Object.entries(options.env).map(([name, value]) => [name, value.replaceAll('{url}', listener.url)]),
  );
  const child =
    command === undefined
      ? undefined
      : new StdioLink({ command, env, ...(options.cwd === undefined ? {} : { cwd: options.cwd }) });
  const closeAll = async (): Promise<void> => {
    await listener.close();
    await child?.close();
  };
  const dead = child?.child.exited.then((state) => state);
  child?.open({ message: () => {}, close: () => {} });
  const link = await Promise.race([
    listener.accept(options.startTimeout, harness.signal),
    ...(dead === undefined ? [] : [dead]),
  ]);
  if (link === undefined || !('send' in link)) {
    const ended = link === undefined ? undefined : link;
    const came =
      ended === undefined
        ? `nobody connected within ${options.startTimeout} ms`
        : 'the command ended before it connected';
    const stderr = child === undefined ? '' : tailOf(child, options.blot);
    await closeAll();
    if (ended instanceof Error && command !== undefined) throw cannotStart(command, ended);
    throw new TargetFailure('RUNCERT_TARGET_CONNECT', 'connect', {
      expected: `a WebSocket connection to ${listener.url}`,
      came: `${came}${stderr}`,
      remedy: `Start the target with this address (the SDK reads DEBUG_RUNTIME_WS_URL=${listener.url}).`,
    });
  }
  watch.life('connected', { url: listener.url });
  harness.step?.('connect', listener.url);
  return {
    link,
    epitaph: (reason) => (child === undefined ? reason.message : `${reason.message}${tailOf(child, options.blot)}`),
    close: async () => {
      await link.close();
      await closeAll();
    },
  };
}

/** Where SDK plugins put their key. */
const TOKEN_HEADERS = ['X-LangBot-Plugin-Debug-Key', 'X-LangBot-Plugin-Runtime-Token'];

function cannotStart(command: readonly string[], error: unknown): TargetFailure {
  const why = error instanceof Error ? error.message : 'it ended at once';
  const missing = (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
  return new TargetFailure('RUNCERT_TARGET_START', 'start', {
    expected: `the program ${command[0]} to start`,
    came: missing ? `there is no such program (${why})` : why,
    remedy:
      'Check its name, its path and that the file may be executed. The command is an argument list: no shell, no pipes, no $VARIABLES.',
    cause: error,
  });
}

/** Blotted before it is cut: a secret that is cut in two would stay. */
const STDERR_KEPT = 8192;
const stderrOf = ({ stderr }: StdioLink, blot: Blotter): string => blot.text(stderr.text).slice(-STDERR_KEPT);

export const STDERR_TOLD = 'the end of its stderr';

/** The last lines of stderr, if there are any. */
function tailOf(link: StdioLink, blot: Blotter): string {
  const text = stderrOf(link, blot).trimEnd();
  if (text === '') return '';
  const lines = text.split('\n').slice(-6);
  return `; ${STDERR_TOLD}:\n    ${lines.map((line) => excerpt(line, 300)).join('\n    ')}`;
}
