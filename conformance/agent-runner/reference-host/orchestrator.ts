// The orchestrator (HOST_SDK §4.4): the one way into a run. It reads the stream result by result, ends the run exactly once,
// and lets nothing that a runner does reach beyond its own run.
import type { JsonObject } from '../../../common/json.ts';
import type { Clock } from '../../driving/clock.ts';
import type { Answer } from '../../wire/peer.ts';
import { reached } from './deadline.ts';
import type { HostLimits } from './limits.ts';
import type { HostParts } from './parts.ts';
import { isObjection, type Objection, objection, type Result } from './results.ts';
import type { Session, SessionRegistry } from './sessions.ts';
import type { RunEnd, StoredArtifact, Warning } from './shapes.ts';
import { changeOf } from './state.ts';
import type { EventLog, LogFact } from './stores/log.ts';
import { isWatched } from './stores/records.ts';

/** The Plugin Runtime, as far as the orchestrator knows it. */
export interface Runtime {
  runAgent(request: JsonObject, signal: AbortSignal): AsyncIterable<Answer>;
  /** Asks to interrupt a run; nobody waits for the answer. */
  cancelRun(runId: string, reason: string): void;
}

export interface OrchestratorOptions {
  readonly clock: Clock;
  readonly limits: HostLimits;
  readonly parts: HostParts;
  readonly log: EventLog;
  readonly sessions: SessionRegistry;
  readonly runtime: Runtime;
}

export class Orchestrator {
  #o: OrchestratorOptions;

  constructor(options: OrchestratorOptions) {
    this.#o = options;
  }

  /** Drives a registered run to its end. Never throws, and is over by the deadline whatever the runner does. */
  async drive(session: Session, request: JsonObject): Promise<void> {
    void this.#watchDeadline(session);
    try {
      for await (const answer of this.#o.runtime.runAgent(request, session.over.signal)) {
        // What came in one read with the terminal result is in the queue already.
        if (session.over.signal.aborted) return;
        if (answer.code !== 0) {
          this.end(session, this.#o.parts.endOfBrokenStream(answer));
          return;
        }
        await this.#o.parts.handOver(session, answer.data, (to) => this.take(to, answer.data));
      }
      this.end(session, this.#o.parts.endOfSilentStream());
    } catch {
      this.end(session, this.#o.parts.endOfBrokenStream());
    }
  }

  /** Ends a run from the host's side. Only the first end counts. */
  end(session: Session, end: RunEnd, interrupt?: string): void {
    if (session.over.signal.aborted) return;
    this.#o.log.append({ kind: 'ended', run_id: session.run.run_id, end });
    this.#close(session, end);
    if (interrupt !== undefined) this.#o.runtime.cancelRun(session.run.run_id, interrupt);
  }

  /** Takes one result, or leaves it out with a warning. */
  take(session: Session, value: JsonObject): void {
    if (++session.results > this.#o.limits.run_results) {
      const end: RunEnd = { status: 'failed', code: 'runner.flood', message: 'The runner sent too many results.' };
      this.end(session, end, 'too many results');
      return;
    }
    const taken = this.#consider(session, value);
    if (taken === undefined) return;
    if (isObjection(taken)) {
      this.warn(session, taken);
      const end = this.#o.parts.endOfObjection(taken);
      if (end !== undefined) this.end(session, end);
      return;
    }
    this.#o.log.append(taken);
    if (taken.end !== undefined) this.#close(session, taken.end);
  }

  #consider(session: Session, value: JsonObject): ResultFact | Objection | undefined {
    const result = this.#o.parts.readResult(value);
    if (isObjection(result)) return result;
    const owner = this.#o.parts.sessionOf(result, session, this.#o.sessions);
    if (owner === undefined) return objection('result_foreign', 'A result carries the run_id of another run.');
    const against = this.#objectionTo(result, value, owner);
    if (against !== undefined) return against;
    owner.sequences.add(result.sequence);
    return this.#effectOf(result, owner);
  }

  warn(session: Session, { code, message }: Objection): void {
    if (!this.#o.parts.warnsOf(code)) return;
    const warning: Warning = { run_id: session.run.run_id, code, message };
    this.#o.log.append({ kind: 'warning', warning });
  }

  #objectionTo(result: Result, value: JsonObject, session: Session): Objection | undefined {
    const { parts, limits } = this.#o;
    if (!parts.isKnownType(result.type))
      return objection('result_type_unknown', `Unknown result type ${result.type.slice(0, 200)}; ignored.`);
    return (
      parts.checkSize(value, limits) ??
      parts.checkPayload(result) ??
      parts.checkSequence(result.sequence, session.sequences)
    );
  }

  /** What a result brings about, as one fact for the log; undefined where it brings nothing. */
  #effectOf(result: Result, session: Session): ResultFact | Objection | undefined {
    const { parts } = this.#o;
    const { type, data } = result;
    const { run } = session;
    const fact: ResultFact = {
      kind: 'result',
      run_id: run.run_id,
      result: isWatched(type) ? { type, data } : {},
    };
    if (type === 'message.delta') {
      if (!parts.streams(session)) return undefined;
      const deliveries = parts.deliver(session, 'delta', (data['chunk'] as JsonObject)['content'] ?? null);
      return { ...fact, deliveries };
    }
    if (type === 'state.updated') {
      const update = parts.readStateUpdate(data);
      const against = parts.checkStateUpdate(update, session.grants.state, this.#o.limits);
      return against ?? { ...fact, state: changeOf(run, update.scope, update.key, update.value) };
    }
    if (type === 'artifact.created') {
      const artifact = this.#artifactOf(result, session);
      return isObjection(artifact) ? artifact : { ...fact, artifact };
    }
    const answer = parts.answerOf(result, session);
    if (answer !== undefined) session.answered = true;
    return {
      ...fact,
      ...(answer && { answer, deliveries: parts.deliver(session, 'message', answer['content'] ?? null) }),
      ...(parts.isTerminal(type) && { end: parts.endOf(result) }),
    };
  }

  #artifactOf(result: Result, session: Session): StoredArtifact | Objection {
    const { parts, log, clock } = this.#o;
    const { artifact_id: given } = result.data;
    const id = typeof given === 'string' ? given : `art-${session.run.run_id}-${session.results}`;
    if (!parts.isFreeId(id, log.memory.artifacts, session.run))
      return objection('artifact_exists', 'There is an artifact with this id already.');
    return parts.artifactOf(result, session.run, id, clock.now());
  }

  #close(session: Session, end: RunEnd): void {
    if (this.#o.parts.unregistersAfter(end)) this.#o.sessions.unregister(session.run.run_id);
    if (this.#o.parts.stopsAfter(end)) session.over.abort();
  }

  async #watchDeadline(session: Session): Promise<void> {
    const { deadline } = session.run;
    if (deadline === null) return;
    await reached(deadline, this.#o.clock, session.over.signal);
    const end = this.#o.parts.endAtDeadline();
    if (end !== undefined) this.end(session, end, 'deadline exceeded');
  }
}

type ResultFact = Extract<LogFact, { kind: 'result' }>;
