// The reference host: gateway, binding, registry, resources, context, orchestrator, sessions, APIs and log, put together.
// It waits on promises and on its clock alone, and keeps everything that matters in its log.
import type { JsonObject, JsonValue } from '../../../common/json.ts';
import type { Clock } from '../../driving/clock.ts';
import { type Answer, Refusal } from '../../wire/peer.ts';
import { admit } from './calls.ts';
import type { Descriptor } from './discovery.ts';
import { grantsOf } from './grants.ts';
import type { Inventory } from './inventory.ts';
import type { HostLimits } from './limits.ts';
import { observationOf } from './observe.ts';
import { Orchestrator, type Runtime } from './orchestrator.ts';
import type { HostParts } from './parts.ts';
import type { Denial } from './refusal.ts';
import { readListing } from './registry.ts';
import { malformed } from './results.ts';
import { type Session, SessionRegistry } from './sessions.ts';
import type { RunStart } from './shapes.ts';
import { EventLog } from './stores/log.ts';
import type { Medium } from './stores/medium.ts';

export interface HostOptions {
  readonly clock: Clock;
  readonly medium: Medium;
  readonly limits: HostLimits;
  readonly inventory: Inventory;
  readonly parts: HostParts;
  readonly runtime: Runtime & { ask(action: string, data: JsonObject): Promise<Answer> };
}

export class ReferenceHost {
  #o: HostOptions;
  #log: EventLog;
  #sessions = new SessionRegistry();
  #orchestrator: Orchestrator;
  #runners: ReadonlyMap<string, Descriptor> = new Map();

  constructor(options: HostOptions) {
    this.#o = options;
    this.#log = new EventLog(options.medium, options.clock, options.parts.recover);
    this.#orchestrator = new Orchestrator({ ...options, log: this.#log, sessions: this.#sessions });
    this.#endLostRuns();
  }

  /** Asks the Runtime anew. Whatever cannot be used is left out with a warning. */
  async discover(): Promise<JsonObject> {
    const { parts, runtime } = this.#o;
    const answer = await parts.askForRunners(runtime.ask, parts.listRequest());
    const { runners, leftOut } = parts.settleListing(readListing(answer, parts));
    this.#runners = runners;
    return { runners: parts.idsOf(runners), warnings: leftOut.map((warning): JsonObject => ({ ...warning })) };
  }

