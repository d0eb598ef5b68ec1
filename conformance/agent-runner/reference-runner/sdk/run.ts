// The life of one run inside the SDK: it starts the runner, seals its results, and sees to it that the stream ends once,
// in time, with a terminal result, whatever the runner does.
import type { JsonObject } from '../../../../common/json.ts';
import type { Clock } from '../../../driving/clock.ts';
import type { Peer } from '../../../wire/peer.ts';
import { member, readContext } from '../context.ts';
import type { ResultBody, RunnerParts } from '../parts.ts';
import { createApi } from './api.ts';
import { callerFor } from './call.ts';

type Interrupt = 'deadline' | 'cancelled';

export interface LiveRun {
  readonly runId: string;
  readonly results: AsyncGenerator<JsonObject, void, void>;
  cancel(reason: string): void;
  /** The terminal result is on its way. */
  readonly ended: boolean;
}

export function startRun(
  peer: Peer,
  raw: JsonObject,
  options: { readonly clock: Clock; readonly parts: RunnerParts },
): LiveRun {
  const { clock, parts } = options;
  const context = readContext(raw, member(parts.manifests[0] ?? {}, 'permissions'));
  const over = new AbortController();
  let interrupt: (why: Interrupt) => void = () => {};
  let reason = '';
  let ended = false;
  const interrupted = new Promise<Interrupt>((resolve) => {
    interrupt = resolve;
  });

  const ending = (why: Interrupt): ResultBody | undefined =>
    why === 'deadline' ? parts.onDeadline(context) : parts.onCancel(reason);

  async function* results(): AsyncGenerator<JsonObject, void, void> {
    let sequence = 0;
    const sealed = (result: ResultBody): JsonObject => {
      ended ||= parts.ends(result);
      return parts.seal(context, result, ++sequence);
    };
    const declined = parts.decline(raw);
    if (declined !== undefined) return yield sealed(declined);
    if (parts.late(context, clock.now())) {
      const last = ending('deadline');
      if (last !== undefined) yield sealed(last);
      return;
    }
    if (context.deadline !== undefined)
      void clock.sleep(context.deadline - clock.now(), over.signal).then(() => {
        if (parts.late(context, clock.now())) interrupt('deadline');
      });
    const api = createApi(callerFor(peer, context, { clock, parts, signal: over.signal }));
    const stream = parts.behave({ context, api, clock, signal: over.signal, parts });
    const watch: Promise<Interrupt>[] = [interrupted];
    let next: ReturnType<typeof stream.next> | undefined;
    try {
      for (;;) {
        next ??= stream.next();
        const step = await Promise.race([next, ...watch]);
        if (typeof step === 'string') {
          watch.length = 0;
          const last = ending(step);
          if (last === undefined) continue;
          yield sealed(last);
          return;
        }
        next = undefined;
        const result = step.done ? parts.onSilence() : step.value;
        if (result !== undefined) yield sealed(result);
        if (step.done || (result !== undefined && parts.ends(result))) return;
      }
    } catch (error) {
      const last = parts.onError(error);
      if (last !== undefined) yield sealed(last);
    } finally {
      over.abort('over');
      void stream.return(undefined).catch(() => {});
    }
  }

  return {
    runId: context.runId,
    results: results(),
    get ended() {
      return ended;
    },
    cancel(why) {
      reason = why;
      interrupt('cancelled');
    },
  };
}
