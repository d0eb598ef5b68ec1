// The Plugin Runtime's seat: offers runners, plays the script of each run that the host starts, and takes its cancels.
import { setMaxListeners } from 'node:events';
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import type { Stage } from '../../driving/suite.ts';
import { Refusal } from '../../wire/peer.ts';
import { aborted, deadlineOf, identityOf, perform } from './perform.ts';
import type { HostStimulus, Offer, Script } from './stimulus.ts';

/** One submission and the run it began. */
export interface Cast {
  readonly script: Script;
  readonly eventId: unknown;
  runId: string | undefined;
  /** Opens when the run has reached the runner. */
  readonly reached: Gate;
  /** Opens when its script is played. */
  readonly played: Gate;
  readonly cut: AbortController;
}

export class RuntimeSeat {
  readonly casts: Cast[] = [];
  readonly #stage: Stage;
  readonly #over: AbortSignal;
  readonly #cancelRun: NonNullable<HostStimulus['cancelRun']>;
  readonly #kept = new Map<string, JsonValue>();
  #offer: Offer;

  constructor(stimulus: HostStimulus, stage: Stage, over: AbortSignal) {
    this.#stage = stage;
    this.#over = over;
    this.#cancelRun = stimulus.cancelRun ?? 'answer';
    this.#offer = stimulus.offers[0] ?? { data: { runners: [] } };
    stage.session.peer
      .handle('list_agent_runners', () => this.#list())
      .handle('run_agent', (data, request) => this.#run(data, request))
      .handle('cancel_run', (data) => this.#cancelled(data))
      .handle('__ping', () => ({ message: 'pong' }))
      .handleOther((action) => {
        throw new Refusal(`ValueError: Action ${action} not found`);
      });
  }

  offer(offer: Offer): void {
    this.#offer = offer;
  }

  /** Makes ready for the run that a submission is about to begin. */
  expect(event: unknown, script: Script): Cast {
    const cast: Cast = {
      script,
      eventId: isObject(event) ? event['event_id'] : undefined,
      runId: undefined,
      reached: new Gate(),
      played: new Gate(),
      cut: new AbortController(),
    };
    // Every call of a burst listens for the end.
    setMaxListeners(0, cast.cut.signal);
    this.casts.push(cast);
    return cast;
  }

  runId(submission: number): string {
    return this.casts[submission]?.runId ?? `no-run-${submission}`;
  }

  /** What a call made in this run, or outside of any, knows. */
  caller(cast?: Cast, context?: JsonValue) {
    return {
      stage: this.#stage,
      cut: cast?.cut.signal ?? this.#over,
      known: {
        runId: (which: number | 'self') => (which === 'self' ? (cast?.runId ?? 'no-run') : this.runId(which)),
        answer: (name: string) => this.#kept.get(name),
        context,
      },
      keep: (name: string, data: JsonValue): void => {
        this.#kept.set(name, data);
      },
    };
  }

  /** Cuts every script that is still playing; resolves when the last has ended. */
  async clear(): Promise<void> {
    for (const cast of this.casts) cast.cut.abort('cut');
    await Promise.all(this.casts.filter((cast) => cast.reached.isOpen).map((cast) => cast.played.opened));
  }

  async #list(): Promise<JsonObject> {
    const offer = this.#offer;
    if ('error' in offer) throw new Refusal(offer.error);
    if ('silence' in offer) await aborted(this.#over);
    else if (offer.late !== undefined) await this.#stage.clock.sleep(offer.late, this.#over);
    return ('data' in offer ? offer.data : {}) as JsonObject;
  }

  #run(data: JsonObject, request: JsonObject): AsyncIterable<JsonObject> {
    const { context } = data;
    const cast = this.#castOf(context);
    if (cast === undefined) {
      this.#stage.did('no-script', { run_id: isObject(context) ? context['run_id'] : null });
      return empty();
    }
    if (isObject(context) && typeof context['run_id'] === 'string') cast.runId = context['run_id'];
    cast.reached.open();
    const show = {
      ...this.caller(cast, context),
      seq: request['seq_id'] as number,
      identity: identityOf(data),
      deadlineAt: deadlineOf(context),
      over: this.#over,
    };
    return perform(cast.script, show, () => cast.played.open());
  }

  /** Whose run this is: by its id, by its event, else the one submission that is still unanswered. */
  #castOf(context: JsonValue | undefined): Cast | undefined {
    const runId = isObject(context) ? context['run_id'] : undefined;
    const event = isObject(context) && isObject(context['event']) ? context['event']['event_id'] : undefined;
    const waiting = this.casts.filter((cast) => !cast.reached.isOpen);
    return (
      waiting.find((cast) => cast.runId !== undefined && cast.runId === runId) ??
      waiting.find((cast) => cast.eventId !== undefined && cast.eventId === event) ??
      waiting.find((cast) => cast.runId === undefined)
    );
  }

  async #cancelled(data: JsonObject): Promise<JsonObject> {
    if (this.#cancelRun === 'unknown') throw new Refusal('ValueError: Action cancel_run not found');
    if (this.#cancelRun === 'silence') await aborted(this.#over);
    const cast = this.casts.find((other) => other.runId !== undefined && other.runId === data['run_id']);
    if (cast?.script.cancelled !== undefined) cast.cut.abort('cut');
    return {};
  }
}

/** Something that happens once, and can be waited for. */
export class Gate {
  isOpen = false;
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => {
    this.open = () => {
      this.isOpen = true;
      resolve();
    };
  });
}

async function* empty(): AsyncGenerator<JsonObject> {}
