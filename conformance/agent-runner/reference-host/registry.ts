// The runner registry (HOST_SDK §4.3): what a discovery found, and why the rest was left out.
import type { JsonValue } from '../../../common/json.ts';
import type { Answer } from '../../wire/peer.ts';
import type { Descriptor, Problem } from './discovery.ts';
import type { Warning } from './shapes.ts';

export interface Listing {
  /** Runners that can be bound, by id. */
  readonly runners: ReadonlyMap<string, Descriptor>;
  /** What was left out, one warning each. */
  readonly leftOut: readonly LeftOut[];
}

export interface LeftOut extends Warning {
  readonly code: 'runner_version' | 'runner_broken' | 'runner_twice' | 'runners_unknown';
}

export interface Reader {
  readEntry(entry: JsonValue | undefined): Descriptor | Problem;
  acceptProtocolVersion(version: string): boolean;
}

/** Reads what the Runtime answered. Each entry stands for itself: whatever is wrong with one harms no other. */
export function readListing(answer: Answer, { readEntry, acceptProtocolVersion }: Reader): Listing {
  const runners = new Map<string, Descriptor>();
  const leftOut: LeftOut[] = [];
  const leave = (code: LeftOut['code'], message: string, id?: string): void => {
    leftOut.push({ run_id: null, code, message, ...(id !== undefined && { runner_id: id }) });
  };
  const { runners: entries } = answer.data;
  if (answer.code !== 0 || !Array.isArray(entries))
    leave('runners_unknown', 'The Plugin Runtime did not answer with a list of runners.');
  for (const entry of Array.isArray(entries) ? (entries as readonly JsonValue[]) : []) {
    const read = readEntry(entry);
    if ('problem' in read) leave('runner_broken', `A runner was left out: ${read.problem}.`, read.id);
    else if (!acceptProtocolVersion(read.protocol_version))
      leave(
        'runner_version',
        `${read.id} speaks version ${brief(read.protocol_version)} of the protocol, not "1".`,
        read.id,
      );
    else if (runners.has(read.id)) leave('runner_twice', `${read.id} was listed twice; the first one counts.`, read.id);
    else runners.set(read.id, read);
  }
  return { runners, leftOut };
}

const brief = (version: string): string => JSON.stringify(version.slice(0, 40));
