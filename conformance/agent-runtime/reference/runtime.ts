// The reference runtime: commands in, events out. What it knows follows from its log, so a restart loses nothing.
import type { JsonObject } from '../../../common/json.ts';
import * as validators from '../../../schemas/agent-runtime/0.3.9/validators.js';
import { commands, families } from '../catalogue.ts';
import { readModels } from '../models/all.ts';
import type { ReadModel } from '../models/model.ts';
import { Replay } from '../replay.ts';
import { type Command, type Desk, found, must, refuse, type Style, text } from './desk.ts';
import { otherCommands } from './others.ts';
import { camelled } from './spelling.ts';
import type { EventStore } from './store.ts';
import { taskCommands } from './tasks.ts';
import { turnCommands } from './turns.ts';
import { type Ids, learn, newWorld, type World } from './world.ts';

export interface RuntimeOptions {
  readonly store: EventStore;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly style?: Partial<Style>;
  /** Read models as this runtime folds them. */
  readonly models?: readonly ReadModel[];
  /** Commands that this runtime does in another way. */
  readonly overrides?: Readonly<Record<string, (usual: Command) => Command>>;
  /** What this runtime does to an event before it keeps it: nothing. */
  readonly tamper?: () => (event: JsonObject) => readonly JsonObject[];
  /** Keep what a command said before it was refused: no. */
  readonly keepRefused?: boolean;
  /** What of the log a restart brings back: all of it. */
  readonly afterRestart?: (events: readonly JsonObject[]) => readonly JsonObject[];
  /** What of the log of another runtime it reads: all of it. */
  readonly reads?: (event: JsonObject) => JsonObject;
}

/** How many steps a window over the history of a session holds. */
const WINDOW = 20;

export class ReferenceRuntime {
  #options: RuntimeOptions;
  #style: Style;
  #world: World = newWorld();
  #log: JsonObject[] = [];
  #unkept: JsonObject[] = [];
  #replay: Replay | undefined;
  /** Is the log that it reads over? Its own goes on. */
  #ended = false;
  #commands: Readonly<Record<string, Command>>;
  #tamper: ((event: JsonObject) => readonly JsonObject[]) | undefined;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#style = { casing: 'snake', numbering: 'session', queue: 'list', ...options.style };
    const usual: Record<string, Command> = { ...turnCommands, ...taskCommands, ...otherCommands, ...this.#queries() };
    for (const [name, change] of Object.entries(options.overrides ?? {})) usual[name] = change(usual[name]!);
    this.#commands = usual;
    this.#tamper = options.tamper?.();
    this.#recover(options.store.load());
  }

