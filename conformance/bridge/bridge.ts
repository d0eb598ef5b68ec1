// From AgentRunner runs to Agent Runtime events (docs/agent-runtime.md, "A LangBot run"). Nothing is invented: what a recording does not
// tell is not told here either, and a run that never ended leaves a turn that never ended.
import { isObject, type JsonObject } from '../../common/json.ts';
import { messageCompleted, type Telling, tellers, textOf, toolEnded, toolStarted } from './results.ts';
import { idsOf, type Say, Scribe } from './scribe.ts';
import type { Moment, Story } from './story.ts';

/** Turns the runs of one case after the other into events; `scope` keeps the ids of unrelated cases apart. */
export class Bridge {
  #scribe: Scribe;

  constructor(host: string, write: (event: JsonObject) => void) {
    this.#scribe = new Scribe(host, write);
  }

  /** Runs that overlap are told as they happened, moment by moment. */
  tell(stories: readonly Story[], scope = ''): void {
    const runs = new Map<Story, RunTold>();
    const moments = stories
      .flatMap((story) => [
        { story, n: story.n, moment: undefined },
        ...story.moments.map((moment) => ({ story, n: moment.n, moment })),
      ])
      .sort((a, b) => a.n - b.n);
    for (const { story, moment } of moments) {
      if (moment === undefined) runs.set(story, this.#begin(story, scope));
      else runs.get(story)?.take(moment);
    }
    for (const run of runs.values()) run.close();
  }

  #begin(story: Story, scope: string): RunTold {
    const scribe = this.#scribe;
    const { ids, attempt, known, free } = idsOf(story, scope, scribe);
    const clock = { now: story.began };
    // Runners name steps and calls within a run; a session holds many runs.
    const own = (id: string | undefined): string | undefined => (id === undefined ? undefined : `${ids.run_id}/${id}`);
    const say: Say = (type, payload = {}, more = {}) =>
      scribe.write(
        type,
        clock.now,
        { ...ids, ...Object.fromEntries(Object.entries(more).map(([name, id]) => [name, own(id)])) },
        payload,
      );
    const { session_id, thread_id } = ids;
    if (scribe.isNew('session', session_id))
      scribe.write('session.created', clock.now, { session_id }, known ? {} : { correlation: 'unavailable' });
    if (scribe.isNew('thread', thread_id)) scribe.write('thread.started', clock.now, { session_id, thread_id }, {});
    begin(story, attempt, say);
    return new RunTold(story, say, clock, free);
  }
}

/** A result says when it was made, in seconds; everything else was seen when it was seen. */
function timeOf(moment: Moment): number {
  const said = moment.kind === 'result' && isObject(moment.value) ? moment.value['timestamp'] : undefined;
  return typeof said === 'number' && said > 0 && said < 1e10 ? said * 1000 : moment.at;
}

function begin({ context, runner, runId }: Story, attempt: number, say: Say): void {
  const part = (name: string): JsonObject => (isObject(context[name]) ? context[name] : {});
  say('turn.submitted', {
    source: textOf(part('trigger')['source']),
    input_ref: `event:${textOf(part('event')['event_id']) ?? runId}`,
  });
  if (attempt === 1) {
    say('task.created', { objective: textOf(part('input')['text']) });
    say('task.accepted');
  } else say('task.retrying', { reason: 'the host handed the same event to a runner again' });
  say('turn.started');
  say('task.attempt.started', { worker: runner });
  say('task.started');
  const access = part('context');
  say('context.resolved', { inline_policy: access['inline_policy'], available_apis: access['available_apis'] });
  say('tool.catalog.resolved', { tools: [...toolsOf(context)].map((tool_name) => ({ tool_name, policy: 'allowed' })) });
}

function toolsOf({ resources }: JsonObject): Set<string> {
  const tools = isObject(resources) && Array.isArray(resources['tools']) ? resources['tools'] : [];
  return new Set(
    tools.flatMap((tool) => (isObject(tool) ? (textOf(tool['tool_name']) ?? textOf(tool['name']) ?? []) : [])),
  );
}

/** One run, moment by moment. */
class RunTold {
  #say: Say;
  #telling: Telling;
  #ended: 'completed' | 'failed' | undefined;
  #delivered = false;
  #cancelled = false;
  #sequence: number | undefined;
  #sent = 0;
  #clock: { now: number };
  #free: () => void;

  constructor({ context }: Story, say: Say, clock: { now: number }, free: () => void) {
    this.#say = say;
    this.#clock = clock;
    this.#free = free;
    this.#telling = { say, tools: toolsOf(context), texts: new Map(), calls: new Map(), messages: 0, open: undefined };
  }

