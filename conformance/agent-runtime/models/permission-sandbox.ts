// permission_sandbox_summary: why each tool call or process was allowed, blocked or failed, and what is still asked.
import { pickFrom, type RuntimeEvent } from '../event.ts';
import {
  defineModel,
  type Freshness,
  honest,
  keep,
  keepIn,
  known,
  type Seen,
  type Step,
  seenAt,
  values,
} from './model.ts';
import { type Decision, effective, isAllowed } from './permission-decision.ts';

const RECENT = 50;
const VIOLATIONS = 50;

interface Hook {
  point: string | undefined;
  status: string;
  decision: string | undefined;
  failurePolicy: string | undefined;
}

/** All facts about one call or process. */
interface Explained extends Seen {
  kind: 'tool_call' | 'process';
  id: string;
  name: string | undefined;
  /** The call that a process runs for: what allowed the call allowed the process. */
  call: string | undefined;
  decisions: Decision[];
  hooks: Hook[];
  sandbox: unknown;
  violations: number;
  status: string;
  category: string | undefined;
}

interface Approval extends Seen {
  key: string;
  toolCallId: string | undefined;
  processId: string | undefined;
  actionId: string | undefined;
}

export interface PermissionState {
  mode: string | undefined;
  policyChanged: string | undefined;
  open: Map<string, Explained>;
  recent: Map<string, Explained>;
  approvals: Map<string, Approval>;
  sandbox: unknown;
  violations: {
    violation_ref: unknown;
    boundary: string | null;
    tool_call_id: string | null;
    process_id: string | null;
  }[];
  violationCount: number;
}

function explained(state: PermissionState, kind: Explained['kind'], id: string, event: RuntimeEvent): Explained {
  const key = `${kind} ${id}`;
  const found = state.open.get(key) ?? state.recent.get(key);
  if (found !== undefined) {
    found.seen = seenAt(event);
    return found;
  }
  const fresh: Explained = {
    kind,
    id,
    name: undefined,
    call: undefined,
    decisions: [],
    hooks: [],
    sandbox: undefined,
    violations: 0,
    status: 'unknown',
    category: undefined,
    seen: seenAt(event),
  };
  state.open.set(key, fresh);
  return state.open.get(key)!;
}

/** The call or process that an event is about: a process explains itself, and else its call. */
function subject(state: PermissionState, event: RuntimeEvent): Explained | undefined {
  const processId = event.id('processId');
  if (processId !== undefined) return explained(state, 'process', processId, event);
  const toolCallId = event.id('toolCallId');
  return toolCallId === undefined ? undefined : explained(state, 'tool_call', toolCallId, event);
}

const decisionOf = (event: RuntimeEvent, settled: boolean): Decision => ({
  decision: event.text('decision', 'permissionDecision') ?? 'unknown',
  source: event.text('decisionSource', 'permissionDecision'),
  reason: event.text('decisionReason', 'permissionDecision'),
  rule_refs: event.list('ruleRefs', 'permissionDecision'),
  settled,
});

const evaluated: Step<PermissionState> = (state, event) => {
  const decision = decisionOf(event, false);
  state.mode = event.text('mode', 'permissionDecision') ?? state.mode;
  state.policyChanged = undefined;
  subject(state, event)?.decisions.push(decision);
  if (decision.decision === 'ask') ask(state, event);
};

function ask(state: PermissionState, event: RuntimeEvent): void {
  const approval = approvalOf(event);
  if (approval !== undefined) state.approvals.set(approval.key, approval);
}

function approvalOf(event: RuntimeEvent): Approval | undefined {
  const actionId = event.id('actionId') ?? event.text('approvalActionId', 'permissionDecision');
  const processId = event.id('processId');
  const toolCallId = event.id('toolCallId');
  const key = toolCallId ?? processId ?? actionId;
  return key === undefined ? undefined : { key, toolCallId, processId, actionId, seen: seenAt(event) };
}

const resolved: Step<PermissionState> = (state, event) => {
  subject(state, event)?.decisions.push(decisionOf(event, true));
  const approval = approvalOf(event);
  if (approval !== undefined) state.approvals.delete(approval.key);
  if (approval?.actionId !== undefined) settle(state, approval.actionId);
};

function settle(state: PermissionState, actionId: string): Approval[] {
  const settled = values(state.approvals).filter((approval) => approval.actionId === actionId);
  for (const approval of settled) state.approvals.delete(approval.key);
  return settled;
}

/** The answer of a person decides for the call that waited for it. */
const answered: Step<PermissionState> = (state, event) => {
  const { actionId } = event;
  if (actionId === undefined) return;
  const decision: Decision = {
    decision: event.text('decision') ?? 'unknown',
    source: 'human',
    reason: `action ${actionId}`,
    rule_refs: undefined,
    settled: true,
  };
  const keys = new Set(
    settle(state, actionId).map(({ toolCallId, processId }) =>
      toolCallId === undefined ? `process ${processId}` : `tool_call ${toolCallId}`,
    ),
  );
  if (event.toolCallId !== undefined) keys.add(`tool_call ${event.toolCallId}`);
  for (const key of keys) (state.open.get(key) ?? state.recent.get(key))?.decisions.push(decision);
};

const began =
  (kind: Explained['kind']): Step<PermissionState> =>
  (state, event) => {
    const subject = about(state, kind, event);
    if (subject === undefined) return;
    if (subject.status === 'unknown') subject.status = 'running';
    subject.name ??= event.text('toolName') ?? event.text('command');
    if (kind === 'process') subject.call ??= event.id('toolCallId');
    const policy = event.text('policy');
    if (policy !== undefined) subject.decisions.push(fromPolicy(policy));
  };

