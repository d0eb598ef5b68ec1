// What people look for in a log: who waited for whom, which try failed, and what was tried again.
import { type RuntimeEvent, texts } from '../conformance/agent-runtime/event.ts';
import { entriesOf } from '../conformance/agent-runtime/models/queue.ts';
import { cut } from './text.ts';

export interface Wait {
  readonly who: string;
  readonly for: string;
  /** Lines of the log; without `to` nothing ended the wait. */
  readonly from: number;
  to?: number;
  /** How it ended. */
  end?: string;
}

export interface Try {
  /** What was tried: a task, an item of a job, a model. */
  readonly what: string;
  readonly name: string;
  readonly from: number;
  to?: number;
  status: string;
  why?: string;
  /** What was tried in its place. */
  next?: string;
}

export interface LogStory {
  readonly waits: readonly Wait[];
  readonly tries: readonly Try[];
  /** More than these came, and are not kept. */
  readonly left: number;
}

/** How many of each are kept; what failed or still waits is kept before what went well. */
const MOST = 200;
const LONG = 160;

/** Listens to a log, event by event. */
export class StoryTeller {
  #waits: Wait[] = [];
  #tries: Try[] = [];
  #left = 0;
  #open = new Map<string, Wait>();
  #running = new Map<string, Try>();
  /** The turn that is at work on each thread, and those behind it. */
  #active = new Map<string, string>();
  #queued = new Map<string, Set<string>>();
  /** The last try of each task, item or choice of a model. */
  #last = new Map<string, Try>();

  hear(event: RuntimeEvent, line: number): void {
    const { type } = event;
    if (type.startsWith('turn.') || type === 'queue.changed') this.#turn(event, line);
    else if (type.startsWith('action.')) this.#action(event, line);
    else if (type.startsWith('task.')) this.#task(event, line);
    else if (type.startsWith('job.item.')) this.#item(event, line);
    else if (type === 'routing.fallback.applied') this.#fallback(event, line);
    else if (type.startsWith('channel.permission_')) this.#forwarded(event, line);
  }

  story(): LogStory {
    return { waits: this.#waits, tries: this.#tries, left: this.#left };
  }

  #turn(event: RuntimeEvent, line: number): void {
    const { type, turnId, sessionId, threadId } = event;
    const thread = `${sessionId} ${threadId}`;
    const queued = this.#queued.get(thread) ?? new Set();
    this.#queued.set(thread, queued);
    if (type === 'queue.changed') {
      const list = event.list('queuedTurns');
      const removed = event.text('op') === 'remove' ? [event.id('queuedTurnId') ?? turnId ?? ''] : [];
      const listed = list === undefined ? undefined : new Set(entriesOf(list, []).map((entry) => entry.turnId));
      for (const turn of [...queued].filter((one) => removed.includes(one) || listed?.has(one) === false))
        this.#ends(`${thread} ${turn}`, line, 'left the queue');
      return;
    }
    if (turnId === undefined) return;
    const active = this.#active.get(thread);
    if (type === 'turn.submitted') {
      if (active === undefined || active === turnId) this.#active.set(thread, turnId);
      else {
        queued.add(turnId);
        this.#begins(`${thread} ${turnId}`, { who: `turn ${turnId}`, for: `turn ${active}`, from: line });
      }
    } else if (type === 'turn.started') {
      this.#ends(`${thread} ${turnId}`, line, 'started');
      queued.delete(turnId);
      this.#active.set(thread, turnId);
    } else {
      this.#ends(`${thread} ${turnId}`, line, type);
      queued.delete(turnId);
      if (active === turnId) this.#active.delete(thread);
    }
  }

