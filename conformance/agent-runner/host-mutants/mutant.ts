// A mutant of the reference host: one small change to its parts, what it does wrong, and which clauses must notice.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import type { Mutant } from '../../driving/suite.ts';
import type { ApiAction, CallScene } from '../reference-host/api/action.ts';
import type { ContextParts } from '../reference-host/context.ts';
import type { GrantRules } from '../reference-host/grants.ts';
import { HOST_PARTS, type HostParts } from '../reference-host/parts.ts';
import { type ReferenceHostOptions, referenceHostTarget } from '../reference-host/target.ts';

export type Change = Partial<HostParts>;

/** Clauses may go without their `v1/`. A change that remembers something is a function: every host then has a memory of its own. */
export const mutant = (
  id: string,
  what: string,
  clauses: string | readonly string[],
  change: Change | (() => Change),
  options: ReferenceHostOptions = {},
): Mutant => ({
  id,
  what,
  clauses: (typeof clauses === 'string' ? [clauses] : clauses).map((clause) => `v1/${clause}`),
  // The change is made anew for each connection, so that no case sees what another did.
  target: () => referenceHostTarget(() => ({ ...options, parts: typeof change === 'function' ? change() : change })),
});

/** Changes the context that a run gets. */
export const context = (change: (context: JsonObject, parts: ContextParts) => JsonObject): Change => ({
  buildContext: (parts) => change(HOST_PARTS.buildContext(parts), parts),
});

/** Lays members over one part of the context. */
export const inContext = (part: string, change: (part: JsonObject, parts: ContextParts) => JsonObject): Change =>
  context((whole, parts) => {
    const own = whole[part];
    return isObject(own) ? { ...whole, [part]: { ...own, ...change(own, parts) } } : whole;
  });

/** Changes rules of what is granted. */
export const grants = (rules: Partial<GrantRules>): Change => ({ grants: { ...HOST_PARTS.grants, ...rules } });

/** Changes API actions, by name or by family (`models.`). */
export const actions = (
  which: string | readonly string[],
  change: (action: ApiAction) => Partial<ApiAction>,
): Change => ({
  actions: Object.fromEntries(
    Object.entries(HOST_PARTS.actions).map(([name, action]) => {
      const meant = typeof which === 'string' ? action.api.startsWith(which) : which.includes(name);
      return [name, meant ? { ...action, ...change(action) } : action];
    }),
  ),
});

/** Changes what an action answers, once it has answered. */
export const answers = (
  which: string | readonly string[],
  change: (data: JsonObject, asked: JsonObject, scene: CallScene) => JsonObject,
): Change =>
  actions(which, ({ perform }) => ({
    perform: (asked, scene) => {
      const answered = perform(asked, scene);
      return answered.data === undefined ? answered : { ...answered, data: change(answered.data, asked, scene) };
    },
  }));

/** A call as a host sees it whose event log holds the events that came in, and nothing of its own beside them (MODELS §7.4). */
export const cameIn = ({ memory, ...scene }: CallScene): CallScene => ({
  ...scene,
  memory: Object.create(memory, {
    events: { value: memory.events.filter(({ event_type: type }) => !OWN_ENTRY.test(type)) },
  }),
});
const OWN_ENTRY = /^(run|tool|artifact|state|delivery|api|action)\.|^message\.completed$/;

/** Changes what the driver is shown. */
export const shows = (member: string, change: (entries: readonly JsonObject[]) => readonly JsonValue[]): Change => ({
  show: (shown) => ({ ...shown, [member]: change(listOf(shown, member)) }),
});

export const admission = (checks: Partial<HostParts['admission']>): Change => ({
  admission: { ...HOST_PARTS.admission, ...checks },
});

export const listOf = (value: JsonObject, member: string): readonly JsonObject[] => {
  const list = value[member];
  return Array.isArray(list) ? (list as readonly JsonObject[]) : [];
};

export const memberOf = (value: JsonObject, member: string): JsonObject => {
  const found = value[member];
  return isObject(found) ? found : {};
};
