// §9.4: a decision that is awaited pauses what depends on it, and only an answer goes on with it.
import { isAllowed } from '../models/permission-decision.ts';
import { type DutyOf, type Heard, hold, holdAgainst, need } from './duty.ts';
import { type ActionNote, remember } from './ledger.ts';

/** Answers that are none of a person or a policy: nobody decided. */
const NOT_AN_ANSWER = new Set(['', 'unknown', 'pending']);
const ANSWERERS_THAT_DO_NOT_COUNT = new Set(['text', 'model', 'inferred', 'restart', 'snapshot']);

export const actionDuty: DutyOf = (page) => {
  const pauses = page('ar/9.4/open-action-pauses');
  const knownAction = page('ar/9.4/answer-has-action');
  const once = page('ar/9.4/answered-once');
  const decision = page('ar/9.4/answer-is-a-decision');
  const denied = page('ar/9.4/denied-is-not-run');
  const notDone = page('ar/9.4/not-completed-while-open');
  const full = page('ar/4/action-says-what-it-asks');
  const never = page('ar/9.8/never-mode-never-asks');

  const openOn = (heard: Heard, of: (action: ActionNote) => boolean): [string, ActionNote] | undefined => {
    if (heard.ledger.actions.size === 0) return undefined;
    for (const entry of heard.ledger.actions) if (of(entry[1])) return entry;
    return undefined;
  };

  const advances = (heard: Heard, of: (action: ActionNote) => boolean): void => {
    const open = openOn(heard, of);
    if (open !== undefined)
      holdAgainst(
        pauses,
        heard,
        false,
        [open[1].place, heard.place],
        `no ${heard.event.type} before action ${open[0]} is resolved`,
        heard.event.type,
      );
  };

  const ofCall = (heard: Heard): void => {
    const call = heard.event.toolCallId;
    if (call === undefined) return;
    advances(heard, (action) => action.toolCallId === call);
    const refusal = heard.ledger.approvals.get(`denied ${call}`);
    if (refusal !== undefined)
      holdAgainst(
        denied,
        heard,
        false,
        [heard.place],
        `no run of tool call ${call}, which action ${refusal} denied`,
        heard.event.type,
      );
  };

  const ofTask = (heard: Heard): void => {
    const { taskId } = heard.event;
    if (taskId !== undefined && heard.event.text('phase') !== 'waiting')
      advances(heard, (action) => action.taskId === taskId && action.toolCallId === undefined);
  };

  const completes = (heard: Heard, of: (action: ActionNote) => boolean): void => {
    const open = openOn(heard, of);
    if (open !== undefined)
      holdAgainst(
        notDone,
        heard,
        false,
        [open[1].place, heard.place],
        `no ${heard.event.type} while action ${open[0]} is open`,
        heard.event.type,
      );
    else notDone.kept();
  };

  return {
    on: {
      'permission.requested': ({ event, ledger }) => {
        const action = event.text('approvalActionId', 'permissionDecision') ?? event.actionId;
        if (action !== undefined && event.toolCallId !== undefined)
          remember(ledger.approvals, action, event.toolCallId);
      },
      'action.required': ({ event, ledger, place }) => {
        if (ledger.mode !== undefined)
          hold(
            never,
            ledger.mode !== 'never',
            [place],
            'no question to anybody in permission mode never',
            'action.required',
          );
        const lacking = [
          ...(event.actionId === undefined ? ['action_id'] : []),
          ...(event.text('actionType') === undefined ? ['action_type'] : []),
          ...(event.get('prompt') === undefined &&
          event.get('inputSchema') === undefined &&
          event.get('schema') === undefined
            ? ['prompt or schema']
            : []),
          ...(event.get('decisions') === undefined &&
          event.get('decisionKind') === undefined &&
          event.get('inputSchema') === undefined
            ? ['decisions']
            : []),
        ];
        hold(
          full,
          lacking.length === 0,
          [place],
          'action_id, action_type, a prompt or a schema, and the decisions that are possible',
          `no ${lacking.join(', no ')}`,
        );
        if (event.actionId === undefined) return;
        ledger.resolved.delete(event.actionId);
        ledger.actions.set(event.actionId, {
          place,
          threadId: event.threadId,
          turnId: event.turnId,
          taskId: event.taskId,
          toolCallId: event.toolCallId ?? event.id('toolCallId') ?? ledger.approvals.get(event.actionId),
        });
      },
      'action.resolved': (heard) => {
        const { event, ledger, place } = heard;
        const id = event.actionId;
        const said = event.text('decision');
        const by = event.text('decidedBy') ?? event.text('source');
        hold(
          decision,
          said !== undefined && !NOT_AN_ANSWER.has(said) && !ANSWERERS_THAT_DO_NOT_COUNT.has(by ?? ''),
          [place],
          'a decision, as respond_action gives it',
          said === undefined ? 'no decision' : `${said}${by === undefined ? '' : ` by ${by}`}`,
        );
        if (id === undefined) return;
        const before = ledger.resolved.get(id);
        if (before !== undefined) {
          once.broken([before.place, place], `one answer to action ${id}`, `${said} after ${before.decision}`);
          return;
        }
        const action = ledger.actions.get(id);
        need(
          knownAction,
          heard,
          action !== undefined,
          `action.required for ${id} before its answer`,
          'an answer to nothing',
        );
        if (action === undefined) return;
        once.kept();
        pauses.kept();
        ledger.actions.delete(id);
        remember(ledger.resolved, id, { decision: said ?? '', place });
        if (
          action.toolCallId !== undefined &&
          said !== undefined &&
          /^(den(y|ied)|reject(ed)?|no|cancel(led)?|timed_out|timeout)$/.test(said)
        ) {
          remember(ledger.approvals, `denied ${action.toolCallId}`, id);
        } else if (action.toolCallId !== undefined && isAllowed({ decision: said ?? '' }))
          ledger.approvals.delete(`denied ${action.toolCallId}`);
      },
      'tool.progress': ofCall,
      'tool.result': ofCall,
      'process.started': ofCall,
      'tool.failed': ({ event, ledger }) => {
        if (event.toolCallId !== undefined && ledger.approvals.has(`denied ${event.toolCallId}`)) denied.kept();
      },
      'model.requested': (heard) => {
        const { turnId } = heard.event;
        if (turnId !== undefined)
          advances(
            heard,
            (action) => action.turnId === turnId && action.toolCallId === undefined && action.taskId === undefined,
          );
      },
      'task.progress': ofTask,
      'task.attempt.completed': ofTask,
      'task.completed': (heard) => {
        const { taskId } = heard.event;
        if (taskId !== undefined) completes(heard, (action) => action.taskId === taskId);
      },
      'turn.completed': (heard) => {
        const { turnId } = heard.event;
        if (turnId !== undefined) completes(heard, (action) => action.turnId === turnId);
      },
    },
  };
};
