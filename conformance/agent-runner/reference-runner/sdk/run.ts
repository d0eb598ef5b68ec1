// The life of one run inside the SDK: it starts the runner, seals its results, and sees to it that the stream ends once,
// in time, with a terminal result, whatever the runner does.
import type { JsonObject } from '../../../../common/json.ts';
import type { Clock } from '../../../driving/clock.ts';
import type { Peer } from '../../../wire/peer.ts';
import { type Permissions, readContext } from '../context.ts';
import type { ResultBody, RunnerParts } from '../parts.ts';
import { createApi } from './api.ts';
import { callerFor } from './call.ts';

/** What ends a run before its runner does; where it is nothing the runner goes on. */
interface Cut {
  readonly last: ResultBody | undefined;
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
  let interrupt: (cut: Cut) => void = () => {};
  const interrupted = new Promise<Cut>((resolve) => {
    interrupt = resolve;
  });

  async function* results(): AsyncGenerator<JsonObject, void, void> {
    let sequence = 0;
    const sealed = (result: ResultBody): JsonObject => parts.seal(context, result, ++sequence);
    const declined = parts.decline(context);
    if (declined !== undefined) return yield sealed(declined);
    const deadline = parts.deadline(context);
    if (deadline !== undefined)
      void clock.sleep(deadline - clock.now(), over.signal).then(() => interrupt({ last: parts.onDeadline(context) }));
    const api = createApi(callerFor(peer, context, parts, over.signal));
    const stream = parts.behave({ context, api, clock, signal: over.signal, parts });
    let cuts = [interrupted];
    let next: ReturnType<typeof stream.next> | undefined;
    try {
      for (;;) {
        next ??= stream.next();
        const step = await Promise.race([...cuts, next]);
        if ('last' in step) {
          if (step.last !== undefined) return yield sealed(step.last);
          cuts = [];
          continue;
        }
        next = undefined;
        const result = step.done ? parts.onSilence() : step.value;
        if (result !== undefined) yield sealed(result);
        if (step.done || parts.ends(step.value)) return;
      }
    } catch (error) {
      const last = parts.onError(error);
      if (last !== undefined) yield sealed(last);
    } finally {
      over.abort();
      void stream.return(undefined).catch(() => {});
    }
  }

  return {
    runId: context.run_id,
    results: results(),
    cancel: (reason) => interrupt({ last: parts.onCancel(reason) }),
  };
}
