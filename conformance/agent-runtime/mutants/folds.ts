// Read models that fold wrongly: each overlooks or mistakes one class of events.
import { readModels } from '../models/all.ts';
import { defineModel, type ReadModel, type Step } from '../models/model.ts';

/** The model with another step for one class of events. */
function misfolded(name: string, type: string, change: (usual: Step<never>) => Step<never>): readonly ReadModel[] {
  return readModels.map((model) => {
    if (model.name !== name) return model;
    const usual = model.steps.get(type) as Step<never>;
    const on = Object.fromEntries([...model.steps, [type, change(usual) as Step<unknown>]]);
    return defineModel({
      name,
      initial: model.initial,
      on,
      show: model.show,
      ...(model.every === undefined ? {} : { every: model.every }),
    }) as ReadModel;
  });
}

/** The model with other words for what it has folded. */
export const misshown = (name: string, change: (shown: Record<string, unknown>) => unknown): readonly ReadModel[] =>
  readModels.map((model) =>
    model.name === name
      ? { ...model, show: (state, fresh) => change(model.show(state, fresh) as Record<string, unknown>) }
      : model,
  );

const overlooks = (name: string, type: string): readonly ReadModel[] => misfolded(name, type, () => () => {});
const afterwards = (name: string, type: string, then: (state: never) => void): readonly ReadModel[] =>
  misfolded(name, type, (usual) => (state, event) => {
    usual(state, event);
    then(state);
  });

type Loose = Record<string, Map<string, Record<string, unknown>>>;

export const foldMutants: readonly {
  readonly model: string;
  readonly what: string;
  readonly models: readonly ReadModel[];
}[] = [
  {
    model: 'session_snapshot',
    what: 'overlooks that a session was renamed',
    models: overlooks('session_snapshot', 'session.updated'),
  },
  {
    model: 'thread_read_model',
    what: 'takes a tool that failed for one that succeeded',
    models: misfolded(
      'thread_read_model',
      'tool.failed',
      () => readModels.find(({ name }) => name === 'thread_read_model')!.steps.get('tool.result') as Step<never>,
    ),
  },
  {
    model: 'tool_inventory_snapshot',
    what: 'overlooks that the policy changed',
    models: overlooks('tool_inventory_snapshot', 'policy.changed'),
  },
  {
    model: 'queue_snapshot',
    what: 'turns the queue around',
    models: afterwards('queue_snapshot', 'queue.changed', (state: Loose) => {
      for (const queue of state['threads']!.values()) (queue['entries'] as unknown[]).reverse();
    }),
  },
  {
    model: 'task_snapshot',
    what: 'forgets earlier attempts when a task is retried',
    models: afterwards('task_snapshot', 'task.retrying', (state: Loose) => {
      for (const task of state['open']!.values()) (task['attempts'] as Map<string, unknown>).clear();
    }),
  },
  {
    model: 'context_boundary_snapshot',
    what: 'overlooks that a compaction was completed',
    models: overlooks('context_boundary_snapshot', 'context.compaction.completed'),
  },
  {
    model: 'artifact_checkpoint_summary',
    what: 'loses the versions of artifacts',
    models: afterwards('artifact_checkpoint_summary', 'artifact.changed', (state: Loose) => {
      for (const artifact of state['artifacts']!.values()) artifact['versions'] = [];
    }),
  },
  {
    model: 'evidence_summary',
    what: 'calls every export a pack',
    models: afterwards('evidence_summary', 'evidence.changed', (state: Loose) => {
      for (const evidence of state['evidence']!.values()) evidence['kind'] = 'pack';
    }),
  },
  {
    model: 'permission_sandbox_summary',
    what: 'overlooks violations of the sandbox',
    models: overlooks('permission_sandbox_summary', 'sandbox.violation'),
  },
  {
    model: 'execution_environment_snapshot',
    what: 'overlooks that a process was terminated',
    models: overlooks('execution_environment_snapshot', 'process.terminated'),
  },
  {
    model: 'routing_limit_summary',
    what: 'overlooks fallbacks',
    models: overlooks('routing_limit_summary', 'routing.fallback.applied'),
  },
  {
    model: 'subagent_job_summary',
    what: 'overlooks that a subagent was closed',
    models: overlooks('subagent_job_summary', 'subagent.closed'),
  },
  {
    model: 'channel_summary',
    what: 'overlooks that a channel was lost',
    models: overlooks('channel_summary', 'channel.disconnected'),
  },
];
