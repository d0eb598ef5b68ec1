// §9.8: permission, sandbox, hook and process facts explain why each call or command was allowed, blocked or failed.

import type { RuntimeEvent } from '../event.ts';
import { type Decision, effective, isAllowed, outranks } from '../models/permission-decision.ts';
import { type DutyOf, type Heard, hold, holdAgainst, need, whole } from './duty.ts';
import { type CallNote, type Ledger, remember } from './ledger.ts';
import { callOf, newCall } from './tools.ts';

const PROCESSES = 1024;
const REFUSED = /permission|denied|deny|polic|blocked|not_allowed/;
const SANDBOX = /sandbox/;
/** Why a process may fail that never started. */
const NEVER_RAN: ReadonlySet<string> = new Set(['spawn', 'permission', 'sandbox']);
const UNSETTLED: ReadonlySet<string> = new Set(['ask', 'unknown', 'unavailable']);

const decisionOf = (event: RuntimeEvent, settled: boolean): Decision => ({
  decision: event.text('decision', 'permissionDecision') ?? 'unknown',
  source: event.text('decisionSource', 'permissionDecision'),
  reason: event.text('decisionReason', 'permissionDecision'),
  rule_refs: event.list('ruleRefs', 'permissionDecision'),
  settled,
});

/** What is known of a process as such, noted down if it is new. */
function commandOf(ledger: Ledger, event: RuntimeEvent, place: number): CallNote | undefined {
  const id = event.id('processId');
  if (id === undefined) return undefined;
  const known = ledger.commands.get(id);
  if (known !== undefined) return known;
  const note = newCall(place);
  remember(ledger.commands, id, note, PROCESSES);
  return note;
}

/** The call and the process that an event names: what is said of both is known of both. */
const namedIn = ({ event, ledger, place }: Heard): readonly CallNote[] => [
  ...(event.toolCallId === undefined ? [] : [callOf(ledger, event.toolCallId, place)]),
  ...[commandOf(ledger, event, place) ?? []].flat(),
];

