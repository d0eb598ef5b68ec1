// One run as the harness plays it: the stream it reads, the calls it answers, the cancel it sends.
import type { JsonObject } from '../../../common/json.ts';
import type { Stage } from '../../driving/suite.ts';
import type { Handler } from '../../wire/peer.ts';
import { Refusal } from '../../wire/peer.ts';
import { apiAction, plainName } from './api.ts';
import type { ApiAnswer, RunPlan } from './stimulus.ts';
import { refuse, simulatedHost } from './world.ts';

/** How long one run may take where it has no deadline; the case's own time ends it before. */
const NO_DEADLINE = 3_600_000;

export class RunActor {
  readonly #plan: RunPlan;
  readonly #context: JsonObject;
  readonly #stage: Stage;
  readonly #host: ReturnType<typeof simulatedHost>;
  readonly #counts = new Map<string, number>();
  /** The deadline in epoch milliseconds, if the run has one. */
  readonly deadline: number | undefined;
  cancelled = false;
  #calls = 0;
  #results = 0;
  #over = false;
  #changed: (() => void)[] = [];

  constructor(plan: RunPlan, context: JsonObject, stage: Stage, manifest?: JsonObject) {
    this.#plan = plan;
    this.#context = context;
    this.#stage = stage;
    this.#host = simulatedHost(plan, context, manifest);
    this.deadline = plan.deadline === undefined ? undefined : stage.clock.now() + plan.deadline;
  }

  /** Sends the run and reads its stream to the end, or to where waiting makes no sense any more. */
  async play(request: JsonObject): Promise<void> {
    const { session, clock, signal, grace } = this.#stage;
    const stop = new AbortController();
    const stopNow = (): void => stop.abort('over');
    signal.addEventListener('abort', stopNow, { once: true });
    const patience =
      this.deadline === undefined ? NO_DEADLINE : Math.max(0, this.deadline - clock.now()) + grace + grace / 2 + 50;
    const tooLate = clock.sleep(patience, stop.signal).then(stopNow);
    const stream = session.peer.stream('run_agent', request, { timeout: NO_DEADLINE, signal: stop.signal });
    let next = stream.next();
    const cancelling = this.#cancel(stop.signal);
    while (!(await next).done) {
      this.#results++;
      this.#notify();
      next = stream.next();
    }
    this.#over = true;
    this.#notify();
    await cancelling;
    stop.abort('over');
    await tooLate;
    signal.removeEventListener('abort', stopNow);
  }

