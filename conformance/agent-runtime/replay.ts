// Replay: a log in, read models out. It owns the states it folds, session by session, and stays flat in memory:
// only so many sessions are held, those that had no event for the longest time go first.
import { isObject, type JsonObject } from '../../common/json.ts';
import { isKnown } from './catalogue.ts';
import { RuntimeEvent } from './event.ts';
import { hash, IdTable } from './intake/id-table.ts';
import { Identity, type IdentityDump } from './intake/identity.ts';
import { Numbering, type NumberingDump } from './intake/numbering.ts';
import { arrive, follow, highest, newStream, repair, type Stream } from './intake/stream.ts';
import { readModels } from './models/all.ts';
import { freshnessOf, type ReadModel, type Step } from './models/model.ts';
import { dump, load, type Packed } from './snapshot.ts';

/** How many sessions are held unless told otherwise. */
export const SESSIONS = 250;

export interface ReplayOptions {
  /** Which models to fold; all thirteen unless told otherwise. */
  readonly models?: readonly ReadModel[];
  readonly sessions?: number;
  /** A session that is held however long it had no event. */
  readonly keep?: string;
  /** Gives back the event at a place; needed to tell a repeat from a conflict. */
  readonly recall: (place: number) => unknown;
}

interface Session {
  stream: Stream;
  states: unknown[];
  /** When it last had an event, in events of the log. */
  touched: number;
}

export interface Shown {
  readonly session_id: string | null;
  readonly models: Readonly<Record<string, unknown>>;
}

export interface ReplayCounts {
  events: number;
  repeats: number;
  conflicts: number;
  held: number;
  late: number;
  unrecognised: Record<string, number>;
  dropped_sessions: number;
}

/** What one event means to each model that cares: the step, and where its state stands. */
type Plan = readonly { readonly model: number; readonly step: Step<unknown> }[];

export class Replay {
  #models: readonly ReadModel[];
  #plans = new Map<string, Plan>();
  #every: Plan;
  #sessions = new Map<string, Session>();
  #most: number;
  #keep: string | undefined;
  #identity: Identity;
  #numbering = new Numbering();
  #events = 0;
  #named = 0;
  #unrecognised = new Map<string, number>();
  /** Sessions that are not held any more: one that comes back must not look whole. */
  #dropped = new IdTable();
  #repeats = 0;
  #holed = false;
  #conflicts = 0;
  /** The session of the last event: the next is mostly in the same. */
  #lastId: string | undefined;
  #last: Session | undefined;

