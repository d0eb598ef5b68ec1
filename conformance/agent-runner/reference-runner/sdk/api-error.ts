// AgentAPIError (§9) as something the runner can catch.
import { isObject } from '../../../../common/json.ts';
import type { Answer } from '../../../wire/peer.ts';

export class ApiError extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, message: string, retryable = false) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.retryable = retryable;
  }
}

/** What a refusal means: its AgentAPIError if it carries one, else its text alone. */
export function errorOf({ lost, message, data }: Answer): ApiError {
  if (lost === 'timeout') return new ApiError('deadline_exceeded', message, true);
  if (lost === 'aborted') return new ApiError('cancelled', message);
  if (lost === 'malformed') return new ApiError('host.malformed_response', message);
  if (lost === 'closed') return new ApiError('runtime_error', message, true);
  const error = isObject(data['error']) ? data['error'] : data;
  const { code, message: told, retryable } = error;
  if (typeof code !== 'string' || typeof told !== 'string') return new ApiError('host.action_error', message);
  return new ApiError(code, told, retryable === true);
}

/** A success that does not hold what it must. */
export const malformed = (action: string, what: string): ApiError =>
  new ApiError('host.malformed_response', `the answer to ${action} holds no ${what}`);