  /** Runs an event under a binding: answers its run id as soon as there is one, and goes on by itself. */
  submit(data: JsonObject): JsonObject {
    const { parts, limits } = this.#o;
    const event = parts.readEnvelope(data['event']);
    if ('problem' in event) throw new Refusal(event.problem);
    const binding = parts.readBinding(data['binding']);
    if ('problem' in binding) throw new Refusal(binding.problem);
    const unbound = parts.whyNotBound(binding, event);
    if (unbound !== undefined) return { run_id: null, reason: unbound };
    const descriptor = parts.findRunner(binding.runner_id, this.#runners);
    if (descriptor === undefined) return { run_id: null, reason: 'no such runner is available' };

    const { clock } = this.#o;
    const light = parts.moveOutLarge(event, limits.inline_bytes);
    const identity = `${descriptor.plugin.author}/${descriptor.plugin.name}`;
    const scope = parts.scopeOf(event);
    const run: RunStart = {
      run_id: parts.runIdOf(this.#log.memory.runs.size + 1, event),
      runner_id: descriptor.id,
      identity,
      binding_id: binding.binding_id,
      event_id: event.event_id,
      scope,
      owners: parts.ownersOf({ runner_id: descriptor.id, binding_id: binding.binding_id, identity, scope }),
      deadline: parts.deadlineOf(binding, clock.now(), limits.run_ms),
    };
    const grants = grantsOf(parts.grants, { descriptor, binding, scope: run.scope, inventory: this.#o.inventory });
    const session: Session = {
      run,
      descriptor,
      grants,
      delivery: parts.deliveryOf(light.event, binding),
      calls: [],
      sequences: new Set(),
      results: 0,
      answered: false,
      over: new AbortController(),
    };
    const artifacts = light.moved
      .filter(({ artifact_id }) => !this.#log.memory.artifacts.has(artifact_id))
      .map((moved) => parts.givenArtifact(moved, run, clock.now()));
    const place = this.#log.memory.events.length;
    this.#log.append({ kind: 'submitted', run, event: light.event as unknown as JsonObject, artifacts });
    this.#sessions.register(session);
    const context = parts.buildContext({
      run,
      event: light.event,
      binding,
      descriptor,
      resources: parts.resourcesOf(grants, this.#o.inventory),
      availableApis: parts.availableApis(grants),
      state: parts.snapshotOf(run, grants, this.#log.memory),
      handles: parts.handlesOf(run, this.#log.memory.events[place]!, this.#log.memory),
    });
    parts.launch(() => this.#orchestrator.drive(session, parts.runRequest(descriptor, context)));
    return { run_id: run.run_id };
  }

  /** Cancels a run. One that is over, or never was, stays as it is. */
  cancel(runId: JsonValue | undefined, reason: JsonValue | undefined): void {
    const { parts } = this.#o;
    const session = parts.findForCancel(runId, this.#sessions);
    if (session === undefined) return;
    const why = String(reason);
    const end = parts.endOfCancel(why);
    if (end !== undefined) this.#orchestrator.end(session, end, parts.passesCancelOn(session.run) ? why : undefined);
  }

  /** Is there such an action? */
  has(name: string): boolean {
    return Object.hasOwn(this.#o.parts.actions, name);
  }

  /** Does it answer with a stream? */
  streams(name: string): boolean {
    return this.#o.parts.actions[name]!.streams === true;
  }

  /** Answers a Host API call: one object, or the pieces of a stream. */
  call(name: string, data: JsonObject): JsonObject | readonly JsonObject[] {
    const { parts, limits, inventory, clock } = this.#o;
    const action = parts.actions[name]!;
    const { memory } = this.#log;
    const session = parts.findSession(data, this.#sessions);
    const run = memory.runs.get(data['run_id'] as string);
    const now = clock.now();
    const denial = admit(parts.admission, { action, data, session, run, limits, now });
    const answered = denial ?? parts.answer(action, data, { session: session!, memory, inventory, limits, now });
    const refused = isDenial(answered);
    const audit = parts.auditEntry(name, action, data, run, refused ? answered.code : 'ok');
    if (refused) {
      this.#log.append({ kind: 'call', audit });
      throw parts.refusalOf(answered);
    }
    const { data: whole, stream, ...effects } = answered;
    this.#log.append({ kind: 'call', audit, ...effects });
    return stream ?? whole!;
  }

  /** A frame of a stream that was no result at all: it is left out, and told of. */
  malformed(runId: string): void {
    const session = this.#sessions.find(runId);
    if (session !== undefined) this.#orchestrator.warn(session, malformed('A frame of the stream holds no result.'));
  }

  observe(runId: JsonValue | undefined): JsonObject {
    const active = this.#sessions.all.map(({ run }) => run.run_id);
    return this.#o.parts.show(observationOf(this.#log.memory, active, (runId ?? undefined) as string | undefined));
  }

  /** Forgets what is in memory and loads what was kept; runs that were under way are over. */
  restart(torn: boolean): void {
    this.#forget();
    if (torn) this.#log.tear();
    this.#log.restart();
    this.#endLostRuns();
  }

  reset(): void {
    this.#forget();
    this.#log.reset();
  }

  close(): void {
    this.#forget();
    this.#log.close();
  }

  #forget(): void {
    for (const session of this.#sessions.all) {
      this.#sessions.unregister(session.run.run_id);
      session.over.abort();
    }
    this.#runners = new Map();
  }

  #endLostRuns(): void {
    for (const [run_id, { end }] of this.#log.memory.runs) {
      if (end === undefined) this.#log.append({ kind: 'ended', run_id, end: this.#o.parts.endOfRestart() });
    }
  }
}

const isDenial = (value: object): value is Denial => 'code' in value;
