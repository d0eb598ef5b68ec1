// The life of one run inside the SDK: it starts the runner, seals its results, and sees to it that the stream ends once,
// in time, with a terminal result, whatever the runner does.
import { setMaxListeners } from 'node:events';
import type { JsonObject } from '../../../../common/json.ts';
import type { Clock } from '../../../driving/clock.ts';
import type { Peer } from '../../../wire/peer.ts';
import { type Permissions, readContext } from '../context.ts';
import type { ResultBody, RunnerParts } from '../parts.ts';
import { createApi } from './api.ts';
import { callerFor } from './call.ts';

/** What ends a run before its runner does. */
interface Cut {
  readonly last: readonly ResultBody[];
}

export interface LiveRun {
  readonly runId: string;
  readonly results: AsyncGenerator<JsonObject, void, void>;
  cancel(reason: string): void;
}

export function startRun(
  peer: Peer,
  raw: JsonObject,
  { clock, parts }: { readonly clock: Clock; readonly parts: RunnerParts },
): LiveRun {
  const context = readContext(raw, (parts.manifests[0]?.['permissions'] ?? {}) as Permissions);
  const over = new AbortController();
  setMaxListeners(0, over.signal); // Any number of calls may wait on it at once.
  let interrupt: (cut: Cut) => void = () => {};
  const interrupted = new Promise<Cut>((resolve) => {
    interrupt = resolve;
  });

  async function* results(): AsyncGenerator<JsonObject, void, void> {
    let sequence = 0;
    function* sealed(results: readonly ResultBody[]): Generator<JsonObject> {
      for (const result of results) yield parts.seal(context, result, ++sequence);
    }
    const declined = parts.decline(context);
    if (declined.length > 0) return yield* sealed(declined);
    const deadline = parts.deadline(context);
    if (deadline !== undefined)
      void clock.sleep(deadline - clock.now(), over.signal).then(() => interrupt({ last: parts.onDeadline() }));
    const api = createApi(callerFor(peer, context, parts, over.signal));
    const stream = parts.behave({ context, api, clock, signal: over.signal, parts });
    try {
      for (;;) {
        const step = await Promise.race([interrupted, stream.next()]);
        if ('last' in step) return yield* sealed(step.last);
        if (step.done) throw new Error('the runner stopped without a terminal result');
        yield* sealed([step.value]);
        if (parts.ends(step.value)) return;
      }
    } catch (error) {
      yield* sealed(parts.onError(error));
    } finally {
      over.abort();
    }
  }

  return {
    runId: context.run_id,
    results: results(),
    cancel: (reason) => interrupt({ last: parts.onCancel(reason) }),
  };
}
