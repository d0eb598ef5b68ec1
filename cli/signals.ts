// Ctrl-C once: stop, keep what is finished, leave no process behind. Twice: at once.

export function untilInterrupted(): { readonly signal: AbortSignal; readonly done: () => void } {
  const stop = new AbortController();
  const interrupted = (): void => {
    if (stop.signal.aborted) process.exit(130);
    process.stderr.write('\nruncert: stopping; what is finished is kept. Press Ctrl-C again to leave at once.\n');
    stop.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupted);
  return {
    signal: stop.signal,
    done: () => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(name, interrupted);
    },
  };
}
