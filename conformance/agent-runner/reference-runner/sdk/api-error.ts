// AgentAPIError (§9) as something the runner can catch.
import type { Answer } from '../../../wire/peer.ts';

export class ApiError extends Error {}

/** What a refusal of the Host means. */
export const errorOf = ({ message }: Answer): ApiError => new ApiError(message);
