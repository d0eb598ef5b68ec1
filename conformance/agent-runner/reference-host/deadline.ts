// How long a run may take (§10), and waiting for that moment.
import type { Clock } from '../../driving/clock.ts';
import type { Binding } from './binding.ts';

/** `runner_config.timeout` in seconds, else the host's own; in epoch milliseconds. */
export function deadlineOf({ runner_config }: Binding, now: number, defaultMs: number): number | null {
  const { timeout } = runner_config;
  return now + (typeof timeout === 'number' && Number.isFinite(timeout) && timeout > 0 ? timeout * 1000 : defaultMs);
}

/** Resolves at the deadline: true, or false when `signal` came first. A single timer may be too short for a far deadline. */
export async function reached(deadline: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const left = deadline - clock.now();
    if (left <= 0) return true;
    await clock.sleep(left, signal);
  }
  return false;
}
