// A target outside of this process: reach it, shake hands for its seat, and end all of it again.
import { blotter } from '../recording/blot.ts';
import type { CloseReason } from '../wire/link.ts';
import type { Answer } from '../wire/peer.ts';
import { Peer } from '../wire/peer.ts';
import { TargetFailure } from './failure.ts';
import { type Reached, type ReachOptions, reach, STDERR_TOLD, type Way } from './reach.ts';
import type { Harness, Session, Step, Target, TargetInfo } from './target.ts';
import { type Watch, watchFor } from './watch.ts';

export interface ExternalOptions extends Omit<ReachOptions, 'blot'> {
  readonly kind: string;
  readonly way: Way;
  readonly secrets: readonly string[];
  /** Bytes that a target may send in one case. */
  readonly caseBytes?: number;
}

/** What a seat needs for its handshake. */
export interface Meeting {
  readonly kind: string;
  readonly peer: Peer;
  readonly harness: Harness;
  readonly startTimeout: number;
  readonly token?: string;
  /** Waits for something that the target does by itself; fails when it ends or time is over first. */
  await<T>(step: Step, what: Promise<T>, expected: string, remedy: string): Promise<T>;
  /** Makes a call that must be answered, with code 0 unless `tolerant`. */
  call(
    step: Step,
    action: string,
    data: Parameters<Peer['call']>[1],
    remedy: string,
    tolerant?: boolean,
  ): Promise<Answer>;
}

/** How a seat shakes hands and what it does between cases. */
export interface SeatRules {
  readonly party: Target['party'];
  /** Sets handlers; called before anything can arrive. */
  meet(meeting: Meeting): Promise<TargetInfo>;
  /** Makes the target as new; false when it must be opened again. */
  reset(peer: Peer, harness: Harness): Promise<boolean>;
}

export function externalTarget(rules: SeatRules, options: ExternalOptions): Target {
  return {
    kind: options.kind,
    party: rules.party,
    time: 'real',
    startable: options.way.by === 'command',
    secrets: options.secrets,
    open: (harness) => open(rules, options, harness),
  };
}

async function open(rules: SeatRules, options: ExternalOptions, harness: Harness): Promise<Session> {
  const blot = blotter(options.secrets);
  let stop = (_why: string): void => {};
  const watch = watchFor(harness, (why) => stop(why), options.caseBytes);
  const reached = await reach(options.way, harness, watch, { ...options, blot });
  const peer = new Peer(reached.link, {
    clock: harness.clock,
    watch: { ...watch.watch, closed: (reason) => ended(reason, reached, watch) },
    ...(options.generation === undefined ? {} : { generation: options.generation }),
  });
  stop = (why) => void peer.close(why);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    watch.mute();
    closing ??= reached.close().catch(() => {});
    return closing;
  };
  try {
    const info = await rules.meet(meetingOf(options, peer, reached, harness));
    return { info: blot.json(info), peer, reset: () => resetIn(rules, peer, harness), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function resetIn(rules: SeatRules, peer: Peer, harness: Harness): Promise<boolean> {
  // What is just ending may end; what goes on belongs to the last case and would be taken for the next one's.
  for (let i = 0; i < 10 && !peer.quiet && !peer.isClosed; i++) await harness.clock.sleep(10);
  return !peer.isClosed && peer.quiet && rules.reset(peer, harness);
}

function meetingOf(options: ExternalOptions, peer: Peer, reached: Reached, harness: Harness): Meeting {
  const { startTimeout } = options;
  const failed = (
    step: Step,
    expected: string,
    remedy: string,
    reason: CloseReason | 'time' | 'given up',
  ): TargetFailure => {
    if (reason === 'given up')
      return new TargetFailure('RUNCERT_TARGET_INTERRUPTED', step, {
        expected,
        came: 'the run was interrupted',
        remedy,
      });
    if (reason === 'time')
      return new TargetFailure('RUNCERT_TARGET_HUNG', step, {
        expected,
        came: `nothing within ${startTimeout} ms`,
        remedy,
      });
    const came = reached.epitaph(reason);
    return new TargetFailure('RUNCERT_TARGET_DIED', step, {
      expected,
      came,
      // What it said itself when it died is nearer to the cause than what the protocol asks for.
      remedy: came.includes(STDERR_TOLD)
        ? 'Mend what its stderr says; the same command, run by itself in this folder, tells all of it.'
        : remedy,
    });
  };
  const wait: Meeting['await'] = async (step, what, expected, remedy) => {
    const stop = new AbortController();
    const over = harness.signal === undefined ? stop.signal : AbortSignal.any([stop.signal, harness.signal]);
    const result = await Promise.race([
      what.then((value) => ({ value })),
      peer.closed,
      harness.clock
        .sleep(startTimeout, over)
        .then(() => (harness.signal?.aborted ? ('given up' as const) : ('time' as const))),
    ]);
    stop.abort();
    if (typeof result === 'object' && 'value' in result) return result.value;
    throw failed(step, expected, remedy, result);
  };
  return {
    kind: options.kind,
    peer,
    harness,
    startTimeout,
    ...(options.token === undefined ? {} : { token: options.token }),
    await: wait,
    call: async (step, action, data, remedy, tolerant = false) => {
      const expected = `an answer to ${action}`;
      const signal = harness.signal === undefined ? {} : { signal: harness.signal };
      const answer = await peer.call(action, data, { timeout: startTimeout, ...signal });
      if (answer.lost === 'timeout') throw failed(step, expected, remedy, 'time');
      if (answer.lost === 'aborted') throw failed(step, expected, remedy, 'given up');
      if (answer.lost === 'closed') throw failed(step, expected, remedy, await peer.closed);
      if (answer.lost === 'malformed' || (answer.code !== 0 && !tolerant))
        throw new TargetFailure('RUNCERT_TARGET_HANDSHAKE', step, {
          expected: `${action} to be answered with code 0 and an object in data`,
          came: answer.lost === undefined ? `code ${answer.code}: ${answer.message.slice(0, 300)}` : answer.message,
          remedy,
        });
      return answer;
    },
  };
}

/** The end of a target that we did not end: what its process did, and what it last said. */
function ended(reason: CloseReason, reached: Reached, watch: Watch): void {
  watch.watch.closed?.(reason);
  if (reason.exit !== undefined) watch.life('exited', { ...reason.exit });
  const stderr = reached.stderr?.();
  if (stderr !== undefined && stderr.bytes > 0) watch.life('stderr', stderr);
}
