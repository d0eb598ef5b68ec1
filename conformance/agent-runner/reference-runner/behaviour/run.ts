// What the reference runner does with a run: remember, look around, think, speak, keep notes, end.
// It uses every API that it is granted, and none that it is not.
import type { Results, Run } from '../parts.ts';
import { ApiError } from '../sdk/api-error.ts';

export async function* behave(run: Run): Results {
  const { parts } = run;
  try {
    const turns = await parts.recall(run);
    const gathered = await parts.gather(run);
    yield* parts.think(run, gathered);
    yield* parts.act(run);
    yield* parts.remember(run, turns + 1);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    yield parts.fail(error);
    return;
  }
  yield parts.finish(run);
}

/** An API call that the run can do without: refused, malformed or too large, the run goes on; out of time, it does not. */
export async function optional<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'deadline_exceeded' || error.code === 'cancelled') throw error;
    return undefined;
  }
}
