// How the host says no: `code: 1` with an AgentAPIError in `data.error` (§9).
// The words are fixed by the code, so that nothing about other runs, plugins or resources can slip into them.
import { Refusal } from '../../wire/peer.ts';

export type ErrorCode =
  | 'unauthorized'
  | 'not_found'
  | 'deadline_exceeded'
  | 'payload_too_large'
  | 'rate_limited'
  | 'invalid_argument'
  | 'runtime_error';

/** A refusal before it is put on the wire. `argument` names the caller's own field that was wrong. */
export interface Denial {
  readonly code: ErrorCode;
  readonly argument?: string | undefined;
}

export const deny = (code: ErrorCode, argument?: string): Denial => ({ code, argument });

const words: Readonly<Record<ErrorCode, string>> = {
  unauthorized: 'This call is not authorized for this run.',
  not_found: 'There is nothing by that name that this run may see.',
  deadline_exceeded: 'The deadline of the run has passed.',
  payload_too_large: 'The request or its answer is larger than the host allows.',
  rate_limited: 'Too many calls; wait before the next one.',
  invalid_argument: 'An argument is missing or malformed.',
  runtime_error: 'The host could not carry out the call.',
};

export function refusalOf({ code, argument }: Denial): Refusal {
  const message = words[code];
  return new Refusal(message, { error: { code, message, retryable: code === 'rate_limited', details: { argument } } });
}
