// What the reference runner does with a run: remember, look around, think, act, keep notes, end.
// It tries every API, and the SDK holds back what is not granted.
import type { Results, Run } from '../parts.ts';
import { ApiError } from '../sdk/api-error.ts';

export async function* behave(run: Run): Results {
  const { parts } = run;
  await parts.recall(run);
  yield* parts.think(run, await parts.gather(run));
  yield* parts.act(run);
  yield* parts.remember(run);
  yield parts.finish(run);
}

/** An API call that the run can do without: refused, malformed or broken off, the run goes on. */
export async function optional<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  }
}
