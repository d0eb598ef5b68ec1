// §9.5: every change of the queue is told by queue.changed.
import { entriesOf } from '../models/queue.ts';
import { type DutyOf, type Heard, hold, holdAgainst, whole } from './duty.ts';
import type { QueueNote } from './ledger.ts';

export const queueDuty: DutyOf = (page) => {
  const told = page('ar/9.5/queue-change-told');
  const left = page('ar/9.5/started-turn-leaves-queue');
  const gone = page('ar/9.5/removed-turn-stays-removed');
  const subject = page('ar/9.5/queue-change-says-what');

  const noteOf = ({ event, ledger }: Heard): QueueNote => {
    const thread = event.threadId ?? '';
    let note = ledger.queues.get(thread);
    if (note === undefined) {
      note = { listed: undefined, untold: new Map(), startedListed: new Map(), removed: new Set(), active: undefined };
      ledger.queues.set(thread, note);
    }
    return note;
  };

  const change = (note: QueueNote, heard: Heard): void => {
    const { event, place } = heard;
    const list = event.list('queuedTurns');
    const turn = event.id('queuedTurnId') ?? event.id('turnId');
    const op = event.text('op');
    hold(
      subject,
      list !== undefined || (op !== undefined && (turn !== undefined || op === 'policy')),
      [place],
      'the queued turns, or an operation and its turn',
      'neither',
    );
    if (turn !== undefined && op === 'remove' && event.text('reason') === 'removed') note.removed.add(turn);
    if (turn !== undefined && op === 'add') note.removed.delete(turn);
    if (list !== undefined) note.listed = entriesOf(list, []).map(({ turnId }) => turnId);
    else if (turn !== undefined && op !== undefined) {
      const others = (note.listed ?? []).filter((id) => id !== turn);
      if (op === 'remove') note.listed = others;
      else if (op !== 'policy')
        note.listed = others.toSpliced(event.number('position') ?? (op === 'add' ? others.length : 0), 0, turn);
    }
  };

  const settle = (note: QueueNote): void => {
    for (const id of note.listed ?? []) {
      if (note.untold.delete(id)) told.kept();
    }
    for (const id of [...note.startedListed.keys()]) {
      if (note.listed?.includes(id)) continue;
      note.startedListed.delete(id);
      left.kept();
    }
  };

  const ends = (heard: Heard): void => {
    const note = noteOf(heard);
    const { turnId } = heard.event;
    if (turnId === undefined) return;
    if (note.active === turnId) note.active = undefined;
    note.untold.delete(turnId);
    const started = note.startedListed.get(turnId);
    if (started === undefined) return;
    note.startedListed.delete(turnId);
    if (whole(heard.stream))
      left.broken(
        [started, heard.place],
        `queue.changed without ${turnId}, which has started`,
        'the turn ended and still stands in the queue',
      );
  };

  return {
    on: {
      'turn.submitted': (heard) => {
        const { event, place } = heard;
        const note = noteOf(heard);
        if (event.turnId === undefined) return;
        const busy = note.active !== undefined && note.active !== event.turnId;
        if (busy || event.text('status') === 'queued') {
          if (note.listed?.includes(event.turnId)) told.kept();
          else note.untold.set(event.turnId, place);
        } else note.active = event.turnId;
      },
      'queue.changed': (heard) => {
        const note = noteOf(heard);
        change(note, heard);
        settle(note);
      },
      'turn.started': (heard) => {
        const { event, place } = heard;
        const note = noteOf(heard);
        const { turnId } = event;
        if (turnId === undefined) return;
        const untold = note.untold.get(turnId);
        if (untold !== undefined) {
          note.untold.delete(turnId);
          if (whole(heard.stream))
            told.broken(
              [untold, place],
              `queue.changed with ${turnId} while it waited`,
              'it started and no queue.changed ever named it',
            );
        }
        if (note.removed.size > 0)
          holdAgainst(
            gone,
            heard,
            !note.removed.has(turnId),
            [place],
            `no start of ${turnId}, which was removed from the queue`,
            'turn.started',
          );
        if (note.listed?.includes(turnId)) note.startedListed.set(turnId, place);
        else if (note.listed !== undefined) left.kept();
        note.active = turnId;
      },
      'turn.completed': ends,
      'turn.failed': ends,
    },
    end(ledger, stream) {
      if (!whole(stream)) return;
      for (const { untold } of ledger.queues.values()) {
        // A log that ends with the turn ends before the change of the queue could be told.
        for (const [turn, place] of untold)
          if (place !== ledger.last.place) told.broken([place], `queue.changed with ${turn}, which waits`, 'none');
      }
    },
  };
};
