// §2: who belongs to whom. An id has one parent, and one message id does not stand for everything.

import type { RuntimeEvent } from '../event.ts';
import type { Page } from './book.ts';
import { type DutyOf, hold } from './duty.ts';
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

    /** The parent that an id had before must be its parent now. Words are made only when it is not. */
    const parent = (
      clause: Page,
      known: Map<string, string>,
      child: string | undefined,
      of: string | undefined,
      place: number,
      what: string,
      under: string,
    ): void => {
      if (child === undefined || of === undefined) return;
      const before = known.get(child);
      if (before === undefined) remember(known, child, of);
      else if (before === of) clause.kept();
      else clause.broken([place], `${what} ${child} under ${under} ${before}, as before`, `under ${under} ${of}`);
    };

    const judgeRoles = ({ turnId, stepId, toolCallId, actionId, taskId }: RuntimeEvent, place: number): void => {
      const one = turnId ?? taskId;
      let named = 0;
      let same = 0;
      const count = (id: string | undefined): void => {
        if (id === undefined) return;
        named++;
        if (id === one) same++;
      };
      count(turnId);
      count(stepId);
      count(toolCallId);
      count(actionId);
      count(taskId);
      if (named < 3) return;
      if (same < named) roles.kept();
      else
        roles.broken(
          [place],
          'an id of its own for each of turn, step, tool call, action and task',
          `${one} stands for ${named} of them`,
        );
    };

    return {
      every({ event, ledger, place }) {
        const { sessionId, threadId, turnId, taskId, runId, stepId, toolCallId } = event;
        const { last } = ledger;
        if (turnId !== undefined && turnId === last.turnId && threadId === last.threadId && sessionId !== undefined) {
          // The very thread and turn of the event before, which were found to belong together.
          thread.kept();
          turn.kept();
        } else if (threadId !== undefined && sessionId !== undefined) {
          last.threadId = undefined;
          const before = sessionOfThread.get(threadId);
          if (before === undefined) {
            sessionOfThread.set(threadId, sessionId);
            ledger.threads.add(threadId);
          } else if (before === sessionId) thread.kept();
          else thread.broken([place], `thread ${threadId} in session ${before}, as before`, `in session ${sessionId}`);
          parent(turn, ledger.parents.turn, turnId, threadId, place, 'turn', 'thread');
          if (
            (before ?? sessionId) === sessionId &&
            turnId !== undefined &&
            ledger.parents.turn.get(turnId) === threadId
          ) {
            last.threadId = threadId;
            last.turnId = turnId;
          }
        } else parent(turn, ledger.parents.turn, turnId, threadId, place, 'turn', 'thread');
        if (runId !== undefined) {
          parent(run, ledger.parents.run, runId, taskId, place, 'run', 'task');
          parent(attempt, ledger.parents.attempt, event.id('attemptId'), event.id('runId'), place, 'attempt', 'run');
        }
        if (toolCallId !== undefined) {
          parent(call, ledger.parents.call, toolCallId, turnId, place, 'tool call', 'turn');
          if (event.type.startsWith('tool.'))
            parent(callStep, ledger.parents.step, toolCallId, stepId, place, 'tool call', 'step');
        }
        if (stepId !== undefined || taskId !== undefined) judgeRoles(event, place);
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