  #action(event: RuntimeEvent, line: number): void {
    const { actionId, type } = event;
    if (actionId === undefined) return;
    const key = `action ${event.sessionId} ${actionId}`;
    if (type === 'action.resolved') {
      this.#ends(key, line, `answered: ${event.text('decision') ?? 'unknown'}`);
      return;
    }
    const prompt = event.text('prompt') ?? event.text('actionType');
    this.#begins(key, {
      who: whoOf(event),
      for: `an answer to ${actionId}${prompt === undefined ? '' : ` (${prompt})`}`,
      from: line,
    });
  }

  #task(event: RuntimeEvent, line: number): void {
    const { type, runId } = event;
    const task = event.taskId;
    if (task === undefined) return;
    const key = `task ${event.sessionId} ${task}`;
    switch (type) {
      case 'task.waiting':
      case 'task.blocked': {
        const what = [event.text('waitingFor'), ...texts(event.list('actionIds')), ...texts(event.list('blockers'))];
        const named = what.filter((one) => one !== undefined).join(', ') || event.text('reason');
        this.#begins(key, { who: `task ${task}`, for: named ?? 'unknown', from: line });
        return;
      }
      case 'task.dependency.updated': {
        const target = event.text('targetId', 'taskRelationship');
        if (event.text('kind', 'taskRelationship') !== 'blocked_by' || target === undefined) return;
        const edge = `edge ${event.sessionId} ${target} ${task}`;
        if (event.text('op') === 'remove') this.#ends(edge, line, 'the edge was taken away');
        else this.#begins(edge, { who: `task ${task}`, for: `task ${target}`, from: line });
        return;
      }
      case 'task.attempt.started': {
        this.#ends(key, line, type);
        if (runId !== undefined)
          this.#attempt(key, `${key} ${runId}`, { what: `task ${task}`, name: runId, from: line, status: 'running' });
        return;
      }
      case 'task.attempt.completed':
      case 'task.attempt.failed':
        this.#tried(`${key} ${runId}`, line, type.slice('task.attempt.'.length), whyOf(event));
        return;
      case 'task.completed':
      case 'task.failed':
      case 'task.cancelled':
      case 'task.timed_out':
      case 'task.lost':
        this.#ends(key, line, type);
        for (const [edge] of [...this.#open].filter(([one]) => one.startsWith(`edge ${event.sessionId} ${task} `)))
          this.#ends(edge, line, type);
        for (const [run, one] of [...this.#running].filter(([name]) => name.startsWith(`${key} `)))
          if (one.status === 'running') this.#tried(run, line, type.slice('task.'.length), whyOf(event));
        return;
      case 'task.resumed':
      case 'task.started':
      case 'task.retrying':
        this.#ends(key, line, type);
    }
  }

  #item(event: RuntimeEvent, line: number): void {
    const job = event.id('jobId');
    const item = event.id('jobItemId');
    if (job === undefined || item === undefined) return;
    const key = `item ${event.sessionId} ${job} ${item}`;
    if (event.type !== 'job.item.started') this.#tried(key, line, event.type.slice('job.item.'.length), whyOf(event));
    else this.#attempt(key, key, { what: `job ${job}`, name: item, from: line, status: 'running' });
  }

  #fallback(event: RuntimeEvent, line: number): void {
    const from = event.text('fromModel') ?? 'unknown';
    const to = event.text('toModel') ?? 'unknown';
    const why = event.text('reason');
    this.#keep(this.#tries, {
      what: `model for ${whoOf(event)}`,
      name: from,
      from: line,
      to: line,
      status: 'failed',
      next: to,
      ...(why === undefined ? {} : { why }),
    });
  }

  #forwarded(event: RuntimeEvent, line: number): void {
    const channel = event.id('channelId') ?? 'unknown';
    const key = `channel ${channel} ${event.actionId ?? event.toolCallId ?? ''}`;
    if (event.type === 'channel.permission_returned')
      this.#ends(key, line, `returned: ${event.text('decision') ?? 'unknown'}`);
    else this.#begins(key, { who: whoOf(event), for: `the peer of channel ${channel}`, from: line });
  }

  #begins(key: string, wait: Wait): void {
    if (this.#open.has(key)) return;
    const kept = { ...wait, who: cut(wait.who, LONG), for: cut(wait.for, LONG) };
    this.#open.set(key, kept);
    this.#keep(this.#waits, kept, ({ to }) => to !== undefined);
  }

  #ends(key: string, line: number, how: string): void {
    const wait = this.#open.get(key);
    if (wait === undefined) return;
    wait.to = line;
    wait.end = cut(how, LONG);
    this.#open.delete(key);
  }

  /** A new try of the same thing takes the place of the last one. */
  #attempt(thing: string, key: string, one: Try): void {
    const last = this.#last.get(thing);
    if (last !== undefined && last.status !== 'completed')
      last.next = one.name === last.name ? 'tried again' : one.name;
    this.#last.set(thing, one);
    this.#running.set(key, one);
    this.#keep(this.#tries, one, ({ status }) => status === 'completed');
  }

  #tried(key: string, line: number, status: string, why: string | undefined): void {
    const one = this.#running.get(key);
    if (one === undefined) return;
    one.to = line;
    one.status = status;
    if (why !== undefined && status !== 'completed') one.why = cut(why, LONG);
    this.#running.delete(key);
  }

  #keep<T>(list: T[], item: T, dull: (item: T) => boolean = () => false): void {
    list.push(item);
    if (list.length <= MOST) return;
    this.#left++;
    const place = list.findIndex(dull);
    list.splice(place === -1 ? 0 : place, 1);
  }
}

const whoOf = ({ toolCallId, turnId, taskId, threadId }: RuntimeEvent): string => {
  if (toolCallId !== undefined) return `tool call ${toolCallId}`;
  if (turnId !== undefined) return `turn ${turnId}`;
  return taskId === undefined ? `thread ${threadId ?? 'unknown'}` : `task ${taskId}`;
};

function whyOf(event: RuntimeEvent): string | undefined {
  const error = event.get('lastError', 'taskAttempt') ?? event.get('lastError', 'jobItem');
  const message = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error;
  const words = [event.text('failureCategory', 'taskAttempt') ?? event.text('reason'), message];
  return words.filter((word) => typeof word === 'string' && word !== '').join(': ') || undefined;
}