  /** Answers an API call by the first rule that fits, else as the simulated host. */
  answer(action: string, data: JsonObject, request: JsonObject): ReturnType<Handler> {
    this.#calls++;
    const name = plainName(action, data);
    const nth = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, nth);
    this.#notify();
    const rule = this.#plan.answers?.find(
      (one) =>
        (one.action === undefined || one.action === name) &&
        (one.nth === undefined || one.nth === nth) &&
        (one.call === undefined || one.call === this.#calls),
    );
    const meant: ApiAnswer = rule?.answer ?? { kind: 'host' };
    const how = this.#over ? tooLate(meant) : meant;
    return apiAction(action, data)?.streams
      ? this.#stream(how, action, data, request)
      : this.#unary(how, action, data, request);
  }

  async #unary(how: ApiAnswer, action: string, data: JsonObject, request: JsonObject): Promise<JsonObject> {
    await this.#delay(how);
    const answer = await this.#compose(how, action, data, request);
    return (Array.isArray(answer) ? (answer[0] ?? {}) : answer) as JsonObject;
  }

  async *#stream(how: ApiAnswer, action: string, data: JsonObject, request: JsonObject): AsyncGenerator<JsonObject> {
    await this.#delay(how);
    if (how.kind === 'broken-stream') {
      const whole = this.#host.answer(action, data);
      yield* Array.isArray(whole) ? whole.slice(0, how.chunks) : [];
      throw refuse('runtime_error', 'the stream broke off', true);
    }
    const answer = await this.#compose(how, action, data, request);
    yield* Array.isArray(answer) ? answer : [answer as JsonObject];
  }

  async #compose(
    how: ApiAnswer,
    action: string,
    data: JsonObject,
    request: JsonObject,
  ): Promise<JsonObject | readonly JsonObject[]> {
    switch (how.kind) {
      case 'host':
        return this.#host.answer(action, data);
      case 'success':
        return how.data as JsonObject;
      case 'error':
        throw refuse(how.code, `the host says ${how.code}`, how.retryable ?? false);
      case 'text':
        throw new Refusal(how.message);
      case 'broken-stream':
        throw refuse('runtime_error', 'the answer broke off', true);
      case 'malformed':
        return this.#malformed(how.how, request);
      case 'hang':
        return never();
    }
  }

  /** What no lawful host sends. A frame that cannot be read counts as no answer, so nothing more follows it. */
  async #malformed(how: (ApiAnswer & { kind: 'malformed' })['how'], request: JsonObject): Promise<JsonObject> {
    if (how === 'empty') return {};
    if (how === 'wrong-types') return WRONG_TYPES;
    if (how === 'error-shape') throw new Refusal('malformed error', { error: 'not an object' });
    const frame = { seq_id: request['seq_id'], code: 0, message: 'success', chunk_status: 'continue' };
    const broken: Record<typeof how, JsonObject> = {
      'null-data': { ...frame, data: null },
      'array-data': { ...frame, data: [] },
      'no-data': frame,
      'no-code': { seq_id: request['seq_id'], data: {} },
    };
    await this.#stage.session.peer.send(broken[how]);
    return never();
  }

  async #delay(how: ApiAnswer): Promise<void> {
    if ('delay' in how && how.delay !== undefined && how.delay > 0)
      await this.#stage.clock.sleep(how.delay, this.#stage.signal);
  }

  async #cancel(stop: AbortSignal): Promise<void> {
    const { cancel } = this.#plan;
    if (cancel === undefined) return;
    const { after } = cancel;
    if ('ms' in after && after.ms === 0) await Promise.resolve();
    else if ('ms' in after)
      await Promise.race([this.#stage.clock.sleep(after.ms, stop), this.#until(() => this.#over)]);
    else if ('results' in after) await this.#until(() => this.#results >= after.results || this.#over);
    else if ('calls' in after) await this.#until(() => this.#calls >= after.calls || this.#over);
    else await this.#until(() => this.#over);
    if ((this.#over && !('end' in after)) || this.#stage.signal.aborted) return;
    this.cancelled = true;
    await this.#stage.session.peer.call(
      'cancel_run',
      { run_id: this.#context['run_id'], reason: cancel.reason ?? 'cancel_requested' },
      { signal: this.#stage.signal, timeout: Math.max(1000, this.#stage.grace) },
    );
  }

  #until(met: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): boolean => {
        if (!met()) return false;
        resolve();
        return true;
      };
      if (!look()) this.#changed.push(() => void look());
    });
  }

  #notify(): void {
    for (const look of this.#changed) look();
  }
}

/** A call after the end of its run is refused, and no sooner than it would have been answered: whoever goes on calling is seen to. */
const tooLate = (meant: ApiAnswer): ApiAnswer => ({
  kind: 'error',
  code: 'unauthorized',
  ...('delay' in meant && meant.delay !== undefined && { delay: meant.delay }),
});

const never = (): Promise<never> => new Promise(() => {});

const WRONG_TYPES: JsonObject = {
  message: 7,
  chunk: [],
  results: 'none',
  tool: null,
  result: undefined,
  items: { 0: 'x' },
  next_cursor: 3,
  has_more: 'yes',
  value: [],
  keys: 5,
  value_base64: {},
  content_base64: 9,
  size_bytes: 'big',
  success: 'maybe',
};
