// AgentAPIError (§9) as something the runner can catch.
import { isAgentAPIError } from '../../../../schemas/agent-runner/2026-06-03/validators.js';
import type { Answer } from '../../../wire/peer.ts';

export class ApiError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** What a refusal means: its AgentAPIError if it carries one, else its text alone. */
export function errorOf({ message, data: { error } }: Answer): ApiError {
  return isAgentAPIError(error) ? new ApiError(error.code, error.message) : new ApiError('host.action_error', message);
}