export const permissionDuty: DutyOf = (page) => {
  const allowed = page('ar/9.8/run-was-allowed');
  const rule = page('ar/9.8/rule-outranks-automatic-allow');
  const explained = page('ar/9.8/decision-has-source-and-reason');
  const refusal = page('ar/9.8/refusal-explained');
  const sandboxFailure = page('ar/9.8/sandbox-failure-explained');
  const profile = page('ar/9.8/sandboxed-run-has-profile');
  const knownProcess = page('ar/9.8/process-started-first');
  const endsOnce = page('ar/9.8/process-ends-once');
  const hookEnds = page('ar/9.8/hook-begins-and-ends');
  const rewrite = page('ar/9.8/rewritten-input-used');

  /** A rule that denies or asks, against which something automatic said allow. */
  const overruled = (decisions: readonly Decision[]): boolean =>
    decisions.some((earlier, i) => decisions.slice(i + 1).some((later) => outranks(earlier, later)));

  const runs = (heard: Heard): void => {
    const { event, ledger, place } = heard;
    const id = event.toolCallId;
    if (id === undefined) return;
    const note = callOf(ledger, id, place);
    const counts = effective(note.decisions);
    if (counts === undefined || counts.decision === 'unknown' || counts.decision === 'unavailable') return;
    holdAgainst(
      allowed,
      heard,
      isAllowed(counts),
      [note.place, place],
      `no run of a call whose decision is ${counts.decision}`,
      event.type,
    );
    if (overruled(note.decisions)) {
      hold(
        rule,
        isAllowed(counts),
        [note.place, place],
        'a rule that denies or asks to stand against an automatic allow',
        event.type,
      );
    }
    if (counts.decision === 'sandboxed')
      holdAgainst(profile, heard, note.sandboxed, [place], 'sandbox.applied before a sandboxed run', event.type);
  };

  /** A process that was decided about. Whether a question about it was answered elsewhere a log need not tell. */
  const commandRuns = (heard: Heard): void => {
    const { event, ledger, place } = heard;
    const note = commandOf(ledger, event, place);
    const counts = note === undefined ? undefined : effective(note.decisions);
    if (note === undefined || counts === undefined || UNSETTLED.has(counts.decision)) return;
    holdAgainst(
      allowed,
      heard,
      isAllowed(counts),
      [note.place, place],
      `no start of a process whose decision is ${counts.decision}`,
      event.type,
    );
  };

  const failed = (heard: Heard, notes: readonly CallNote[], category: string): void => {
    if (SANDBOX.test(category)) {
      need(
        sandboxFailure,
        heard,
        notes.some(({ violation }) => violation),
        'sandbox.violation before a failure by the sandbox',
        `${heard.event.type} with ${category} alone`,
      );
    } else if (REFUSED.test(category)) {
      const refuses = ({ decisions, hookBlocked }: CallNote): boolean => {
        const counts = effective(decisions);
        return hookBlocked || (counts !== undefined && !isAllowed(counts));
      };
      need(
        refusal,
        heard,
        notes.some(refuses),
        'a decision or a hook that refuses the call',
        `${heard.event.type} with ${category} alone`,
      );
    }
  };

  const asks = ({ event, ledger }: Heard): void => {
    const action = event.text('approvalActionId', 'permissionDecision') ?? event.actionId;
    const command = event.id('processId');
    if (action !== undefined && command !== undefined) remember(ledger.commandApprovals, action, command);
  };

  const process = (heard: Heard): { ended: boolean } | undefined => {
    const { event, ledger } = heard;
    const id = event.id('processId');
    if (id === undefined) return undefined;
    const found = ledger.processes.get(id);
    need(
      knownProcess,
      heard,
      found !== undefined || (event.type === 'process.failed' && NEVER_RAN.has(event.text('category') ?? '')),
      `process.started before ${event.type}`,
      `process ${id} is not known`,
    );
    return found;
  };

  const processEnds = (heard: Heard): void => {
    const { place, event } = heard;
    const found = process(heard);
    if (found === undefined) return;
    hold(endsOnce, !found.ended, [place], 'one end of a process', `${event.type} after it had ended`);
    found.ended = true;
  };

  return {
    on: {
      'permission.evaluated': (heard) => {
        const { event, ledger, place } = heard;
        const decision = decisionOf(event, false);
        ledger.mode = event.text('mode', 'permissionDecision') ?? ledger.mode;
        const lacking = [
          ...(decision.decision === 'unknown' ? ['decision'] : []),
          ...(decision.source === undefined ? ['decision_source'] : []),
          ...(decision.reason === undefined && decision.rule_refs === undefined ? ['decision_reason'] : []),
        ];
        hold(
          explained,
          lacking.length === 0,
          [place],
          'decision, decision_source and decision_reason (or rule_refs)',
          `no ${lacking.join(', no ')}`,
        );
        for (const note of namedIn(heard)) note.decisions.push(decision);
        asks(heard);
      },
      'permission.requested': (heard) => asks(heard),
      'permission.resolved': (heard) => {
        for (const note of namedIn(heard)) note.decisions.push(decisionOf(heard.event, true));
      },
      'action.resolved': ({ event, ledger, place }) => {
        const { actionId } = event;
        const call = event.toolCallId ?? (actionId === undefined ? undefined : ledger.approvals.get(actionId));
        const command = actionId === undefined ? undefined : ledger.commandApprovals.get(actionId);
        const said = event.text('decision');
        if (said === undefined) return;
        const decision = { decision: said, source: 'human', reason: undefined, rule_refs: undefined, settled: true };
        if (call !== undefined) callOf(ledger, call, place).decisions.push(decision);
        if (command !== undefined) ledger.commands.get(command)?.decisions.push(decision);
      },
      'policy.changed': ({ event, ledger }) => {
        ledger.mode = event.text('mode') ?? ledger.mode;
      },
      'tool.started': ({ event, ledger, place }) => {
        const policy = event.text('policy');
        if (event.toolCallId === undefined || policy === undefined) return;
        const decision = policy === 'allowed' ? 'allow' : policy === 'denied' ? 'deny' : policy;
        callOf(ledger, event.toolCallId, place).decisions.push({
          decision,
          source: 'tool_contract',
          reason: undefined,
          rule_refs: undefined,
          settled: false,
        });
      },
      'tool.args': ({ event, ledger, place }) => {
        if (event.toolCallId === undefined) return;
        const note = callOf(ledger, event.toolCallId, place);
        const ref = event.text('inputRef');
        if (note.rewritten !== undefined && ref !== undefined)
          hold(rewrite, ref === note.rewritten, [place], `the input that the hook wrote, ${note.rewritten}`, ref);
      },
      'tool.progress': runs,
      'tool.result': (heard) => {
        runs(heard);
        const { event, ledger, place } = heard;
        if (event.toolCallId === undefined) return;
        const note = callOf(ledger, event.toolCallId, place);
        if (note.hookBlocked)
          allowed.broken([note.place, place], 'no result of a call that a hook blocked', 'tool.result');
      },
      'tool.failed': (heard) => {
        const { event, ledger, place } = heard;
        const category = event.text('errorCategory') ?? event.text('failureCategory');
        if (event.toolCallId === undefined) return;
        const note = callOf(ledger, event.toolCallId, place);
        if (overruled(note.decisions)) rule.kept();
        if (category !== undefined) failed(heard, [note], category);
      },
      'sandbox.applied': (heard) => {
        for (const note of namedIn(heard)) note.sandboxed = true;
      },
      'sandbox.violation': (heard) => {
        for (const note of namedIn(heard)) note.violation = true;
      },
      'hook.started': ({ event, ledger, place }) => {
        const id = event.id('hookId');
        if (id !== undefined) remember(ledger.hooks, id, place);
      },
      'hook.completed': (heard) => {
        const { event, ledger, place } = heard;
        const id = event.id('hookId');
        if (id !== undefined) {
          need(hookEnds, heard, ledger.hooks.has(id), 'hook.started before hook.completed', `hook ${id} never started`);
          ledger.hooks.delete(id);
        }
        if (event.toolCallId === undefined) return;
        const note = callOf(ledger, event.toolCallId, place);
        const decision = event.text('decision', 'hookRun');
        note.hookBlocked = decision === 'block' || decision === 'deny';
        note.rewritten = event.text('updatedInputRef', 'hookRun') ?? note.rewritten;
      },
      'hook.failed': (heard) => {
        const id = heard.event.id('hookId');
        if (id === undefined) return;
        need(
          hookEnds,
          heard,
          heard.ledger.hooks.has(id),
          'hook.started before hook.failed',
          `hook ${id} never started`,
        );
        heard.ledger.hooks.delete(id);
      },
      'process.started': (heard) => {
        runs(heard);
        commandRuns(heard);
        const id = heard.event.id('processId');
        if (id !== undefined) remember(heard.ledger.processes, id, { ended: false }, PROCESSES);
      },
      'process.output': (heard) => {
        const found = process(heard);
        if (found?.ended) endsOnce.broken([heard.place], 'no output of a process after its end', 'process.output');
      },
      'process.input': process,
      'process.completed': processEnds,
      'process.terminated': processEnds,
      'process.failed': (heard) => {
        processEnds(heard);
        const category = heard.event.text('category');
        if (category !== undefined) failed(heard, namedIn(heard), category);
      },
    },
    end(ledger, stream) {
      if (!whole(stream)) return;
      for (const place of ledger.hooks.values()) hookEnds.broken([place], 'an end of the hook', 'none');
    },
  };
};
