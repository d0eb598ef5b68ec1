// §8, §11: who may call, for what, how much and how often.
import { isObject } from '../../../common/json.ts';
import type { CallScene } from '../reference-host/api/action.ts';
import { showEvent } from '../reference-host/api/events.ts';
import { HOST_PARTS } from '../reference-host/parts.ts';
import { deny } from '../reference-host/refusal.ts';
import type { Session } from '../reference-host/sessions.ts';
import { isStateScope } from '../reference-host/shapes.ts';
import { actions, admission, type Change, grants, mutant } from './mutant.ts';

const { admission: checks, findSession, grants: rules, ownersOf } = HOST_PARTS;
type Asked = Parameters<typeof rules.models>[0];

const FAMILIES = ['models', 'tools', 'knowledge', 'history', 'events', 'artifacts', 'state', 'storage', 'platform'];

/** Lets a call without a run in, on behalf of whatever run there is. */
const withoutRun = (family: string): Change => ({
  findSession: (data, sessions) => findSession(data, sessions) ?? (data['run_id'] ? undefined : sessions.all[0]),
  ...admission({
    active: (given) =>
      given.data['run_id'] || given.action.api.startsWith(`${family}.`) ? checks.active(given) : deny('unauthorized'),
  }),
});

/** The same scene with other limits. */
const unlimited = (scene: CallScene, limit: string): CallScene => ({
  ...scene,
  limits: { ...scene.limits, [limit]: Number.MAX_SAFE_INTEGER },
});
const inAnyThread = ({ session, memory, ...scene }: CallScene): CallScene => {
  const { thread_id } = session.run.scope;
  const transcript = memory.transcript.map((item) => ({ ...item, thread_id }));
  return { ...scene, session, memory: Object.assign(Object.create(memory), { transcript }) };
};
const everything = {
  models: ({ inventory }: CallScene, id: unknown): boolean => inventory.models.some((model) => model.id === id),
  tools: ({ inventory }: CallScene, id: unknown): boolean => inventory.tools.some((tool) => tool.name === id),
  knowledge: ({ inventory }: CallScene, id: unknown): boolean => inventory.knowledge.some((base) => base.id === id),
};
const ungranted: Readonly<Record<string, Change>> = {
  models: actions('models.', () => ({
    checkGrant: (data, scene) =>
      everything.models(scene, data['llm_model_uuid'] ?? data['rerank_model_uuid']) ? undefined : deny('unauthorized'),
  })),
  tools: actions('tools.', () => ({
    checkGrant: (data, scene) => (everything.tools(scene, data['tool_name']) ? undefined : deny('unauthorized')),
  })),
  knowledge: actions('knowledge.', () => ({
    checkGrant: (data, scene) => (everything.knowledge(scene, data['kb_id']) ? undefined : deny('unauthorized')),
  })),
  history: actions('history.', () => ({ checkGrant: () => undefined })),
  events: actions('events.', () => ({ checkGrant: () => undefined })),
  artifacts: actions('artifacts.', () => ({ checkGrant: () => undefined })),
  state: actions('state.', () => ({
    checkGrant: () => undefined,
    checkScope: ({ scope }) => (isStateScope(scope) ? undefined : deny('unauthorized')),
  })),
  storage: actions('storage.', () => ({ checkGrant: () => undefined })),
  platform: actions('platform.', () => ({ checkGrant: () => undefined })),
};
/** Asks only whether a thing was granted at all, not for what. */
const anyOperation: Readonly<Record<string, Change>> = {
  models: actions('models.', () => ({
    checkGrant: (data, { session }) =>
      session.grants.models.has(String(data['llm_model_uuid'] ?? data['rerank_model_uuid']))
        ? undefined
        : deny('unauthorized'),
  })),
  tools: actions('tools.', () => ({
    checkGrant: (data, { session }) =>
      session.grants.tools.has(String(data['tool_name'])) ? undefined : deny('unauthorized'),
  })),
  knowledge: actions('knowledge.', () => ({
    checkGrant: (data, { session }) =>
      session.grants.knowledge.has(String(data['kb_id'])) ? undefined : deny('unauthorized'),
  })),
  history: actions('history.', () => ({
    checkGrant: (_data, { session }) => (session.grants.history.length > 0 ? undefined : deny('unauthorized')),
  })),
  events: actions('events.', () => ({
    checkGrant: (_data, { session }) => (session.grants.events.length > 0 ? undefined : deny('unauthorized')),
  })),
  artifacts: actions('artifacts.', () => ({
    checkGrant: (_data, { session }) => (session.grants.artifacts.length > 0 ? undefined : deny('unauthorized')),
  })),
};
const platformWithout = (layer: 'manifest' | 'policy' | 'approval'): Change =>
  grants({
    platform: (asked: Asked) => {
      const { inventory, descriptor, binding } = asked;
      const all = inventory.platform;
      return rules.platform({
        ...asked,
        descriptor:
          layer === 'manifest'
            ? { ...descriptor, permissions: { ...descriptor.permissions, platform_api: all } }
            : descriptor,
        binding: {
          ...binding,
          platform: {
            allowed: layer === 'policy' ? all : binding.platform.allowed,
            approved: layer === 'approval' ? all : binding.platform.approved,
          },
        },
      });
    },
  });

