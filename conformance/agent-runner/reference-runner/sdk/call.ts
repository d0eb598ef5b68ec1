// How the SDK makes a call for a run: checked here first, stamped with the run's id, bounded by the run's deadline.
import type { JsonObject } from '../../../../common/json.ts';
import type { Clock } from '../../../driving/clock.ts';
import type { Peer } from '../../../wire/peer.ts';
import type { RunContext } from '../context.ts';
import type { SdkParts } from '../parts.ts';
import type { Caller } from './api.ts';
import { ApiError } from './api-error.ts';

export function callerFor(
  peer: Peer,
  context: RunContext,
  options: { readonly clock: Clock; readonly parts: SdkParts; readonly signal: AbortSignal },
): Caller {
  const { clock, parts, signal } = options;

  const prepare = (action: string, data: JsonObject, usual: number): { data: JsonObject; timeout: number } => {
    if (signal.aborted) throw interrupted();
    const refused = parts.refuse(context, action, data);
    if (refused !== undefined) throw refused;
    const timeout = parts.patience(context, usual, clock.now());
    if (timeout <= 0) throw new ApiError('deadline_exceeded', `no time left for ${action}`, true);
    return { data: parts.request(context, action, data), timeout };
  };

  return {
    async call(action, data, usual) {
      const ready = prepare(action, data, usual);
      const answer = await peer.call(action, ready.data, { timeout: ready.timeout, signal });
      if (signal.aborted) throw interrupted();
      if (answer.code !== 0) throw parts.errorOf(answer);
      return parts.accept(action, answer.data);
    },
    async *stream(action, data, usual) {
      const ready = prepare(action, data, usual);
      for await (const answer of peer.stream(action, ready.data, { timeout: ready.timeout, signal })) {
        if (answer.code !== 0) throw parts.errorOf(answer);
        yield parts.accept(action, answer.data);
      }
      if (signal.aborted) throw interrupted();
    },
  };
}

const interrupted = (): ApiError => new ApiError('cancelled', 'the run is over');
