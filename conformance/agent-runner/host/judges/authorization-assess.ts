// Every API call of a case, read as a careful host would: in which ways it is wrong, and what leaves that in doubt.
// Judges then ask only whether the answer agrees.
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import { memo } from '../../../../common/memo.ts';
import { isUnknownAction } from '../../../targets/host.ts';
import { type Grant, grantedButForArguments, grantOf, type Standing, type Wrong } from '../../oracle/authorization.ts';
import { type Api, apiOf, argumentsOf, resourceOf } from '../../oracle/calls.ts';
import {
  characters,
  IMMODEST_BYTES,
  IMMODEST_KEY,
  jsonBytes,
  limitOf,
  MODEST_BYTES,
  MODEST_KEY,
  sizeAgainst,
} from '../../oracle/measure.ts';
import { payloadFits } from '../../oracle/payload.ts';
import { openScopes, SCOPES, type StateScope } from '../../oracle/state.ts';
import { offeredFor } from '../folded.ts';
import { settledOf } from '../shown.ts';
import type { ApiCall, HostCase, HostRun, Reply } from '../view.ts';
import { type Artifact, artifactsOf, cursorsOf, eventsOf, type Inventory, inventoryOf } from './authorization-world.ts';

/** A call with more than this in it is too large for any host. */
export const FAR_TOO_LARGE = 12 * 1024 * 1024;
/** Why a call is in doubt whose key is above a declared length, or longer than any host need take. */
export const LONG_KEY = 'a long key';
/** Why a call is in doubt that comes in the same breath as what it asks about: a host may answer calls beside the stream. */
export const SAME_BREATH = 'an artifact of the same breath';
const BREATH_MS = 10;
/** Where a host declares no rate, this many calls a second are expected to pass. */
const MODEST_RATE = 20;

export interface Assessed {
  readonly call: ApiCall;
  readonly action: string;
  readonly api: Api;
  readonly run: HostRun | undefined;
  readonly standing: Standing | undefined;
  readonly wrongs: readonly Wrong[];
  /** Why it cannot be said that all else is right. */
  readonly doubts: readonly string[];
  readonly grant: Grant | undefined;
  /** Is what it names there? */
  readonly exists: boolean | undefined;
  readonly artifact: Artifact | undefined;
  /** So many calls came within a second that a refusal for the rate would be right. */
  readonly busy: boolean;
  readonly reply: Reply | undefined;
  /** The answer is a success. */
  readonly ok: boolean;
  /** The refusal, the first frame of the answer that is one. */
  readonly refusal: Reply | undefined;
  readonly error: JsonObject | undefined;
  readonly code: JsonValue | undefined;
}

/** A call that a host must answer: right in every way, beyond doubt. */
export const isGranted = (one: Assessed): boolean => one.wrongs.length === 0 && one.doubts.length === 0;
/** Wrong in just this way. */
export const isJust = (one: Assessed, ...wrongs: readonly Wrong[]): boolean =>
  one.doubts.length === 0 && one.wrongs.length === 1 && wrongs.includes(one.wrongs[0]!);
/** Refused for the rate, and rightly so for all that can be told. */
export const isThrottled = (one: Assessed): boolean => one.busy && one.code === 'rate_limited';

/** The codes that say that the call is at fault, and not what stands behind the host. */
export const FOR_THE_CALL: ReadonlySet<unknown> = new Set([
  'unauthorized',
  'not_found',
  'invalid_argument',
  'payload_too_large',
  'deadline_exceeded',
]);

/** The calls of a case that the host implements and that were heard of again. */
export const assess = memo((view: HostCase): readonly Assessed[] => {
  const world: World = {
    view,
    inventory: inventoryOf(view),
    artifacts: artifactsOf(view),
    events: eventsOf(view),
    cursors: cursorsOf(view),
    standings: new Map(),
    rates: ratesOf(view),
  };
  return view.calls.flatMap((call) => {
    const api = apiOf(call.action);
    return api === undefined || isUnimplemented(call) ? [] : [assessOne(world, call, api)];
  });
});