/** So many calls more than it declares. */
const atRate = (more: number): Change =>
  admission({
    rate: (given) =>
      checks.rate({ ...given, limits: { ...given.limits, calls_per_second: given.limits.calls_per_second + more } }),
  });

export const callMutants = [
  ...FAMILIES.map((family) =>
    mutant(
      `run-id-free-${family}`,
      `Answers ${family} calls without a run_id.`,
      `8/run-id-required-${family}`,
      withoutRun(family),
    ),
  ),
  mutant(
    'unknown-run-served',
    'Answers calls for runs that never were, on behalf of another run of the plugin.',
    '8/unknown-run-refused',
    {
      findSession: (data, sessions) =>
        findSession(data, sessions) ??
        (data['run_id'] ? sessions.all.find(({ run }) => run.identity === data['caller_plugin_identity']) : undefined),
    },
  ),
  mutant('ended-run-served', 'Answers calls for runs that are over.', '8/ended-run-refused', () => {
    const seen = new Map<unknown, Session>();
    return {
      // Every run passes here on its way in.
      sessionOf: (result, session, all) => {
        seen.set(session.run.run_id, session);
        return HOST_PARTS.sessionOf(result, session, all);
      },
      findSession: (data, sessions) => findSession(data, sessions) ?? seen.get(data['run_id']),
    };
  }),
  mutant(
    'any-identity',
    'Answers calls by any plugin.',
    '8/identity-checked',
    admission({ identity: ({ data }) => (data['caller_plugin_identity'] ? undefined : deny('unauthorized')) }),
  ),
  mutant(
    'name-is-enough',
    'Answers calls by any plugin of the same name.',
    '8/identity-checked',
    admission({
      identity: ({ data, session }) =>
        String(data['caller_plugin_identity']).split('/')[1] === session!.run.identity.split('/')[1]
          ? undefined
          : { code: 'unauthorized' },
    }),
  ),
  mutant(
    'author-is-enough',
    'Answers calls by any plugin of the same author.',
    '8/identity-checked',
    admission({
      identity: ({ data, session }) =>
        String(data['caller_plugin_identity']).split('/')[0] === session?.run.identity.split('/')[0]
          ? undefined
          : deny('unauthorized'),
    }),
  ),
  mutant(
    'identity-optional',
    'Answers calls without an identity.',
    '8/identity-required',
    admission({ identity: (given) => (given.data['caller_plugin_identity'] ? checks.identity(given) : undefined) }),
  ),
  mutant(
    'grants-of-the-latest',
    'Judges a call by what the latest run of that runner was granted.',
    ['8/grant-checked-models', '8/grant-checked-tools', '8/grant-checked-knowledge'],
    () => {
      let all: readonly Session[] = [];
      return {
        findSession: (data, sessions) => {
          all = sessions.all;
          return findSession(data, sessions);
        },
        ...actions('', ({ checkGrant }) => ({
          checkGrant: (data, { session, ...scene }) => {
            const latest = all.findLast(({ descriptor }) => descriptor.id === session.descriptor.id) ?? session;
            return checkGrant(data, { ...scene, session: { ...session, grants: latest.grants } });
          },
        })),
      };
    },
  ),
  ...Object.entries(ungranted).map(([family, change]) =>
    mutant(
      `ungranted-${family}`,
      `Answers ${family} calls on what was not granted.`,
      `8/grant-checked-${family}`,
      change,
    ),
  ),
  ...Object.entries(anyOperation).map(([family, change]) =>
    mutant(
      `any-operation-${family}`,
      `Answers every ${family} operation on what was granted for one.`,
      `8/operation-checked-${family}`,
      change,
    ),
  ),
  mutant(
    'any-state-scope',
    'Answers state calls in scopes that the policy does not open.',
    '8/scope-state',
    actions('state.', () => ({
      checkGrant: ({ scope }, { session }) =>
        session.grants.state.length > 0 && isStateScope(scope) ? undefined : deny('unauthorized'),
    })),
  ),
  mutant(
    'any-conversation',
    'Answers history of any conversation.',
    '8/scope-history',
    actions('history.', () => ({ checkScope: () => undefined })),
  ),
  mutant(
    'any-event',
    'Answers events of any conversation.',
    '8/scope-events',
    actions(['event_get'], () => ({
      checkScope: ({ event_id: id }, { memory }) =>
        memory.events.some((event) => event.event_id === id) ? undefined : deny('not_found'),
      perform: ({ event_id: id }, { memory }) => ({
        data: showEvent(memory.events.find((event) => event.event_id === id)!),
      }),
    })),
  ),
  mutant(
    'any-event-page',
    'Answers pages of events of any conversation.',
    '8/scope-events',
    actions(['event_page'], ({ perform }) => ({
      checkScope: () => undefined,
      perform: (data, { session, ...scene }) => {
        const asked = data['conversation_id'];
        const scope = { ...session.run.scope, ...(typeof asked === 'string' && { conversation_id: asked }) };
        return perform(data, { ...scene, session: { ...session, run: { ...session.run, scope } } });
      },
    })),
  ),
  mutant(
    'every-event-in-a-page',
    'Answers events of all conversations where none is named.',
    '8/scope-events',
    actions(['event_page'], ({ perform }) => ({
      perform: (data, { session, memory, ...scene }) => {
        const { conversation_id, thread_id } = session.run.scope;
        const events = memory.events.map((event) => ({ ...event, conversation_id, thread_id }));
        return perform(data, { ...scene, session, memory: Object.assign(Object.create(memory), { events }) });
      },
    })),
  ),
  mutant(
    'artifacts-of-any-binding',
    'Opens what a runner made under another binding of the conversation.',
    '8/scope-artifacts',
    actions('artifacts.', ({ checkScope }) => ({
      checkScope: (data, scene) => {
        const artifact = scene.memory.artifacts.get(String(data['artifact_id']));
        const { conversation_id } = scene.session.run.scope;
        return conversation_id !== null && artifact?.scope.conversation_id === conversation_id
          ? undefined
          : checkScope?.(data, scene);
      },
    })),
  ),
  mutant(
    'any-artifact',
    'Answers artifacts of any conversation.',
    '8/scope-artifacts',
    actions('artifacts.', () => ({
      checkScope: ({ artifact_id: id }, { memory }) =>
        memory.artifacts.has(String(id)) ? undefined : deny('not_found'),
    })),
  ),
  mutant('plugins-share', 'Lets plugins share their storage.', '8/scope-storage', {
    ownersOf: (owning) => {
      const owners = ownersOf(owning);
      return { ...owners, storage: { ...owners.storage, plugin: 'plugins' } };
    },
  }),
  mutant(
    'state-set-any-size',
    'Stores values of any size by state_set.',
    '8/size-state',
    actions(['state_set'], () => ({ checkSize: () => undefined })),
  ),
  mutant(
    'state-set-off-by-one',
    'Refuses by state_set what is just as large as it may be.',
    '8/size-state',
    actions(['state_set'], ({ checkSize }) => ({
      checkSize: (data, scene) =>
        checkSize?.(data, {
          ...scene,
          limits: { ...scene.limits, state_value_bytes: scene.limits.state_value_bytes - 1 },
        }),
    })),
  ),
  mutant(
    'state-key-any-length',
    'Keeps values by state_set under keys of any length.',
    '8/size-state',
    actions(['state_set'], ({ checkSize }) => ({
      checkSize: (data, scene) => checkSize?.(data, unlimited(scene, 'state_key_chars')),
    })),
  ),
  mutant(
    'history-page-any-size',
    'Answers as many items of history as are asked for.',
    '8/size-history-page',
    actions(['history_page'], ({ perform }) => ({
      perform: (data, scene) => perform(data, unlimited(scene, 'history_page_items')),
    })),
  ),
  mutant(
    'history-forward-any-size',
    'Answers as many items of history as are asked for, going forward.',
    '8/size-history-page',
    actions(['history_page'], ({ perform }) => ({
      perform: (data, scene) =>
        perform(data, data['direction'] === 'forward' ? unlimited(scene, 'history_page_items') : scene),
    })),
  ),
  mutant(
    'event-page-any-size',
    'Answers as many events as are asked for.',
    '8/size-event-page',
    actions(['event_page'], ({ perform }) => ({
      perform: (data, scene) => perform(data, unlimited(scene, 'event_page_items')),
    })),
  ),
  mutant(
    'artifact-read-any-size',
    'Answers as many bytes as are asked for.',
    '8/size-artifact-read',
    actions(['artifact_read'], () => ({ checkSize: () => undefined })),
  ),
  mutant('call-any-size', 'Takes calls of any size.', '8/size-call', {
    ...admission({ size: () => undefined }),
    ...actions('storage.', () => ({ checkSize: () => undefined })),
  }),
  mutant('no-rate', 'Answers any number of calls.', '8/rate-limited', admission({ rate: () => undefined })),
  mutant(
    'stingy-rate',
    'Refuses calls at a quarter of the rate it declares.',
    '8/rate-within-served',
    admission({
      rate: (given) =>
        checks.rate({ ...given, limits: { ...given.limits, calls_per_second: given.limits.calls_per_second / 4 } }),
    }),
  ),
  mutant('rate-one-more', 'Answers one call more than the rate it declares.', '8/rate-limited', atRate(1)),
  mutant('rate-one-fewer', 'Refuses the last call that its rate allows.', '8/rate-within-served', atRate(-1)),
  mutant('calls-past-deadline', 'Answers calls after the deadline.', '8/deadline-checked', {
    unregistersAfter: ({ status }) => status !== 'timeout',
  }),
  mutant(
    'tool-arguments-unchecked',
    'Calls tools without their parameters.',
    '8/arguments-checked',
    actions(['call_tool'], ({ perform }) => ({
      checkArguments: () => undefined,
      perform: (data, scene) =>
        perform({ ...data, parameters: isObject(data['parameters']) ? data['parameters'] : {} }, scene),
    })),
  ),
  mutant(
    'storage-arguments-unchecked',
    'Stores whatever comes as a value.',
    '8/arguments-checked',
    actions(['set_plugin_storage'], ({ perform }) => ({
      checkArguments: () => undefined,
      checkSize: () => undefined,
      perform: ({ key, value_base64: value }, scene) =>
        perform({ key: String(key), value_base64: String(value) }, scene),
    })),
  ),
  mutant(
    'history-bad-arguments-blamed-on-itself',
    'Answers runtime_error to bad arguments of history_page.',
    '9/code-invalid-argument',
    actions(['history_page'], ({ checkArguments }) => ({
      checkArguments: (data) => {
        const denial = checkArguments(data);
        return denial === undefined ? undefined : deny('runtime_error');
      },
    })),
  ),
  mutant(
    'refused-set-deletes',
    'Deletes the value that a refused state_set was meant to replace.',
    '8/refused-changes-nothing',
    actions(['state_set'], ({ checkSize }) => ({
      checkSize: (data, scene) => {
        const denial = checkSize?.(data, scene);
        const own = scene.session.run.owners.state;
        if (denial !== undefined && isStateScope(data['scope']))
          scene.memory.state.get(own[data['scope']])?.delete(String(data['key']));
        return denial;
      },
    })),
  ),
  mutant(
    'refused-once-refused-always',
    'Refuses every call of a run after it refused one.',
    '8/refused-run-goes-on',
    () => {
      const blocked = new Set<string>();
      return {
        answer: (action, data, scene) => {
          const { run_id: id } = scene.session.run;
          const answer = blocked.has(id) ? deny('unauthorized') : HOST_PARTS.answer(action, data, scene);
          if ('code' in answer) blocked.add(id);
          return answer;
        },
      };
    },
  ),
  mutant(
    'threads-mixed',
    'Answers the history of every thread of the conversation.',
    '8/history-thread',
    actions('history.', ({ perform }) => ({ perform: (data, scene) => perform(data, inAnyThread(scene)) })),
  ),
  mutant(
    'platform-without-manifest',
    'Carries out platform actions that the manifest does not ask for.',
    '8/platform-needs-all-three',
    platformWithout('manifest'),
  ),
  mutant(
    'platform-without-policy',
    'Carries out platform actions that the policy does not allow.',
    '8/platform-needs-all-three',
    platformWithout('policy'),
  ),
  mutant(
    'platform-without-approval',
    'Carries out platform actions that the user did not approve.',
    '8/platform-needs-all-three',
    platformWithout('approval'),
  ),
  mutant(
    'other-conversations-closed',
    'Does not heed the conversations that the policy opens.',
    '11/cross-conversation-granted',
    grants({ conversations: () => [] }),
  ),
];