  constructor(options: ReplayOptions) {
    this.#models = options.models ?? readModels;
    this.#most = options.sessions ?? SESSIONS;
    this.#keep = options.keep;
    this.#identity = new Identity(options.recall);
    this.#every = this.#models.flatMap((model, i) =>
      model.every === undefined ? [] : [{ model: i, step: model.every }],
    );
    for (const [i, model] of this.#models.entries()) {
      for (const [type, step] of model.steps)
        this.#plans.set(type, [...(this.#plans.get(type) ?? []), { model: i, step }]);
    }
  }

  /** Events that say what they are. */
  get named(): number {
    return this.#named;
  }

  get events(): number {
    return this.#events;
  }

  /** The log cannot be read at this place: no session is known whole from now on. */
  hole(): void {
    this.#holed = true;
    for (const { stream } of this.#sessions.values()) stream.partial = true;
  }

  /** Takes the next event of the log. Total: what is no event is counted and changes nothing. */
  take(json: unknown, place: number = this.#events): void {
    this.#events++;
    if (!isObject(json)) {
      this.#strange('(no object)');
      return;
    }
    const event = new RuntimeEvent(json);
    if (event.type !== '' || event.eventId !== undefined) this.#named++;
    const session = this.#sessionOf(event.sessionId ?? '');
    session.touched = this.#events;
    if (event.eventId !== undefined) {
      const standing = this.#identity.see(event.eventId, place, json);
      if (standing !== 'new') {
        this.#again(session.stream, event.eventId, standing);
        return;
      }
    }
    const { stream } = session;
    if (event.sequence !== undefined) this.#numbering.note(event.sequence, highest(stream));
    if (arrive(stream, event, this.#numbering.covers)) this.#apply(session, event);
    if (stream.held.length > 0) this.#release(session);
  }

  /** The read models of every session that is held, as JSON. `ended`: the log is over, so what was going on is stale. */
  show(options: { readonly ended?: boolean; readonly model?: string; readonly session?: string } = {}): Shown[] {
    const shown: Shown[] = [];
    for (const [id, held] of this.#sessions) {
      if (options.session !== undefined && options.session !== id) continue;
      const session = held.stream.held.length === 0 ? held : this.#settled(held);
      const fresh = freshnessOf(session.stream, options.ended ?? false);
      const models: Record<string, unknown> = {};
      for (const [i, model] of this.#models.entries()) {
        if (options.model === undefined || options.model === model.name)
          // A model shows parts of its state as they are, and goes on changing them in place.
          models[model.name] = structuredClone(model.show(session.states[i], fresh));
      }
      shown.push({ session_id: id === '' ? null : id, models });
    }
    return shown;
  }

  counts(): ReplayCounts {
    let held = 0;
    let late = 0;
    for (const { stream } of this.#sessions.values()) {
      held += stream.held.length;
      late += stream.late;
    }
    return {
      events: this.#events,
      repeats: this.#repeats,
      conflicts: this.#conflicts,
      held,
      late,
      unrecognised: Object.fromEntries(this.#unrecognised),
      dropped_sessions: this.#dropped.size,
    };
  }

  /** All that is needed to go on later, as JSON. */
  snapshot(): Packed {
    return dump({
      sessions: this.#sessions,
      identity: this.#identity.toJSON(),
      numbering: this.#numbering.toJSON(),
      events: this.#events,
      unrecognised: this.#unrecognised,
      dropped: this.#dropped.dump(),
      repeats: this.#repeats,
      conflicts: this.#conflicts,
      holed: this.#holed,
    });
  }

  static from(snapshot: Packed, options: ReplayOptions): Replay {
    const replay = new Replay(options);
    const saved = load(snapshot) as {
      sessions: Map<string, Session>;
      identity: IdentityDump;
      numbering: NumberingDump;
      events: number;
      unrecognised: Map<string, number>;
      dropped: readonly number[];
      repeats: number;
      conflicts: number;
      holed: boolean;
    };
    replay.#sessions = saved.sessions;
    replay.#identity = Identity.from(saved.identity, options.recall);
    replay.#numbering = Numbering.from(saved.numbering);
    replay.#events = saved.events;
    replay.#unrecognised = saved.unrecognised;
    replay.#dropped = IdTable.load(saved.dropped);
    replay.#repeats = saved.repeats;
    replay.#conflicts = saved.conflicts;
    replay.#holed = saved.holed;
    return replay;
  }

  #apply({ stream, states }: Session, event: RuntimeEvent): void {
    const { type } = event;
    if (stream.gaps.length > 0 && (type === 'snapshot.updated' || type === 'snapshot.repaired')) repair(stream, event);
    const plan = this.#plans.get(type);
    if (plan !== undefined) for (const { model, step } of plan) step(states[model], event);
    else if (!isKnown(type)) {
      this.#strange(type);
      return;
    }
    for (const { model, step } of this.#every) step(states[model], event);
  }

  #release(session: Session): void {
    for (
      let next = follow(session.stream, this.#numbering.covers);
      next !== undefined;
      next = follow(session.stream, this.#numbering.covers)
    ) {
      this.#apply(session, next);
    }
  }

  /** A copy in which nothing is waited for any longer: what would be known if no more events came. */
  #settled(held: Session): Session {
    const session = load(dump(held)) as Session;
    const counted = new Map(this.#unrecognised);
    for (
      let next = follow(session.stream, this.#numbering.covers, true);
      next !== undefined;
      next = follow(session.stream, this.#numbering.covers, true)
    ) {
      this.#apply(session, next);
    }
    this.#unrecognised = counted;
    return session;
  }

  #sessionOf(id: string): Session {
    if (id === this.#lastId) return this.#last!;
    let session = this.#sessions.get(id);
    if (session === undefined) {
      if (this.#sessions.size >= this.#most * 1.25) this.#forget();
      session = { stream: newStream(), states: this.#models.map((model) => model.initial()), touched: 0 };
      const [high, low] = hash(id);
      session.stream.partial = this.#holed || this.#dropped.find(high, low) !== undefined;
      this.#sessions.set(id, session);
    }
    this.#lastId = id;
    this.#last = session;
    return session;
  }

  #forget(): void {
    const oldest = [...this.#sessions].sort(([, a], [, b]) => a.touched - b.touched);
    for (const [id] of oldest.slice(0, Math.max(0, oldest.length - this.#most))) {
      if (id === this.#keep) continue;
      this.#sessions.delete(id);
      const [high, low] = hash(id);
      this.#dropped.findOrAdd(high, low, 0);
    }
  }

  #again(stream: Stream, eventId: string, standing: 'repeat' | 'conflict'): void {
    if (standing === 'repeat') {
      stream.repeats++;
      this.#repeats++;
    } else {
      this.#conflicts++;
      if (stream.conflicts.length < 100 && !stream.conflicts.includes(eventId)) stream.conflicts.push(eventId);
    }
  }

  #strange(type: string): void {
    const name = this.#unrecognised.has(type) || this.#unrecognised.size < 100 ? type : '(others)';
    this.#unrecognised.set(name, (this.#unrecognised.get(name) ?? 0) + 1);
  }
}

/** Folds a whole list of events. */
export function replayAll(events: readonly JsonObject[], options: Omit<ReplayOptions, 'recall'> = {}): Replay {
  const replay = new Replay({ ...options, recall: (place) => events[place] });
  for (const event of events) replay.take(event);
  return replay;
}