interface World {
  readonly view: HostCase;
  readonly inventory: Inventory;
  readonly artifacts: ReadonlyMap<string, Artifact>;
  readonly events: ReadonlyMap<string, JsonValue | undefined>;
  readonly cursors: ReadonlySet<string>;
  readonly standings: Map<HostRun, Standing>;
  /** How many calls came in the second up to each. */
  readonly rates: ReadonlyMap<ApiCall, number>;
}

/** The host has no such action, or its link was too full to hear of it. */
const isUnimplemented = ({ reply, action }: ApiCall): boolean =>
  reply !== undefined &&
  reply.code !== 0 &&
  !isObject(reply.data['error']) &&
  (isUnknownAction(reply, action) || /connection is busy/i.test(reply.message));

function assessOne(world: World, call: ApiCall, api: Api): Assessed {
  const { view } = world;
  const { action, data, reply, replies } = call;
  const wrongs: Wrong[] = [];
  const doubts: string[] = [];
  const run =
    typeof call.runId === 'string' ? view.runs.find((one) => one.runId === call.runId && one.n < call.n) : undefined;
  if (call.runId === undefined || call.runId === null || call.runId === '') wrongs.push('run-missing');
  else if (typeof call.runId !== 'string') doubts.push('run_id of another type');
  else if (run === undefined) {
    const named =
      view.submissions.some((one) => one.runId === call.runId) || view.runs.some((one) => one.runId === call.runId);
    if (named) doubts.push('a run on its way');
    else wrongs.push('run-unknown');
  }
  const args = argumentsOf(action, data, (cursor) => world.cursors.has(cursor));
  if (args === 'wrong') wrongs.push('argument');
  if (args === 'odd') doubts.push('odd arguments');
  sizes(view, api, call, wrongs, doubts);

  const standing = run === undefined ? undefined : standingOf(world, run);
  let grant: Grant | undefined;
  let exists: boolean | undefined;
  let artifact: Artifact | undefined;
  if (run !== undefined && standing !== undefined) {
    identity(call, run, wrongs);
    life(view, call, run, wrongs, doubts);
    if (args === 'wrong' && !grantedButForArguments(action, data, standing)) doubts.push('not granted either');
    if (args !== 'wrong') {
      grant = grantOf(action, data, standing);
      if (grant === 'unsure') doubts.push('context and policy differ');
      else if (grant !== 'granted') wrongs.push(grant);
      // A context that lists no operations of a model grants none that the model does not have.
      if (
        world.inventory.operations
          .get(String(data['llm_model_uuid'] ?? data['rerank_model_uuid']))
          ?.includes(api.operation) === false
      )
        doubts.push('a model that cannot do this');
      ({ exists, artifact } = existence(world, call, run, api, grant, wrongs, doubts));
    }
  }
  const limit = limitOf(view.limits, 'calls_per_second');
  const refusal = replies.find((one) => one.code !== 0);
  const error = isObject(refusal?.data['error']) ? refusal.data['error'] : undefined;
  return {
    call,
    action,
    api,
    run,
    standing,
    wrongs,
    doubts,
    grant,
    exists,
    artifact,
    busy: (world.rates.get(call) ?? 0) > (limit === undefined ? MODEST_RATE : limit / 2),
    reply,
    ok: reply?.code === 0 && refusal === undefined,
    refusal,
    error,
    code: error?.['code'],
  };
}

function standingOf({ view, standings }: World, run: HostRun): Standing {
  const known = standings.get(run);
  if (known !== undefined) return known;
  const standing: Standing = {
    manifest: offeredFor(view, run.runnerId, run.n),
    binding: run.submission?.binding ?? {},
    event: run.submission?.event ?? {},
    context: run.context,
    crossConversation: view.features.has('cross-conversation'),
  };
  standings.set(run, standing);
  return standing;
}

