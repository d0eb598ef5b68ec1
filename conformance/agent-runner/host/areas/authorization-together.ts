// Runs side by side: each calls with its own identity and grants, and with no others.
import type { Beat, HostStimulus } from '../stimulus.ts';
import { ending, type Offering, Pacer, type Part, part, prepare, right, runners } from './authorization-kit.ts';
import { AUTHOR, event, scene, settle } from './kit.ts';

/** Runs side by side, each calling for itself and for the other. */
export function sideBySide(offering: Offering, actions: readonly string[]): HostStimulus {
  const beatsOf = (run: number): readonly Beat[] => [
    ...prepare(actions, run),
    ...actions.flatMap((action) => [
      right(offering, action, run),
      { ...right(offering, action, run), as: `${AUTHOR}/other` },
    ]),
    ...ending,
  ];
  const pacer = new Pacer({ pace: Math.max(1, Math.floor(offering.pace / 2)) });
  const steps = [0, 1].map((run) =>
    part(run, { beats: beatsOf(run), event: event(run, { conversation_id: `conversation-${run}` }) }, offering, pacer),
  );
  return scene([...steps, settle(0), settle(1)], runners(offering));
}

/**
 * Two runs of one runner at the same time, of which the first may use nothing: what the later one may is not its business.
 * One runner, for a host may keep the grants of each runner once; `unequal` has two runners and does not see that.
 */
export function openBesideClosed(offering: Offering): HostStimulus {
  const pacer = new Pacer(offering);
  const calls = ['invoke_llm', 'get_tool_detail', 'call_tool', 'retrieve_knowledge_base']
    .filter((action) => offering.actions.includes(action))
    .map((action) => right(offering, action, 0));
  const none = { allowed_model_uuids: [], allowed_tool_names: [], allowed_kb_uuids: [] };
  const open = part(1, { beats: [...calls, { wait: 3000 }, ...ending] }, offering, pacer);
  const closed = part(0, { resource: none, beats: [{ wait: 500 }, ...calls, ...ending] }, offering, pacer);
  return scene([closed, open, settle(0, 8000), settle(1, 8000)], runners(offering));
}

/** A run that may do nothing, and beside it one of the same plugin that may do everything: each has its own grants and no others. */
export function unequal(offering: Offering, actions: readonly string[]): HostStimulus {
  const pacer = new Pacer({ pace: Math.max(1, Math.floor(offering.pace / 2)) });
  const beatsOf = (run: number): readonly Beat[] => [
    ...prepare(actions, run),
    ...actions.map((action) => right(offering, action, run)),
    ...ending,
  ];
  const nothing: Part = {
    runner: 'lesser',
    beats: [{ wait: 300 }, ...beatsOf(0)],
    resource: {
      allow_plugin_storage: false,
      allow_workspace_storage: false,
      allow_binding_storage: false,
      allowed_platform_actions: [],
    },
    state: { enable_state: false, state_scopes: [] },
  };
  return scene(
    [
      part(0, nothing, offering, pacer),
      { do: 'reach', run: 0 },
      part(1, { beats: [...beatsOf(1).slice(0, -1), { wait: 3000 }, ...ending.slice(-1)] }, offering, pacer),
      settle(0, 20_000),
      settle(1, 8000),
    ],
    runners(offering, { lesser: {} }),
  );
}
