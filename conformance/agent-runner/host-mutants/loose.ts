// §8, §9: hosts that compare loosely, and hosts that guard one way in and forget the others.
import type { CallScene } from '../reference-host/api/action.ts';
import type { Grants } from '../reference-host/grants.ts';
import type { HostLimits } from '../reference-host/limits.ts';
import { HOST_PARTS } from '../reference-host/parts.ts';
import { deny } from '../reference-host/refusal.ts';
import { actions, admission, type Change, mutant } from './mutant.ts';

const { admission: checks, availableApis, findSession } = HOST_PARTS;

/** Takes a caller for the plugin of the run where this holds. */
const callerIs = (same: (caller: string, own: string) => boolean): Change =>
  admission({
    identity: (given) => {
      const caller = given.data['caller_plugin_identity'];
      return typeof caller === 'string' && caller !== '' && same(caller, given.session!.run.identity)
        ? undefined
        : checks.identity(given);
    },
  });

const withoutLimit = (scene: CallScene, limit: keyof HostLimits): CallScene => ({
  ...scene,
  limits: { ...scene.limits, [limit]: Number.MAX_SAFE_INTEGER },
});

/** Gives all that there is where a page names no limit. */
const allByDefault = (action: string, limit: keyof HostLimits): Change =>
  actions([action], ({ perform }) => ({
    perform: (data, scene) =>
      data['limit'] == null ? perform({ ...data, limit: 1_000_000 }, withoutLimit(scene, limit)) : perform(data, scene),
  }));

export const looseMutants = [
  mutant(
    'identity-by-beginning',
    'Answers calls by any plugin whose name begins as that of the run’s own.',
    '8/identity-checked',
    callerIs((caller, own) => caller.startsWith(own)),
  ),
  mutant(
    'identity-by-name',
    'Answers calls by a plugin of the same name, whoever its author is.',
    '8/identity-checked',
    callerIs((caller, own) => caller.split('/')[1] === own.split('/')[1]),
  ),
  mutant(
    'identity-folded',
    'Takes no notice of capitals in the names of plugins.',
    '8/identity-checked',
    callerIs((caller, own) => caller.toLowerCase() === own.toLowerCase()),
  ),
  mutant('run-id-by-beginning', 'Answers calls for ids that begin as that of a run.', '8/unknown-run-refused', {
    findSession: (data, sessions) =>
      findSession(data, sessions) ?? sessions.all.find(({ run }) => String(data['run_id']).startsWith(run.run_id)),
  }),
  mutant(
    'grants-of-latest-run',
    'Keeps the grants of one run alone, that which began last.',
    ['models', 'tools', 'knowledge', 'history', 'events', 'artifacts', 'state', 'storage', 'platform'].map(
      (family) => `8/grant-checked-${family}`,
    ),
    () => {
      let latest: Grants | undefined;
      return {
        availableApis: (grants) => {
          latest = grants;
          return availableApis(grants);
        },
        answer: (action, data, scene) =>
          HOST_PARTS.answer(action, data, {
            ...scene,
            session: { ...scene.session, grants: latest ?? scene.session.grants },
          }),
      };
    },
  ),
  mutant(
    'every-object-has-it',
    'Finds tools among the members that every object has.',
    '8/grant-checked-tools',
    actions(['get_tool_detail'], ({ checkGrant, perform }) => ({
      checkGrant: (data, scene) => (String(data['tool_name']) in {} ? undefined : checkGrant(data, scene)),
      perform: (data, scene) =>
        String(data['tool_name']) in {} ? { data: { tool: { name: data['tool_name']! } } } : perform(data, scene),
    })),
  ),
  mutant(
    'star-granted',
    'Takes a star for the name of every model.',
    '8/grant-checked-models',
    actions(['invoke_llm'], ({ checkGrant }) => ({
      checkGrant: (data, scene) => (data['llm_model_uuid'] === '*' ? undefined : checkGrant(data, scene)),
    })),
  ),
  mutant(
    'rate-of-state-alone',
    'Counts calls of state, and of nothing else, against the rate.',
    '8/rate-limited',
    admission({ rate: (given) => (given.action.api.startsWith('state.') ? checks.rate(given) : undefined) }),
  ),
  mutant(
    'rate-without-models',
    'Does not count calls of models against the rate.',
    '8/rate-limited',
    admission({ rate: (given) => (given.action.api.startsWith('models.') ? undefined : checks.rate(given)) }),
  ),
  ...(['tools.', 'models.', 'platform.'] as const).map((family) =>
    mutant(
      `${family.slice(0, -1)}-any-size`,
      `Takes ${family.slice(0, -1)} calls of any size.`,
      '8/size-call',
      admission({ size: (given) => (given.action.api.startsWith(family) ? undefined : checks.size(given)) }),
    ),
  ),
  mutant(
    'history-all-by-default',
    'Answers all the history where no limit is named.',
    '8/size-history-page',
    allByDefault('history_page', 'history_page_items'),
  ),
  mutant(
    'events-all-by-default',
    'Answers all events where no limit is named.',
    '8/size-event-page',
    allByDefault('event_page', 'event_page_items'),
  ),
  mutant(
    'artifact-whole-by-default',
    'Answers a whole artifact where no length is named.',
    '8/size-artifact-read',
    actions(['artifact_read'], ({ checkSize, perform }) => ({
      checkSize: (data, scene) => ((data['length'] ?? data['limit']) == null ? undefined : checkSize?.(data, scene)),
      perform: (data, scene) =>
        perform((data['length'] ?? data['limit']) == null ? { ...data, length: Number.MAX_SAFE_INTEGER } : data, scene),
    })),
  ),
  mutant(
    'artifact-limit-unbounded',
    'Minds the cap on reads that name a length, and not on those that call it a limit.',
    '8/size-artifact-read',
    actions(['artifact_read'], ({ checkSize }) => ({
      checkSize: (data, scene) => (data['length'] == null ? undefined : checkSize?.(data, scene)),
    })),
  ),
  mutant(
    'search-in-every-thread',
    'Searches every thread of the conversation.',
    '8/history-thread',
    actions(['history_search'], ({ perform }) => ({
      perform: (data, { session, memory, ...scene }) => {
        const { thread_id } = session.run.scope;
        const transcript = memory.transcript.map((item) => ({ ...item, thread_id }));
        return perform(data, { ...scene, session, memory: Object.assign(Object.create(memory), { transcript }) });
      },
    })),
  ),
  mutant(
    'inventory-leaked',
    'Names the models that there are when it refuses one.',
    '9/nothing-leaked',
    actions('models.', ({ checkGrant }) => ({
      checkGrant: (data, scene) =>
        checkGrant(data, scene) && deny('unauthorized', scene.inventory.models.map(({ id }) => id).join(', ')),
    })),
  ),
];