function identity(call: ApiCall, run: HostRun, wrongs: Wrong[]): void {
  if (call.identity === undefined || call.identity === null || call.identity === '') wrongs.push('identity-missing');
  else if (call.identity !== run.identity) wrongs.push('identity-other');
}

/** Is the run active, over, or between the two? */
function life(view: HostCase, call: ApiCall, run: HostRun, wrongs: Wrong[], doubts: string[]): void {
  const { grace } = view.head;
  const settled = settledOf(view, run);
  // What happens before the answer leaves may be what it answers to.
  const until = call.reply?.n ?? Number.POSITIVE_INFINITY;
  const said = run.pushed.filter(({ n }) => n < until);
  const terminal = said.some(
    ({ value }) => isObject(value) && (value['type'] === 'run.completed' || value['type'] === 'run.failed'),
  );
  const stirred =
    view.cancels.some((one) => one.runId === run.runId && one.n < until) ||
    view.restarts.some(({ n }) => n > run.n && n < until);
  if (settled !== undefined && settled.n < call.n) wrongs.push('run-ended');
  else if (terminal || stirred || (run.end !== undefined && run.end.n < until)) doubts.push('a run that is ending');
  else if (said.length > 500 || !said.every(({ value, late }) => !late && isHarmless(view, run, value)))
    doubts.push('a stream that is not sound');
  if (run.deadline !== undefined) {
    if (call.at > run.deadline + grace) wrongs.push('deadline');
    else if (call.at > run.deadline - grace) doubts.push('near the deadline');
  }
}

function isHarmless(view: HostCase, run: HostRun, value: JsonValue | undefined): boolean {
  if (!isObject(value) || value['run_id'] !== run.runId || typeof value['type'] !== 'string') return false;
  const data = isObject(value['data']) ? value['data'] : undefined;
  if (value['type'] === 'artifact.created' || value['type'] === 'state.updated') return data !== undefined;
  const limit = limitOf(view.limits, 'result_bytes') ?? MODEST_BYTES;
  return data !== undefined && payloadFits(value['type'], data) !== 'unfit' && jsonBytes(value) <= limit;
}

function sizes(view: HostCase, api: Api, { data }: ApiCall, wrongs: Wrong[], doubts: string[]): void {
  const { caller_plugin_identity: _, run_id: __, ...own } = data;
  if (api.family === 'state') {
    const key = typeof data['key'] === 'string' ? characters(data['key']) : 0;
    if (sizeAgainst(key, limitOf(view.limits, 'state_key_chars'), MODEST_KEY, IMMODEST_KEY) !== 'within')
      doubts.push(LONG_KEY);
    if (data['value'] !== undefined && api.name === 'state.set') {
      const size = sizeAgainst(
        jsonBytes(data['value']),
        limitOf(view.limits, 'state_value_bytes'),
        MODEST_BYTES,
        IMMODEST_BYTES,
      );
      if (size === 'above') wrongs.push('large');
      if (size === 'unsure') doubts.push('a large value');
    }
    return;
  }
  const bytes = jsonBytes(own);
  if (bytes >= FAR_TOO_LARGE) wrongs.push('large');
  else if (bytes > MODEST_BYTES) doubts.push('a large call');
  for (const [field, name] of Object.entries(CAPS[api.name] ?? {})) {
    const asked = data[field];
    const cap = limitOf(view.limits, name) ?? MODEST_CAP[name]!;
    if (typeof asked === 'number' && asked > cap) doubts.push('a large page');
  }
}

/** Asking for more than the cap may be refused, or answered with less. */
const CAPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'history.page': { limit: 'history_page_items' },
  'events.page': { limit: 'event_page_items' },
  'artifacts.read_range': { length: 'artifact_read_bytes', limit: 'artifact_read_bytes' },
};
const MODEST_CAP: Readonly<Record<string, number>> = {
  history_page_items: 20,
  event_page_items: 20,
  artifact_read_bytes: 4096,
};

