// §9.6 and §8.2: the life of a task. Attempts are added, never changed; an end stays; completed means that the facts agree.
import { type DutyOf, type Heard, hold, holdAgainst, need } from './duty.ts';
import { remember, type TaskNote } from './ledger.ts';

const TASKS = 1024;
const UNDELIVERED = new Set(['pending', 'queued', 'failed']);

export const taskDuty: DutyOf = (page) => {
  const newRun = page('ar/9.6/attempt-has-new-run');
  const attemptOnce = page('ar/9.6/attempt-ends-once');
  const attemptStarted = page('ar/9.6/attempt-started-first');
  const namesRun = page('ar/9.6/attempt-names-run');
  const noRunning = page('ar/8/completed-has-no-running-attempt');
  const delivered = page('ar/8/completed-is-delivered');
  const lost = page('ar/9.6/lost-is-no-success');
  const stays = page('ar/9.6/ended-task-stays-ended');
  const children = page('ar/9.6/no-children-after-cancel');
  const intent = page('ar/9.6/cancel-intent-first');
  const named = page('ar/4/task-event-names-task');

  const noteOf = ({ ledger }: Heard, id: string): TaskNote => {
    const found = ledger.tasks.get(id) ?? ledger.endedTasks.get(id);
    if (found !== undefined) return found;
    const note: TaskNote = {
      attempts: new Map(),
      ended: undefined,
      cancelRequested: false,
      lost: false,
      delivery: undefined,
    };
    if (remember(ledger.tasks, id, note, TASKS)) ledger.forgotTasks = true;
    return note;
  };

  const onTask =
    (judge: (note: TaskNote, heard: Heard, id: string) => void) =>
    (heard: Heard): void => {
      const id = heard.event.taskId ?? heard.event.id('taskId');
      hold(named, id !== undefined, [heard.place], `task_id on ${heard.event.type}`, 'absent');
      if (id !== undefined) judge(noteOf(heard, id), heard, id);
    };

  /** Events that only a task which has not ended can have. */
  const works = onTask((note, heard) => {
    const { event, place } = heard;
    if (note.ended !== undefined)
      stays.broken([place], `no ${event.type} of a task that is ${note.ended}, unless it is retried`, event.type);
    else stays.kept();
    if (event.type === 'task.progress') note.delivery = event.text('deliveryState') ?? note.delivery;
    if (event.type === 'task.resumed' || event.type === 'task.started') note.lost = false;
    if (event.type === 'task.cancel_requested') note.cancelRequested = true;
  });

  const ends = (how: Exclude<TaskNote['ended'], undefined>) =>
    onTask((note, heard, id) => {
      const { event, ledger, place } = heard;
      if (note.ended !== undefined && how !== 'archived') {
        stays.broken([place], `a task that is ${note.ended} to stay so`, event.type);
        return;
      }
      stays.kept();
      if (how === 'completed') completes(note, heard);
      if (how === 'cancelled')
        need(
          intent,
          heard,
          note.cancelRequested,
          'task.cancel_requested before task.cancelled',
          'task.cancelled alone',
        );
      note.ended = how;
      note.cancelRequested = false;
      for (const [run, status] of note.attempts) if (status === 'running') note.attempts.set(run, 'failed');
      ledger.tasks.delete(id);
      if (remember(ledger.endedTasks, id, note, TASKS)) ledger.forgotTasks = true;
    });

  const completes = (note: TaskNote, heard: Heard): void => {
    const { event, place } = heard;
    const running = [...note.attempts].find(([, status]) => status === 'running');
    if (note.attempts.size > 0)
      holdAgainst(
        noRunning,
        heard,
        running === undefined,
        [place],
        'no attempt that still runs',
        `attempt ${running?.[0]} runs`,
      );
    const delivery = event.text('deliveryState') ?? note.delivery;
    if (delivery !== undefined)
      holdAgainst(
        delivered,
        heard,
        !UNDELIVERED.has(delivery),
        [place],
        'a delivery that is done',
        `delivery ${delivery}`,
      );
    if (note.lost)
      holdAgainst(
        lost,
        heard,
        false,
        [place],
        'a fact that the worker is known again before task.completed',
        'task.completed after task.lost',
      );
    note.lost = false;
  };

  const attemptEnds = (how: 'completed' | 'failed') =>
    onTask((note, heard) => {
      const { event, ledger, place } = heard;
      const run = event.runId ?? event.id('runId') ?? event.id('attemptId');
      hold(namesRun, run !== undefined, [place], `run_id or attempt_id on ${event.type}`, 'absent');
      if (run === undefined) return;
      const before = note.attempts.get(run);
      if (before === undefined)
        need(
          attemptStarted,
          heard,
          ledger.forgotTasks,
          'task.attempt.started before its end',
          `${event.type} of ${run} alone`,
        );
      else if (before === 'running') attemptStarted.kept();
      if (before === 'completed' || before === 'failed') {
        if (before !== how || note.ended === undefined)
          attemptOnce.broken([place], `attempt ${run} to stay ${before}`, event.type);
      } else {
        attemptOnce.kept();
        if (note.lost && how === 'completed') lost.kept();
        note.lost = false;
        note.attempts.set(run, how);
      }
    });

  const adds = (note: TaskNote, heard: Heard): void => {
    if (!note.cancelRequested) return;
    children.broken([heard.place], 'no new child work after task.cancel_requested', heard.event.type);
  };

  return {
    on: {
      'task.created': onTask((_, heard) => {
        const parent = heard.event.id('parentTaskId');
        if (parent !== undefined) adds(noteOf(heard, parent), heard);
      }),
      'task.accepted': works,
      'task.queued': works,
      'task.started': works,
      'task.progress': works,
      'task.waiting': works,
      'task.blocked': works,
      'task.paused': works,
      'task.resumed': works,
      'task.cancel_requested': works,
      'task.completed': ends('completed'),
      'task.failed': ends('failed'),
      'task.cancelled': onTask((note, heard) => {
        if (note.cancelRequested) children.kept();
        ends('cancelled')(heard);
      }),
      'task.timed_out': ends('timed_out'),
      'task.archived': ends('archived'),
      'task.lost': onTask((note) => {
        note.lost = true;
        for (const [run, status] of note.attempts) if (status === 'running') note.attempts.set(run, 'failed');
      }),
      'task.retrying': onTask((note, { ledger }, id) => {
        if (note.ended === 'archived') return;
        note.ended = undefined;
        ledger.endedTasks.delete(id);
        ledger.tasks.set(id, note);
      }),
      'task.attempt.started': onTask((note, heard, id) => {
        const { event, ledger, place } = heard;
        const run = event.runId ?? event.id('runId') ?? event.id('attemptId');
        hold(namesRun, run !== undefined, [place], `run_id or attempt_id on ${event.type}`, 'absent');
        if (run === undefined) return;
        hold(newRun, !ledger.runs.has(run), [place], 'a run that no attempt had before', `${run} again`);
        remember(ledger.runs, run, id, TASKS);
        if (note.lost) lost.kept();
        note.lost = false;
        note.ended = undefined;
        if (!note.attempts.has(run)) note.attempts.set(run, 'running');
      }),
      'task.attempt.completed': attemptEnds('completed'),
      'task.attempt.failed': attemptEnds('failed'),
      'task.delegated': onTask(adds),
      'task.dependency.updated': onTask((note, heard) => {
        if (heard.event.text('kind', 'taskRelationship') === 'child' && heard.event.text('op') !== 'remove')
          adds(note, heard);
      }),
    },
  };
};