  take(moment: Moment): void {
    this.#clock.now = Math.max(this.#clock.now, timeOf(moment));
    switch (moment.kind) {
      case 'result':
        this.#result(moment.value);
        return;
      case 'call':
      case 'answer':
        this.#call(moment);
        return;
      case 'cancel':
        if (this.#ended !== undefined) return;
        this.#cancelled = true;
        this.#say('task.cancel_requested', { reason: moment.reason });
        return;
      case 'observed':
        this.#delivered ||= moment.delivered;
        return;
      case 'end':
        if (moment.how === 'error' && this.#ended === undefined) this.#warn('stream_error', moment.message);
    }
  }

  /** The recording is over. What the host shows of a delivery settles the task; without it the task is not completed. */
  close(): void {
    if (this.#ended === undefined) {
      this.#warn('no_terminal_result', 'the stream ended without run.completed or run.failed');
      this.#say('task.lost', { reason: 'the recording shows no end of the run' });
    } else if (this.#ended === 'completed') {
      if (this.#delivered) this.#say('task.completed', { delivery_state: 'delivered' });
      else this.#say('task.progress', { phase: 'delivering' });
    }
  }

  #result(value: unknown): void {
    const type = isObject(value) ? textOf(value['type']) : undefined;
    if (!isObject(value) || type === undefined) this.#warn('no_result', 'a result that is none');
    else if (this.#ended !== undefined)
      this.#warn('after_the_end', `${type} came after the end of the run and was not applied`, type);
    else if (this.#inOrder(value['sequence'], type)) this.#apply(type, value);
  }

  #apply(type: string, { data: given, usage }: JsonObject): void {
    const data = isObject(given) ? given : {};
    if (isObject(usage))
      this.#say('cost.recorded', {
        input_tokens: count(usage['prompt_tokens']),
        output_tokens: count(usage['completion_tokens']),
      });
    if (type === 'run.completed') this.#completed(data);
    else if (type === 'run.failed') this.#failed(data);
    else if (tellers[type] === undefined) this.#warn('unknown_type', `${type} is not known and was ignored`, type);
    else {
      tellers[type](this.#telling, data);
      if (type === 'message.completed') this.#sent++;
    }
  }

  /** A number that came before is a repeat and not applied; one that was left out is told. */
  #inOrder(sequence: unknown, type: string): boolean {
    if (typeof sequence !== 'number') return true;
    const last = this.#sequence;
    if (last !== undefined && sequence <= last) {
      this.#warn('repeated_result', `${type} has the sequence ${sequence} after ${last} and was not applied`, type);
      return false;
    }
    if (last !== undefined && sequence > last + 1)
      this.#warn('missing_results', `${type} has the sequence ${sequence} after ${last}`, type);
    this.#sequence = sequence;
    return true;
  }

  #completed(data: JsonObject): void {
    const { message, finish_reason } = data;
    if (isObject(message) && this.#sent === 0) messageCompleted(this.#telling, message);
    this.#ended = 'completed';
    this.#free();
    this.#say('task.attempt.completed', { status_reason: textOf(finish_reason) });
    this.#say('turn.completed', { status_reason: textOf(finish_reason) });
  }

  #failed(data: JsonObject): void {
    const code = textOf(data['code']) ?? 'unknown';
    const message = textOf(data['message']) ?? textOf(data['error']);
    const retryable = typeof data['retryable'] === 'boolean' ? data['retryable'] : undefined;
    this.#ended = 'failed';
    this.#free();
    const cancelled = code === 'cancelled' && this.#cancelled;
    if (code === 'rate_limited')
      this.#say('rate_limit.hit', { kind: 'rate_limit', limit_key: 'runner', state: 'limited', reason: message });
    const why = { failure_category: code, error: { message }, retryable };
    this.#say('task.attempt.failed', { failure_category: code, last_error: { message }, retryable });
    this.#say('turn.failed', { status: cancelled ? 'cancelled' : 'failed', ...why });
    if (cancelled) this.#say('task.cancelled', { reason: message });
    else if (code === 'deadline_exceeded' || code === 'runner.timeout')
      this.#say('task.timed_out', { reason: message });
    else if (retryable === true) this.#say('task.waiting', { waiting_for: 'retry', reason: message });
    else this.#say('task.failed', { failure_category: code, last_error: { message }, reason: message });
  }

  /** Host API calls that are facts of the runtime: models that it asked, tools that it ran. */
  #call({ kind, id, action, data, ok }: Extract<Moment, { kind: 'call' | 'answer' }>): void {
    if (this.#ended !== undefined) {
      if (kind === 'call') this.#warn('after_the_end', `${action} was called after the end of the run`);
      return;
    }
    const ids = { step_id: `api:${id}`, request_id: `api:${id}` };
    if (action === 'call_tool') {
      const call = { ...ids, tool_call_id: `api:${id}` };
      if (kind === 'call') toolStarted(this.#telling, call, textOf(data['tool_name']), data['parameters']);
      else toolEnded(this.#telling, call, data['result'] ?? data, ok ? undefined : errorOf(data));
    } else if (action === 'invoke_llm' || action === 'invoke_llm_stream') {
      if (kind === 'call') this.#say('model.requested', { model: textOf(data['llm_model_uuid']) }, ids);
      else if (ok) this.#say('model.completed', { usage: data['usage'] ?? 'unknown', stop_reason: 'unknown' }, ids);
      else this.#say('model.failed', { error: errorOf(data) }, ids);
    }
  }

  #warn(code: string, message: string, native_type?: string): void {
    this.#say('runtime.warning', { code, message, native_type });
  }
}

const errorOf = ({ error }: JsonObject): unknown => error ?? { message: 'refused' };
const count = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
