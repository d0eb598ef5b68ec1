// A pilot plays one stimulus after another against one target and hands back what was recorded.
// It never hangs: a case that is out of time is ended, a target that died is opened again.
import { setMaxListeners } from 'node:events';
import { RuncertError } from '../../common/error.ts';
import { isObject } from '../../common/json.ts';
import { type Blotter, blotter } from '../recording/blot.ts';
import type { Fact, FactOf, RecordingHead } from '../recording/fact.ts';
import { CaseRecorder } from '../recording/recorder.ts';
import type { Session, Target, TargetInfo } from '../targets/target.ts';
import { type Clock, realClock, VirtualClock } from './clock.ts';
import type { Area, Stage, Suite } from './suite.ts';

export interface PilotOptions {
  readonly suite: Pick<Suite, 'protocol' | 'revision' | 'party'>;
  readonly target: Target;
  readonly grace: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
}

const CASE_TIME = 60_000;

export class Pilot {
  #options: PilotOptions;
  #session: Session | undefined;
  #recorder: CaseRecorder | undefined;
  #info: TargetInfo | undefined;

  #blot: Blotter;

  constructor(options: PilotOptions) {
    this.#options = options;
    this.#blot = blotter(options.target.secrets ?? []);
  }

  /** Opens the target once to learn who it is. */
  async meet(): Promise<TargetInfo> {
    if (this.#info !== undefined) return this.#info;
    const clock = this.#clock();
    const recorder = new CaseRecorder(clock, { blot: this.#blot });
    await inTime(clock, async () => {
      const session = await this.#open(clock, recorder);
      if (clock.kind === 'virtual') await session.close();
      else this.#session = session;
    });
    return this.#info!;
  }

  head(): RecordingHead {
    const { suite, target, grace, seed } = this.#options;
    const { kind, name, version, declared, traits } = this.#info!;
    return {
      recording: 'runcert',
      version: 1,
      protocol: suite.protocol,
      revision: suite.revision,
      party: suite.party,
      target: {
        kind,
        name,
        ...(version === undefined ? {} : { version }),
        declared: { ...declared },
        traits: [...traits],
      },
      grace,
      clock: target.time,
      seed,
    };
  }

  /** Plays one stimulus and gives the facts of the case, from `case` to `end`. */
  async play(area: Area, stimulus: unknown, id: string): Promise<readonly Fact[]> {
    const clock = this.#clock();
    const recorder = new CaseRecorder(clock, { blot: this.#blot });
    recorder.add({ fact: 'case', id, area: area.id, epoch: recorder.begun, stimulus });
    await inTime(clock, async () => {
      const how = await this.#playOn(area, stimulus, clock, recorder);
      recorder.add({ fact: 'end', ...how });
    });
    return recorder.facts;
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  async #playOn(
    area: Area,
    stimulus: unknown,
    clock: Clock,
    recorder: CaseRecorder,
  ): Promise<Pick<FactOf<'end'>, 'how' | 'pending'>> {
    const session = await this.#ready(clock, recorder);
    const stop = new AbortController();
    setMaxListeners(0, stop.signal); // Any number of calls may wait on it at once.
    const interrupted = (): void => stop.abort('interrupted');
    this.#options.signal?.addEventListener('abort', interrupted, { once: true });
    const limit = area.timeOf?.(stimulus) ?? CASE_TIME;
    const stage: Stage = {
      session,
      clock,
      grace: this.#options.grace,
      signal: stop.signal,
      did: (what, detail) => recorder.add({ fact: 'did', what, ...(detail === undefined ? {} : { detail }) }),
    };
    try {
      const how = await Promise.race([
        area.play(stimulus, stage).then(() => 'done' as const),
        clock.sleep(limit, stop.signal).then(() => 'time' as const),
      ]);
      const died = session.peer.isClosed;
      if (this.#options.signal?.aborted) return { how: 'interrupted' };
      if (died) return { how: 'died', pending: `the link to the target closed during the case${whyClosed(recorder)}` };
      return how === 'done' ? { how } : { how, pending: `not over after ${limit} ms` };
    } finally {
      stop.abort('over');
      this.#options.signal?.removeEventListener('abort', interrupted);
      if (clock.kind === 'virtual') {
        this.#session = undefined;
        await session.close();
      }
    }
  }

  async #ready(clock: Clock, recorder: CaseRecorder): Promise<Session> {
    this.#recorder = recorder;
    const old = this.#session;
    if (old !== undefined) {
      if (!old.peer.isClosed && (await old.reset())) return old;
      this.#session = undefined;
      await old.close();
    }
    const session = await this.#open(clock, recorder);
    this.#session = session;
    return session;
  }

  async #open(clock: Clock, recorder: CaseRecorder): Promise<Session> {
    this.#recorder = recorder;
    const session = await this.#options.target.open({
      clock,
      grace: this.#options.grace,
      recorder: () => this.#recorder ?? recorder,
      ...(this.#options.signal === undefined ? {} : { signal: this.#options.signal }),
    });
    this.#info ??= session.info;
    return session;
  }

  #clock(): Clock {
    return this.#options.target.time === 'virtual' ? new VirtualClock() : realClock;
  }
}

const inTime = async (clock: Clock, work: () => Promise<void>): Promise<void> =>
  clock instanceof VirtualClock ? clock.run(work) : work();

/** In the words of whoever closed it: an exit code, or the rule of the wire that was broken. */
function whyClosed({ facts }: CaseRecorder): string {
  const last = facts.findLast((fact): fact is FactOf<'life'> => fact.fact === 'life' && fact.event === 'disconnected');
  const message = isObject(last?.detail) ? last.detail['message'] : undefined;
  return typeof message === 'string' && message !== '' ? `: ${message}` : '';
}

/** Did opening the target fail, rather than Runcert? */
export const couldNotReach = (error: unknown): error is RuncertError =>
  error instanceof RuncertError && error.code.startsWith('RUNCERT_TARGET');
