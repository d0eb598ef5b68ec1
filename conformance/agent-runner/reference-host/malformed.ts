// Frames that hold no result at all: the peer drops them, so the host hears of them at the link.
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { PeerOptions } from '../../wire/peer.ts';

/** Tells of each such frame in the stream of a run. */
export function watchStreams(malformed: (runId: string) => void): NonNullable<PeerOptions['watch']> {
  const runs = new Map<unknown, string>();
  return {
    sent: ({ action, seq_id, data }) => {
      if (action === 'run_agent') runs.set(seq_id, runIdIn(data));
    },
    received: ({ seq_id, data, code }) => {
      const run = runs.get(seq_id);
      // A call has no code, and numbers of its own.
      if (run !== undefined && Number.isInteger(code) && !isObject(data)) malformed(run);
    },
  };
}

/** The run that a request of this host is for. */
const runIdIn = (data: JsonObject[string]): string =>
  (data as { readonly context: { readonly run_id: string } }).context.run_id;