function existence(
  world: World,
  call: ApiCall,
  run: HostRun,
  api: Api,
  grant: Grant,
  wrongs: Wrong[],
  doubts: string[],
): Pick<Assessed, 'exists' | 'artifact'> {
  const { view, inventory } = world;
  const named = resourceOf(call.action, call.data);
  if (named === undefined) return { exists: undefined, artifact: undefined };
  const current = run.submission?.event['conversation_id'] ?? undefined;
  switch (api.family) {
    case 'models':
    case 'tools':
    case 'knowledge': {
      const exists = inventory.known ? inventory[api.family].has(named) : undefined;
      if (grant === 'granted' && api.name === 'tools.call' && inventory.failing.has(named)) wrongs.push('fails');
      return { exists, artifact: undefined };
    }
    case 'events': {
      const exists = world.events.has(named);
      if (grant !== 'granted') return { exists, artifact: undefined };
      const owner = world.events.get(named);
      if (!exists) wrongs.push('absent');
      else if (owner !== current) (owner === undefined || current === undefined ? doubts : wrongs).push('conversation');
      else if (named !== run.submission?.event['event_id']) doubts.push('an event of another run');
      return { exists, artifact: undefined };
    }
    case 'artifacts': {
      const artifact = world.artifacts.get(named);
      if (grant !== 'granted') return { exists: artifact !== undefined, artifact };
      if (artifact === undefined) wrongs.push('absent');
      else if (artifact.conversation !== current)
        (artifact.conversation === undefined || current === undefined ? doubts : wrongs).push('conversation');
      else if (isStrange(artifact, run)) wrongs.push('conversation');
      else if (artifact.runId !== run.runId || !artifact.stored) doubts.push('an artifact that may not be there');
      else if (call.at - (artifact.at ?? Number.NEGATIVE_INFINITY) < BREATH_MS) doubts.push(SAME_BREATH);
      else if (artifact.expiresAt !== undefined) {
        const late = call.at + view.epoch - artifact.expiresAt * 1000;
        if (late > 0) wrongs.push('expired');
        else if (late > -view.head.grace) doubts.push('about to expire');
      }
      return { exists: artifact !== undefined, artifact };
    }
    case 'state': {
      const standing = world.standings.get(run)!;
      const scope = call.data['scope'] as StateScope;
      if (grant === 'granted' && SCOPES.includes(scope) && !openScopes(standing.binding, standing.event).has(scope))
        doubts.push('a scope without an owner');
      return { exists: undefined, artifact: undefined };
    }
    case 'storage':
      if (api.name !== 'storage.set' && !isKept(view, call, named)) doubts.push('a key that is not there');
      return { exists: undefined, artifact: undefined };
    default:
      return { exists: undefined, artifact: undefined };
  }
}

/** What another run made, under another binding or outside of any conversation, is no business of this one. */
const isStrange = ({ maker, conversation }: Artifact, run: HostRun): boolean =>
  maker !== undefined &&
  maker !== run &&
  (conversation === undefined || maker.submission?.binding['binding_id'] !== run.submission?.binding['binding_id']);

/** Was this storage key set by this run before, and not deleted since? */
function isKept(view: HostCase, call: ApiCall, key: string): boolean {
  const area = apiOf(call.action)!.operation;
  const last = view.calls.findLast(
    (one) =>
      one.n < call.n &&
      (one.action === `set_${area}_storage` || one.action === `delete_${area}_storage`) &&
      one.data['key'] === key &&
      one.runId === call.runId &&
      one.reply?.code === 0 &&
      one.reply.n < call.n,
  );
  return last?.action === `set_${area}_storage`;
}

/** For each call, how many came within the second up to it. */
function ratesOf(view: HostCase): ReadonlyMap<ApiCall, number> {
  const rates = new Map<ApiCall, number>();
  let first = 0;
  view.calls.forEach((call, index) => {
    while (view.calls[first]!.at <= call.at - 1000) first++;
    rates.set(call, index - first + 1);
  });
  return rates;
}
