// From the wire to the recording: everything is written down, and nothing that a target does makes that endless.
import type { JsonObject } from '../../common/json.ts';
import type { NewFact } from '../recording/fact.ts';
import type { CaseRecorder } from '../recording/recorder.ts';
import { MIB } from '../wire/generation.ts';
import type { CloseReason } from '../wire/link.ts';
import type { PeerOptions } from '../wire/peer.ts';
import type { Harness } from './target.ts';

/** What a target may send in one case before it counts as a flood. */
export const CASE_BYTES = 32 * MIB;
const NOISE_FACTS = 200;
const FAULT_FACTS = 100;

export interface Watch {
  readonly watch: NonNullable<PeerOptions['watch']>;
  life(event: 'started' | 'connected' | 'disconnected' | 'exited' | 'killed' | 'stderr', detail?: unknown): void;
  fault(code: string, message: string, by?: 'target' | 'harness'): void;
  /** From now on nothing is written down: the session is being closed, and what comes belongs to no case. */
  mute(): void;
}

/** `stop` ends the connection; it is called when the target floods. */
export function watchFor(harness: Harness, stop: (why: string) => void, caseBytes = CASE_BYTES): Watch {
  let muted = false;
  let recorder: CaseRecorder | undefined;
  let bytes = 0;
  let noises = 0;
  let faults = new Map<string, number>();

  /** The counts begin anew with every case. */
  const current = (): CaseRecorder => {
    const now = harness.recorder();
    if (now !== recorder) {
      recorder = now;
      bytes = 0;
      noises = 0;
      faults = new Map();
    }
    return now;
  };
  const add = (fact: NewFact): void => {
    if (!muted) current().add(fact);
  };
  const fault = (code: string, message: string, by: 'target' | 'harness' = 'target'): void => {
    if (muted) return;
    current();
    const count = (faults.get(code) ?? 0) + 1;
    faults.set(code, count);
    if (count < FAULT_FACTS) add({ fact: 'fault', by, code, message });
    else if (count === FAULT_FACTS)
      add({ fact: 'fault', by, code, message: `${message} (no more of these are recorded)` });
  };
  /** True while the target keeps within its bytes. */
  const weigh = (size: number): boolean => {
    if (muted) return false;
    current();
    const before = bytes;
    bytes += size;
    if (bytes <= caseBytes) return true;
    if (before <= caseBytes) {
      fault('RUNCERT_FLOOD', `The target sent more than ${caseBytes} bytes in one case; the connection is ended.`);
      stop(`more than ${caseBytes} bytes in one case`);
    }
    return false;
  };

  return {
    watch: {
      sent: (frame: JsonObject) => {
        if (!muted) current().sent(frame);
      },
      received: (frame: JsonObject, size: number) => {
        if (weigh(size)) current().received(frame);
      },
      noise: (text, size) => {
        if (weigh(size) && ++noises <= NOISE_FACTS) add({ fact: 'noise', text, bytes: size });
        else if (noises === NOISE_FACTS + 1)
          add({ fact: 'noise', text: '(no more noise is recorded in this case)', bytes: 0 });
      },
      fault,
      closed: (reason: CloseReason) => add({ fact: 'life', event: 'disconnected', detail: { ...reason } }),
    },
    life: (event, detail) => add({ fact: 'life', event, ...(detail === undefined ? {} : { detail }) }),
    fault,
    mute: () => {
      muted = true;
    },
  };
}
