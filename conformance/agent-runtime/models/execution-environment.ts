// execution_environment_snapshot: where work runs and which processes are alive. A process ends by its own event;
// one whose end was never told is `stale`, never completed.

import { pickFrom, type RuntimeEvent } from '../event.ts';
import { defineModel, type Freshness, honest, keepIn, known, type Seen, type Step, seenAt, values } from './model.ts';

const RECENT = 50;

interface Process extends Seen {
  processId: string;
  toolCallId: string | undefined;
  turnId: string | undefined;
  command: unknown;
  cwd: string | undefined;
  tty: boolean | undefined;
  status: string;
  exitCode: number | undefined;
  reason: string | undefined;
  outputRef: string | undefined;
}

export interface EnvironmentState {
  environment: Record<string, unknown> | undefined;
  active: Map<string, Process>;
  recent: Map<string, Process>;
}

const FACTS = ['cwd', 'workspaceRoots', 'envRef', 'processLimits', 'shell', 'os', 'arch', 'networkProfile'] as const;

function note(state: EnvironmentState, from: unknown): void {
  for (const name of FACTS) {
    const value = pickFrom(from, name);
    if (value === undefined) continue;
    state.environment ??= {};
    state.environment[name] = value;
  }
}

function processOf(state: EnvironmentState, event: RuntimeEvent): Process | undefined {
  const processId = event.id('processId');
  if (processId === undefined || state.recent.has(processId)) return undefined;
  if (!state.active.has(processId)) {
    state.active.set(processId, {
      processId,
      toolCallId: event.toolCallId,
      turnId: event.turnId,
      command: undefined,
      cwd: undefined,
      tty: undefined,
      status: 'unknown',
      exitCode: undefined,
      reason: undefined,
      outputRef: undefined,
      seen: seenAt(event),
    });
  }
  const process = state.active.get(processId)!;
  process.seen = seenAt(event);
  process.outputRef = event.text('outputRef') ?? process.outputRef;
  return process;
}

const ends =
  (status: string): Step<EnvironmentState> =>
  (state, event) => {
    const process = processOf(state, event);
    if (process === undefined) return;
    process.status = status;
    process.exitCode = event.number('exitCode');
    process.reason = event.text('category') ?? event.text('reason');
    state.active.delete(process.processId);
    keepIn(state.recent, process.processId, process, RECENT);
  };

const touches: Step<EnvironmentState> = (state, event) => {
  processOf(state, event);
};

export const executionEnvironment = defineModel({
  name: 'execution_environment_snapshot',
  initial: (): EnvironmentState => ({ environment: undefined, active: new Map(), recent: new Map() }),
  on: {
    'process.started': (state, event) => {
      const process = processOf(state, event);
      if (process === undefined) return;
      process.status = 'running';
      process.command = event.get('command');
      process.cwd = event.text('cwd');
      process.tty = event.get('tty') === undefined ? undefined : event.get('tty') === true;
    },
    'process.output': touches,
    'process.input': touches,
    'process.completed': ends('completed'),
    'process.failed': ends('failed'),
    'process.terminated': ends('terminated'),
    'sandbox.applied': (state, event) => note(state, event.get('sandboxProfile') ?? event.payload),
  },
  every: (state, event) => note(state, event.beside('executionEnvironment')),
  show: (state, fresh) => ({
    status: state.environment === undefined ? 'unknown' : 'known',
    cwd: known(state.environment?.['cwd']),
    workspace_roots: known(state.environment?.['workspaceRoots']),
    env_ref: known(state.environment?.['envRef']),
    process_limits: known(state.environment?.['processLimits']),
    shell: known(state.environment?.['shell']),
    os: known(state.environment?.['os']),
    arch: known(state.environment?.['arch']),
    network_profile: known(state.environment?.['networkProfile']),
    active_processes: values(state.active).map((process) => show(process, fresh)),
    recent_processes: values(state.recent).map((process) => show(process, fresh)),
    freshness: fresh,
  }),
});

const show = (process: Process, fresh: Freshness) => ({
  process_id: process.processId,
  tool_call_id: known(process.toolCallId),
  turn_id: known(process.turnId),
  ...honest(process.status, process, fresh),
  command: known(process.command),
  cwd: known(process.cwd),
  tty: known(process.tty),
  exit_code: known(process.exitCode),
  reason: known(process.reason),
  output_ref: known(process.outputRef),
});
