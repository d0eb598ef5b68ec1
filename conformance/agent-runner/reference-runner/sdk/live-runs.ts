// The runs under way, by id: a cancel finds its run here, and waits here for it to be over before it is answered.
import type { JsonObject } from '../../../../common/json.ts';
import type { Clock } from '../../../driving/clock.ts';

interface Live<T> {
  readonly value: T;
  readonly over: Promise<void>;
}

/** How long a cancel waits for the end of its run, in milliseconds; then it is answered all the same. */
const PATIENCE = 200;

export class LiveRuns<T> {
  #runs = new Map<string, Live<T>>();

  get ids(): readonly string[] {
    return [...this.#runs.keys()];
  }

  get(runId: string): T | undefined {
    return this.#runs.get(runId)?.value;
  }

  /** Passes the results of a run through, and knows it for as long as they come. */
  async *follow(
    runId: string,
    value: T,
    results: AsyncGenerator<JsonObject, void, void>,
  ): AsyncGenerator<JsonObject, void, void> {
    let end: () => void = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#runs.set(runId, { value, over });
    try {
      yield* results;
    } finally {
      this.#runs.delete(runId);
      end();
    }
  }

  /** Resolves when the run is over, or has taken too long. */
  async over(runId: string, clock: Clock): Promise<void> {
    const live = this.#runs.get(runId);
    if (live === undefined) return;
    const stop = new AbortController();
    await Promise.race([live.over, clock.sleep(PATIENCE, stop.signal)]);
    stop.abort('over');
  }
}
