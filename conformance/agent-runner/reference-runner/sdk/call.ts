// How the SDK makes a call for a run: checked here first, stamped with the run's id, given up when the run is over, and its answer
// taken only if it is one.
import type { JsonObject } from '../../../../common/json.ts';
import type { ModelName, ModelsRead } from '../../../../schemas/agent-runner/2026-06-03/types.ts';
import { check, read } from '../../../../schemas/agent-runner/2026-06-03/validators.js';
import type { Answer, Peer } from '../../../wire/peer.ts';
import type { RunContext } from '../context.ts';
import type { SdkParts } from '../parts.ts';
import { ApiError } from './api-error.ts';

/** Makes one call in the name of a run, whose answer has this model; throws ApiError. */
export interface Caller {
  call<Name extends ModelName>(action: string, model: Name, data: object): Promise<ModelsRead[Name]>;
  stream<Name extends ModelName>(action: string, model: Name, data: object): AsyncGenerator<ModelsRead[Name]>;
}

/** Milliseconds that a call waits for its answer, or for the next chunk; the end of the run ends it sooner. */
const USUAL = 180_000;

/** `signal` aborts when the run is over, by whatever cause: its deadline bounds every call (§10). */
export function callerFor(peer: Peer, context: RunContext, parts: SdkParts, signal: AbortSignal): Caller {
  const options = { timeout: parts.patience(USUAL), signal: parts.bound(signal) };
  const request = (action: string, data: object): JsonObject => {
    const refused = parts.refuse(context, action, data as JsonObject);
    if (refused !== undefined) throw refused;
    return parts.request(context, action, data as JsonObject);
  };
  const taken = <Name extends ModelName>(action: string, model: Name, answer: Answer): ModelsRead[Name] => {
    if (answer.code !== 0) throw parts.errorOf(answer);
    const data: unknown = parts.accept(action, answer.data);
    if (check(model, data).length > 0) throw new ApiError(`the answer to ${action} is no ${model}`);
    return read(model, data as never);
  };
  return {
    call: async (action, model, data) => taken(action, model, await peer.call(action, request(action, data), options)),
    stream: async function* (action, model, data) {
      for await (const answer of peer.stream(action, request(action, data), options))
        yield taken(action, model, answer);
    },
  };
}