const about = (state: PermissionState, kind: Explained['kind'], event: RuntimeEvent): Explained | undefined => {
  const id = kind === 'process' ? event.id('processId') : event.toolCallId;
  return id === undefined ? undefined : explained(state, kind, id, event);
};

/** The policy that the tool's own event names is the least of decisions. */
const fromPolicy = (policy: string): Decision => ({
  decision: policy === 'allowed' ? 'allow' : policy === 'denied' ? 'deny' : policy,
  source: 'tool_contract',
  reason: undefined,
  rule_refs: undefined,
  settled: false,
});

const ended =
  (kind: Explained['kind'], status: string): Step<PermissionState> =>
  (state, event) => {
    const subject = about(state, kind, event);
    if (subject === undefined || !state.open.has(`${kind} ${subject.id}`)) return;
    subject.status = status;
    if (status !== 'completed')
      subject.category =
        event.text('errorCategory') ?? event.text('failureCategory') ?? event.text('category') ?? event.text('reason');
    state.open.delete(`${kind} ${subject.id}`);
    keepIn(state.recent, `${kind} ${subject.id}`, subject, RECENT);
  };

const hooked =
  (status: string): Step<PermissionState> =>
  (state, event) => {
    subject(state, event)?.hooks.push({
      point: event.text('hookPoint', 'hookRun'),
      status,
      decision: event.text('decision', 'hookRun'),
      failurePolicy: event.text('failurePolicy', 'hookRun'),
    });
  };

export const permissionSandbox = defineModel({
  name: 'permission_sandbox_summary',
  initial: (): PermissionState => ({
    mode: undefined,
    policyChanged: undefined,
    open: new Map(),
    recent: new Map(),
    approvals: new Map(),
    sandbox: undefined,
    violations: [],
    violationCount: 0,
  }),
  on: {
    'permission.evaluated': evaluated,
    'permission.requested': ask,
    'permission.resolved': resolved,
    'action.resolved': answered,
    'sandbox.applied': (state, event) => {
      const profile = event.get('sandboxProfile') ?? event.payload;
      state.sandbox = profile;
      const whose = subject(state, event);
      if (whose !== undefined) whose.sandbox = profile;
    },
    'sandbox.violation': (state, event) => {
      state.violationCount++;
      const violation = {
        violation_ref: known(event.get('violationRef')),
        boundary: event.text('boundary') ?? null,
        tool_call_id: event.toolCallId ?? null,
        process_id: event.id('processId') ?? null,
      };
      keep(state.violations, violation, VIOLATIONS);
      const whose = subject(state, event);
      if (whose !== undefined) whose.violations++;
    },
    'hook.completed': hooked('completed'),
    'hook.failed': hooked('failed'),
    'policy.changed': (state, event) => {
      state.policyChanged = event.text('reason') ?? 'policy.changed';
      state.mode = event.text('mode') ?? undefined;
    },
    'tool.started': began('tool_call'),
    'tool.result': ended('tool_call', 'completed'),
    'tool.failed': ended('tool_call', 'failed'),
    'process.started': began('process'),
    'process.completed': ended('process', 'completed'),
    'process.failed': ended('process', 'failed'),
    'process.terminated': ended('process', 'terminated'),
  },
  show: (state, fresh) => ({
    permission_mode: known(state.mode),
    permission_state: state.policyChanged === undefined ? 'current' : 'stale',
    because: state.policyChanged,
    pending_approvals: values(state.approvals).map((approval) => ({
      tool_call_id: known(approval.toolCallId),
      process_id: known(approval.processId),
      action_id: known(approval.actionId),
    })),
    sandbox:
      state.sandbox === undefined
        ? 'unknown'
        : { mode: known(pickFrom(state.sandbox, 'mode')), network: known(pickFrom(state.sandbox, 'network')) },
    violations: state.violations,
    violation_count: state.violationCount,
    explained: [...values(state.recent), ...values(state.open)].map((subject) => explain(subject, fresh)),
    freshness: fresh,
  }),
});

/** The chain behind one call or process: who decided what, in which bounds, and how it came out. */
function explain(subject: Explained, fresh: Freshness) {
  const decided = effective(subject.decisions);
  const blockedByHook = subject.hooks.find(({ decision }) => decision === 'block' || decision === 'deny');
  return {
    ...(subject.kind === 'process'
      ? { process_id: subject.id, tool_call_id: known(subject.call) }
      : { tool_call_id: subject.id }),
    name: known(subject.name),
    ...honest(subject.status, subject, fresh),
    permitted:
      blockedByHook !== undefined && !decided?.settled
        ? 'blocked'
        : decided === undefined
          ? 'unknown'
          : isAllowed(decided)
            ? 'allowed'
            : decided.decision === 'ask'
              ? 'waiting'
              : decided.decision === 'unknown' || decided.decision === 'unavailable'
                ? decided.decision
                : 'blocked',
    because:
      decided === undefined
        ? 'unknown'
        : { source: known(decided.source), reason: known(decided.reason), rule_refs: known(decided.rule_refs) },
    decisions: subject.decisions.map(({ decision, source }) => ({ decision, source: known(source) })),
    hooks: subject.hooks.map((hook) => ({
      point: known(hook.point),
      status: hook.status,
      decision: known(hook.decision),
      failure_policy: known(hook.failurePolicy),
    })),
    sandbox: known(pickFrom(subject.sandbox, 'mode')),
    violations: subject.violations,
    failed_because: known(subject.category),
  };
}