  get hello(): JsonObject {
    return {
      runtime: { name: 'runcert-reference-runtime', version: '1' },
      revision: '0.3.9',
      commands: Object.keys(this.#commands).sort(),
      models: (this.#options.models ?? readModels).map(({ name }) => name),
      families: [...families],
      features: ['script', 'restart', 'load'],
    };
  }

  /** Does a command. A refusal throws, and leaves no event behind. */
  command(name: string, input: JsonObject): JsonObject {
    const model = commands.get(name);
    const command = this.#commands[name];
    if (model === undefined || command === undefined) refuse('unknown_command', `there is no command ${name}`);
    const [wrong] = validators.check(model!.input as never, input);
    if (wrong !== undefined)
      refuse('invalid_input', `${wrong.path}: ${wrong.found}, where ${wrong.expected} is expected`);
    const desk = this.#desk();
    try {
      const answer = command!(desk, input);
      this.#keep();
      return answer;
    } catch (error) {
      if (this.#options.keepRefused) this.#keep();
      else if (this.#unkept.length > 0) this.#forgetUnkept();
      throw error;
    }
  }

  /** A command that was refused half-way has never been: what is kept is all there is. */
  #forgetUnkept(): void {
    this.#unkept = [];
    this.#world = newWorld();
    this.#recover(this.#log.splice(0));
  }

  /** Events after the n-th, in the order they were written. */
  events(after: number): readonly JsonObject[] {
    return this.#log.slice(after);
  }

  /** A read model of one session, or `unknown` where there is no such session. */
  model(name: string, sessionId: string): JsonObject {
    const models = this.#options.models ?? readModels;
    if (!models.some((model) => model.name === name)) refuse('not_found', `there is no read model ${name}`);
    const [shown] = this.#replayed().show({ model: name, session: sessionId, ended: this.#ended });
    return (shown?.models[name] as JsonObject | undefined) ?? { status: 'unknown' };
  }

  /** Shows read models of this log, as it was delivered, in place of its own; until it is reset or restarted. */
  load(events: readonly JsonObject[], ended: boolean): void {
    const { reads = (event) => event } = this.#options;
    this.#replay = this.#replayOf(events.map(reads));
    this.#ended = ended;
  }

  /** Forgets what is in memory and loads what was kept. */
  restart(): void {
    const kept = this.#options.store.load();
    this.#world = newWorld();
    this.#log = [];
    this.#replay = undefined;
    this.#ended = false;
    this.#recover(this.#options.afterRestart?.(kept) ?? kept);
  }

  reset(): void {
    this.#options.store.clear();
    this.#tamper = this.#options.tamper?.();
    this.restart();
  }

  #recover(events: readonly JsonObject[]): void {
    for (const event of events) {
      learn(this.#world, event);
      this.#log.push(event);
    }
  }

  #desk(): Desk {
    this.#unkept = [];
    return {
      world: this.#world,
      style: this.#style,
      say: (type, ids, payload) => this.#say(type, ids, payload ?? {}),
      fresh: (kind) => `${kind}_${this.#world.events + 1}`,
    };
  }

  #say(type: string, ids: Ids, payload: JsonObject): void {
    const session = ids.session_id ?? '';
    const number = this.#world.events + 1;
    const sequence = this.#style.numbering === 'log' ? number : (this.#world.sequences.get(session) ?? 0) + 1;
    const event: JsonObject = {
      type,
      event_id: `evt_${number}`,
      timestamp: new Date(this.#options.now()).toISOString(),
      ...(this.#style.numbering === 'none' ? {} : { sequence }),
      schema_version: '0.3.9',
      runtime_id: 'runtime_reference',
      ...ids,
      payload,
    };
    learn(this.#world, event);
    const spelled = this.#style.casing === 'camel' ? camelled(event) : event;
    this.#unkept.push(...(this.#tamper?.(spelled) ?? [spelled]));
  }

  #keep(): void {
    this.#options.store.append(this.#unkept);
    this.#log.push(...this.#unkept);
    for (const event of this.#unkept) this.#replay?.take(event);
    this.#unkept = [];
  }

  #replayed(): Replay {
    this.#replay ??= this.#replayOf(this.#log);
    return this.#replay;
  }

  #replayOf(log: readonly JsonObject[]): Replay {
    const { models } = this.#options;
    const replay = new Replay({ ...(models === undefined ? {} : { models }), recall: (place) => log[place] });
    for (const event of log) replay.take(event);
    return replay;
  }

  /** Queries answer from read models; they write nothing. */
  #queries(): Record<string, Command> {
    const of =
      (model: string): Command =>
      (_, input) =>
        this.model(model, text(input, 'session_id') ?? '');
    const one =
      (model: string, list: string, key: string): Command =>
      (desk, input) => {
        const id = must(input, key);
        const ids = key === 'task_id' ? found(desk.world.tasks, id, 'task').ids : found(desk.world.jobs, id, 'job').ids;
        const shown = this.model(model, ids.session_id ?? '')[list] as readonly JsonObject[] | undefined;
        return shown?.find((entry) => entry[key] === id) ?? { [key]: id, status: 'unknown' };
      };
    return {
      list_tasks: of('task_snapshot'),
      get_task: one('task_snapshot', 'tasks', 'task_id'),
      get_thread_read: (_, input) => {
        const threads = this.model('thread_read_model', must(input, 'session_id'))['threads'] as
          | readonly JsonObject[]
          | undefined;
        return (
          threads?.find((thread) => thread['thread_id'] === must(input, 'thread_id')) ??
          refuse('not_found', `there is no thread ${must(input, 'thread_id')}`)
        );
      },
      get_tool_inventory: of('tool_inventory_snapshot'),
      get_execution_environment: of('execution_environment_snapshot'),
      list_subagents: of('subagent_job_summary'),
      list_jobs: of('subagent_job_summary'),
      get_job: one('subagent_job_summary', 'jobs', 'job_id'),
      get_session: (desk, input) => this.#window(desk, input),
    };
  }

  /** The snapshot of a session with the newest steps, or those before a cursor; `cursor` leads to what is older. */
  #window(desk: Desk, input: JsonObject): JsonObject {
    const session = must(input, 'session_id');
    const steps = desk.world.steps.get(session) ?? [];
    const before = text(input, 'cursor');
    const end = before === undefined ? steps.length : steps.indexOf(before);
    if (end === -1) refuse('not_found', `there is no cursor ${before}`);
    const limit = typeof input['limit'] === 'number' ? Math.max(1, Math.floor(input['limit'])) : WINDOW;
    const start = Math.max(0, end - limit);
    return {
      snapshot: this.model('session_snapshot', session),
      step_ids: steps.slice(start, end),
      cursor: start > 0 ? steps[start]! : null,
    };
  }
}
