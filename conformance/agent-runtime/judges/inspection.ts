// The inspection of a log: every event is judged as it arrives and, in the order of its stream, by every duty that cares.
// Memory stays flat: sessions that had no event for the longest time are closed and forgotten.
import { isObject } from '../../../common/json.ts';
import { isKnown } from '../catalogue.ts';
import { RuntimeEvent } from '../event.ts';
import { hash, IdTable } from '../intake/id-table.ts';
import { Identity, type Standing } from '../intake/identity.ts';
import { Numbering } from '../intake/numbering.ts';
import { arrive, follow, highest, newStream, repair, type Stream } from '../intake/stream.ts';
import { actionDuty } from './actions.ts';
import { Book } from './book.ts';
import { childDuty } from './children.ts';
import type { Duty, Hear, Heard } from './duty.ts';
import { type Belonging, belonging, envelopeJudges } from './envelope.ts';
import { exportDuty } from './exports.ts';
import { historyDuty, snapshotDuty } from './history.ts';
import { identityDuty } from './identity.ts';
import { type Ledger, newLedger } from './ledger.ts';
import { modelDuty } from './models.ts';
import { type PayloadFields, payloadFields, payloadJudges } from './payload.ts';
import { permissionDuty } from './permissions.ts';
import { queueDuty } from './queues.ts';
import { routingDuty } from './routing.ts';
import { taskDuty } from './tasks.ts';
import { toolDuty } from './tools.ts';
import { turnDuty } from './turns.ts';

/** How many sessions are held unless told otherwise. */
export const SESSIONS = 250;
/** How many types are told apart. */
const TYPES = 1000;

/** All that follows from the type of an event, looked up once. */
interface TypePlan {
  count: number;
  readonly known: boolean;
  readonly belongs: Belonging;
  readonly fields: PayloadFields | undefined;
  readonly hears: readonly Hear[];
}

interface Session {
  stream: Stream;
  ledger: Ledger;
  /** Where each held event stands in the log. */
  places: Map<RuntimeEvent, number>;
  touched: number;
}

export interface InspectionOptions {
  readonly recall: (place: number) => unknown;
  readonly sessions?: number;
}

export class Inspection {
  readonly book = new Book();
  /** What is to be done for each event class and vendor type that came, and how often it came. */
  readonly types = new Map<string, TypePlan>();
  events = 0;
  /** Events that say what they are: without one the file is no log. */
  named = 0;
  repeats = 0;
  gaps = 0;
  late = 0;
  vendorTypes = 0;
  sawMode = false;
  /** An event may have stood where the log could not be read. */
  #holed = false;
  #envelope = envelopeJudges(this.book.page);
  #payload = payloadJudges(this.book.page);
  #plans = new Map<string, readonly Hear[]>();
  #every: readonly Hear[];
  #duties: readonly Duty[];
  #identity: Identity;
  /** One for all events: no judge keeps it. */
  #heard = {} as { -readonly [Part in keyof Heard]: Heard[Part] };
  #numbering = new Numbering();
  #sessions = new Map<string, Session>();
  #sessionOfThread = new Map<string, string>();
  #dropped = new IdTable();
  #most: number;
  #lastId: string | undefined;
  #last: Session | undefined;

  constructor(options: InspectionOptions) {
    this.#identity = new Identity(options.recall);
    this.#most = options.sessions ?? SESSIONS;
    const { page } = this.book;
    // Decisions are noted before tools are judged by them; the ledger of turns before the work in them.
    this.#duties = [
      identityDuty(this.#sessionOfThread),
      queueDuty,
      actionDuty,
      permissionDuty,
      toolDuty,
      modelDuty,
      taskDuty,
      routingDuty,
      childDuty,
      snapshotDuty,
      exportDuty,
      historyDuty,
      turnDuty,
    ].map((duty) => duty(page));
    this.#every = this.#duties.flatMap(({ every }) => (every === undefined ? [] : [every]));
    for (const { on } of this.#duties) {
      for (const [type, hear] of Object.entries(on)) this.#plans.set(type, [...(this.#plans.get(type) ?? []), hear]);
    }
  }

  get sessionsDropped(): number {
    return this.#dropped.size;
  }

