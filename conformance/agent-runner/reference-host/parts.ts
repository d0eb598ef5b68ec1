// The host's decisions, each a small function by its own name. A host is put together from them, so that a reader finds every
// duty in one place, and a host that breaks just one duty is `{ ...HOST_PARTS, acceptProtocolVersion: () => true }`.
import { canonical, type JsonObject, type JsonValue } from '../../../common/json.ts';
import type { Answer } from '../../wire/peer.ts';
import { API_ACTIONS } from './api/table.ts';
import { artifactOf, givenArtifact } from './artifacts.ts';
import { readBinding, whyNotBound } from './binding.ts';
import { admissionChecks, answer, auditEntry } from './calls.ts';
import { buildContext, deliveryOf } from './context.ts';
import { deadlineOf } from './deadline.ts';
import { answerOf, deliver, streams } from './delivery.ts';
import { type Descriptor, readEntry } from './discovery.ts';
import { moveOutLarge, readEnvelope, scopeOf } from './gateway.ts';
import { availableApis, grantRules, resourcesOf } from './grants.ts';
import { handlesOf } from './handles.ts';
import { refusalOf } from './refusal.ts';
import type { Listing } from './registry.ts';
import {
  checkPayload,
  checkSequence,
  checkSize,
  checkStateUpdate,
  endOf,
  isKnownType,
  isTerminal,
  type Objection,
  type Result,
  readResult,
  readStateUpdate,
} from './results.ts';
import type { Session, SessionRegistry } from './sessions.ts';
import type { RunEnd, RunStart, StoredArtifact } from './shapes.ts';
import { ownersOf, snapshotOf } from './state.ts';
import type { LogEntry } from './stores/log.ts';

export const HOST_PARTS = {
  // Discovery
  readEntry,
  acceptProtocolVersion: (version: string): boolean => version === '1',
  listRequest: (): JsonObject => ({}),
  askForRunners: (ask: Ask, data: JsonObject): Promise<Answer> => ask('list_agent_runners', data),
  settleListing: (listing: Listing): Listing => listing,
  idsOf: (runners: Runners): string[] => [...runners.keys()],
  findRunner: (id: string, runners: Runners): Descriptor | undefined => runners.get(id),
  // Event and binding
  readEnvelope,
  moveOutLarge,
  scopeOf,
  givenArtifact,
  readBinding,
  whyNotBound,
  runIdOf: (count: number, event: { readonly event_id: string }): string =>
    `run-${count}-${hashOf([event.event_id, count])}`,
  deadlineOf,
  ownersOf,
  // Authorization and context
  grants: grantRules,
  resourcesOf,
  availableApis,
  deliveryOf,
  snapshotOf,
  handlesOf,
  buildContext,
  runRequest: ({ id, name, plugin }: Descriptor, context: JsonObject): JsonObject => ({
    runner_id: id,
    runner_name: name,
    plugin_author: plugin.author,
    plugin_name: plugin.name,
    context,
  }),
  /** Runs go side by side; none waits for another. */
  launch: (drive: () => Promise<void>): void => void drive(),
  // Results
  /** A result is taken in the turn in which it comes, so that no other run comes in between. */
  handOver: (session: Session, _result: JsonObject, take: (session: Session) => void): void | Promise<void> =>
    take(session),
  readResult,
  /** Whose result it is: that of the run on whose stream it came, and of no other. */
  sessionOf: (result: Result, session: Session, _all: SessionRegistry): Session | undefined =>
    result.run_id === session.run.run_id ? session : undefined,
  isKnownType,
  checkSize,
  checkPayload,
  checkSequence,
  readStateUpdate,
  checkStateUpdate,
  artifactOf,
  /** An id is never taken over: neither another run's artifact nor one's own may be replaced. */
  isFreeId: (id: string, taken: ReadonlyMap<string, StoredArtifact>, _run: RunStart): boolean => !taken.has(id),
  answerOf,
  streams,
  deliver,
  isTerminal,
  endOf,
  warnsOf: (_code: string): boolean => true,
  // The end of a run
  endOfObjection: (_objection: Objection): RunEnd | undefined => undefined,
  endOfSilentStream: (): RunEnd => ({
    status: 'failed',
    code: 'runner.no_terminal',
    message: 'The stream ended without a terminal result.',
  }),
  /** `answer` is what broke it, where the Runtime said so. */
  endOfBrokenStream: (_answer?: Answer): RunEnd => ({
    status: 'failed',
    code: 'runner.stream_error',
    message: 'The stream of results broke off.',
  }),
  endAtDeadline: (): RunEnd | undefined => ({
    status: 'timeout',
    code: 'deadline_exceeded',
    message: 'The run did not end before its deadline.',
  }),
  endOfCancel: (reason: string): RunEnd | undefined => ({ status: 'cancelled', code: 'cancelled', message: reason }),
  endOfRestart: (): RunEnd => ({
    status: 'failed',
    code: 'host.restarted',
    message: 'The host restarted before the run ended.',
  }),
  unregistersAfter: (_end: RunEnd): boolean => true,
  stopsAfter: (_end: RunEnd): boolean => true,
  findForCancel: (runId: unknown, sessions: SessionRegistry): Session | undefined =>
    typeof runId === 'string' ? sessions.find(runId) : undefined,
  passesCancelOn: (_run: RunStart): boolean => true,
  // Calls
  /** What a runner said before it calls is there when its call is answered. */
  hearsFirst: (caughtUp: () => Promise<void>): Promise<void> => caughtUp(),
  findSession: ({ run_id }: JsonObject, sessions: SessionRegistry): Session | undefined =>
    typeof run_id === 'string' ? sessions.find(run_id) : undefined,
  admission: admissionChecks,
  actions: API_ACTIONS,
  answer,
  auditEntry,
  refusalOf,
  // What a restart finds, and what the driver sees
  recover: (entries: readonly LogEntry[]): readonly LogEntry[] => entries,
  show: (shown: JsonObject): JsonObject => shown,
};

export type HostParts = typeof HOST_PARTS;
type Runners = Listing['runners'];
/** A question to the Plugin Runtime. */
type Ask = (action: string, data: JsonObject) => Promise<Answer>;

/** A short text that differs where the value does. It keeps ids apart from run to run; it is no secret and guards nothing. */
function hashOf(value: JsonValue): string {
  let hash = 0x811c9dc5;
  for (const character of canonical(value)) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  return hash.toString(36);
}
