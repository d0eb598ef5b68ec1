// How long a run may take (§10), and waiting for that moment.
import type { Clock } from '../../driving/clock.ts';
import type { Binding } from './binding.ts';

/** `runner_config.timeout` in seconds, else the host's own; in epoch milliseconds. */
export function deadlineOf({ runner_config }: Binding, now: number, defaultMs: number): number | null {
  const { timeout } = runner_config;
  return now + (typeof timeout === 'number' && timeout > 0 ? timeout * 1000 : defaultMs);
}

/** Resolves at the deadline, or when `signal` comes first. A single timer may be too short for a far deadline. */
export async function reached(deadline: number, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && clock.now() < deadline) await clock.sleep(deadline - clock.now(), signal);
}