  /** The log cannot be read at this place: from now on nothing is held against what seems to be missing. */
  hole(): void {
    this.#holed = true;
    for (const { stream } of this.#sessions.values()) stream.partial = true;
  }

  /**
   * Judges the next event. `place` is told with a violation; `size` is the length of its JSON text;
   * `location` is where `recall` finds it again.
   */
  take(json: unknown, place: number = this.events, size = 0, location = place): void {
    this.events++;
    if (!isObject(json)) {
      this.hole();
      return;
    }
    const event = new RuntimeEvent(json);
    if (event.type !== '' || event.eventId !== undefined) this.named++;
    const session = this.#sessionOf(event.sessionId ?? '');
    const { stream } = session;
    session.touched = this.events;
    const standing: Standing = event.eventId === undefined ? 'new' : this.#identity.see(event.eventId, location, json);
    const plan = this.#planOf(event.type);
    plan.count++;
    if (!plan.known) this.vendorTypes++;
    this.#envelope.judge(event, place, size, standing, highest(stream), plan.belongs);
    if (plan.fields !== undefined) this.#payload(event, place, plan.fields);
    if (standing !== 'new') {
      if (standing === 'repeat') this.repeats++;
      return;
    }
    if (event.sequence !== undefined) this.#numbering.note(event.sequence, highest(stream));
    if (arrive(stream, event, this.#numbering.covers)) this.#hear(session, event, place, plan);
    else session.places.set(event, place);
    if (stream.held.length > 0) this.#release(session, false);
  }

  /** The log is over: what is held goes on, and every session is closed. */
  end(): void {
    for (const session of this.#sessions.values()) this.#close(session);
    this.#sessions.clear();
    this.#lastId = undefined;
  }

  #hear(session: Session, event: RuntimeEvent, place: number, plan: TypePlan): void {
    const { stream, ledger } = session;
    const heard = this.#heard;
    heard.event = event;
    heard.known = plan.known;
    heard.place = place;
    heard.ledger = ledger;
    heard.stream = stream;
    for (const hear of plan.hears) hear(heard);
    ledger.last.place = place;
    if (ledger.mode !== undefined) this.sawMode = true;
    if (stream.gaps.length > 0 && (event.type === 'snapshot.updated' || event.type === 'snapshot.repaired'))
      repair(stream, event);
  }

  #release(session: Session, force: boolean): void {
    const next = (): RuntimeEvent | undefined =>
      force ? follow(session.stream, this.#numbering.covers, true) : follow(session.stream, this.#numbering.covers);
    for (let event = next(); event !== undefined; event = next()) {
      const place = session.places.get(event) ?? 0;
      session.places.delete(event);
      this.#hear(session, event, place, this.#planOf(event.type));
    }
  }

  #close(session: Session): void {
    this.#settle(session);
    for (const { end } of this.#duties) end?.(session.ledger, session.stream);
  }

  #settle(session: Session): void {
    this.#release(session, true);
    this.gaps += session.stream.gaps.length + session.stream.repaired.length;
    this.late += session.stream.late;
  }

  #planOf(type: string): TypePlan {
    let plan = this.types.get(type);
    if (plan === undefined) {
      plan = {
        count: 0,
        known: isKnown(type),
        belongs: belonging(type),
        fields: payloadFields.get(type),
        hears: [...(this.#plans.get(type) ?? []), ...this.#every],
      };
      if (this.types.size < TYPES) this.types.set(type, plan);
    }
    return plan;
  }

  #sessionOf(id: string): Session {
    if (id === this.#lastId) return this.#last!;
    let session = this.#sessions.get(id);
    if (session === undefined) {
      if (this.#sessions.size >= this.#most * 1.25) this.#forget();
      session = { stream: newStream(), ledger: newLedger(), places: new Map(), touched: 0 };
      const [high, low] = hash(id);
      session.stream.partial = this.#holed || this.#dropped.find(high, low) !== undefined;
      this.#sessions.set(id, session);
    }
    this.#lastId = id;
    this.#last = session;
    return session;
  }

  /** A session that leaves memory is closed as if it were over, but nothing is held against what may still come. */
  #forget(): void {
    const oldest = [...this.#sessions].sort(([, a], [, b]) => a.touched - b.touched);
    for (const [id, session] of oldest.slice(0, Math.max(0, oldest.length - this.#most))) {
      this.#settle(session);
      for (const thread of session.ledger.threads) this.#sessionOfThread.delete(thread);
      this.#sessions.delete(id);
      const [high, low] = hash(id);
      this.#dropped.findOrAdd(high, low, 0);
    }
  }
}
