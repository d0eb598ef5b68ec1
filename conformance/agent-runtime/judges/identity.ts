// §2: who belongs to whom. An id has one parent, and one message id does not stand for everything.

import type { Page } from './book.ts';
import type { DutyOf, Heard } from './duty.ts';
import { hold } from './duty.ts';
import { remember } from './ledger.ts';

/** Threads belong to one session of the log; the rest is known within a session. */
export const identityDuty =
  (sessionOfThread: Map<string, string>): DutyOf =>
  (page) => {
    const roles = page('ar/2/ids-have-roles');
    const thread = page('ar/2/thread-in-one-session');
    const turn = page('ar/2/turn-in-one-thread');
    const run = page('ar/2/run-of-one-task');
    const call = page('ar/2/call-in-one-turn');
    const callStep = page('ar/2/call-in-one-step');
    const attempt = page('ar/2/attempt-has-one-run');
    const action = page('ar/2/action-has-owner');
    const subagent = page('ar/2/subagent-has-parents');

    /** The parent that an id had before must be its parent now. */
    const parent = (
      clause: Page,
      known: Map<string, string>,
      child: string | undefined,
      of: string | undefined,
      { place }: Heard,
      words: string,
    ): void => {
      if (child === undefined || of === undefined) return;
      const before = known.get(child);
      if (before === undefined) remember(known, child, of);
      else hold(clause, before === of, [place], `${words} ${before}, as before`, `${words} ${of}`);
    };

    return {
      every(heard) {
        const { event, ledger, place } = heard;
        const { sessionId, threadId, turnId, taskId, runId, stepId, toolCallId, actionId } = event;
        if (threadId !== undefined && sessionId !== undefined) {
          const before = sessionOfThread.get(threadId);
          if (before === undefined) {
            sessionOfThread.set(threadId, sessionId);
            ledger.threads.add(threadId);
          } else
            hold(
              thread,
              before === sessionId,
              [place],
              `thread ${threadId} in session ${before}, as before`,
              `in session ${sessionId}`,
            );
        }
        parent(turn, ledger.parents.turn, turnId, threadId, heard, `turn ${turnId} in thread`);
        if (runId !== undefined) {
          parent(run, ledger.parents.run, runId, taskId, heard, `run ${runId} of task`);
          parent(
            attempt,
            ledger.parents.attempt,
            event.id('attemptId'),
            event.id('runId'),
            heard,
            `attempt ${event.id('attemptId')} as run`,
          );
        }
        if (toolCallId !== undefined) {
          parent(call, ledger.parents.call, toolCallId, turnId, heard, `tool call ${toolCallId} in turn`);
          if (event.type.startsWith('tool.'))
            parent(callStep, ledger.parents.step, toolCallId, stepId, heard, `tool call ${toolCallId} in step`);
        }
        const named = [turnId, stepId, toolCallId, actionId, taskId].filter((id) => id !== undefined);
        if (named.length >= 3) {
          hold(
            roles,
            named.some((id) => id !== named[0]),
            [place],
            'an id of its own for each of turn, step, tool call, action and task',
            `${named[0]} stands for ${named.length} of them`,
          );
        }
      },
      on: {
        'action.required': ({ event, place }) => {
          const owned =
            event.turnId ??
            event.taskId ??
            event.toolCallId ??
            event.id('turnId') ??
            event.id('taskId') ??
            event.id('toolCallId');
          hold(
            action,
            owned !== undefined,
            [place],
            'the turn, task or tool call that the action belongs to',
            'none of them',
          );
        },
        'subagent.spawned': ({ event, place }) => {
          const session = event.text('parentSessionId') ?? event.sessionId;
          const parentThread = event.text('parentThreadId') ?? event.threadId;
          const parentTurn = event.text('parentTurnId') ?? event.turnId;
          const lacking = [
            ...(session === undefined ? ['session'] : []),
            ...(parentThread === undefined ? ['thread'] : []),
            ...(parentTurn === undefined ? ['turn'] : []),
          ];
          hold(
            subagent,
            lacking.length === 0,
            [place],
            'links to the parent session, thread and turn',
            `no parent ${lacking.join(', no parent ')}`,
          );
        },
      },
    };
  };
