// §8: a turn is submitted, started, and ends once; what works in it works between start and end.

import { type DutyOf, type Heard, hold, holdAgainst, missing, need, whole } from './duty.ts';
import { REMEMBERED, type TurnNote } from './ledger.ts';

/** Event classes that are the work of a turn. */
const WORK = new Set([
  'model.requested',
  'model.delta',
  'model.completed',
  'model.failed',
  'reasoning.delta',
  'tool.started',
  'tool.args',
  'tool.progress',
  'tool.result',
  'tool.failed',
  'action.required',
]);

export const turnDuty: DutyOf = (page) => {
  const order = page('ar/8/turn-in-order');
  const once = page('ar/8/turn-ends-once');
  const after = page('ar/8/nothing-after-turn-end');
  const stop = page('ar/8/stop-hook-holds');
  const vendor = page('ar/4/normalised-beside-vendor');

  const noteOf = ({ event, ledger }: Heard): TurnNote | undefined => {
    const { turnId } = event;
    if (turnId === undefined) return undefined;
    const { last } = ledger;
    if (turnId === last.noted) return last.turn;
    let note = ledger.turns.get(turnId);
    if (note === undefined) {
      note = {
        threadId: event.threadId,
        submitted: false,
        started: false,
        ended: undefined,
        stopBlocked: false,
        normalised: false,
        vendor: undefined,
      };
      ledger.turns.set(turnId, note);
      if (ledger.turns.size > REMEMBERED) for (const [id, old] of ledger.turns) if (close(id, old, ledger.turns)) break;
    }
    last.noted = turnId;
    last.turn = note;
    return note;
  };

  /** A vendor's events alone make no turn that others can read. */
  const close = (id: string, note: TurnNote, turns: Map<string, TurnNote>): boolean => {
    if (note.ended === undefined && turns.size <= 4 * REMEMBERED) return false;
    turns.delete(id);
    judgeVendor(note);
    return true;
  };
  const judgeVendor = (note: TurnNote): void => {
    if (note.vendor === undefined) return;
    hold(
      vendor,
      note.normalised,
      [note.vendor],
      'normalised event classes beside those of the vendor',
      'a turn told in vendor types alone',
    );
  };

  const ends =
    (how: 'completed' | 'failed') =>
    (heard: Heard): void => {
      const note = noteOf(heard);
      if (note === undefined) return;
      const { place } = heard;
      if (note.ended !== undefined) {
        once.broken([place], 'one end of the turn', `turn.${how} after turn.${note.ended}`);
        return;
      }
      once.kept();
      if (how === 'completed')
        need(order, heard, note.started, 'turn.started before turn.completed', 'a turn that never started');
      if (how === 'completed' && note.stopBlocked)
        holdAgainst(stop, heard, false, [place], 'no turn.completed while a stop hook blocks it', 'turn.completed');
      else if (note.stopBlocked) stop.kept();
      note.ended = how;
    };

  return {
    on: {
      'turn.submitted': (heard) => {
        const note = noteOf(heard);
        if (note === undefined) return;
        hold(order, !note.started, [heard.place], 'turn.submitted before turn.started', 'turn.submitted after it');
        note.submitted = true;
      },
      'turn.started': (heard) => {
        const note = noteOf(heard);
        if (note === undefined) return;
        need(order, heard, note.submitted, 'turn.submitted before turn.started', 'a turn that was never submitted');
        if (note.ended !== undefined)
          once.broken([heard.place], 'nothing but facts about it after the end of a turn', 'turn.started again');
        note.started = true;
      },
      'turn.completed': ends('completed'),
      'turn.failed': ends('failed'),
      'hook.completed': (heard) => {
        const { event } = heard;
        if (event.text('hookPoint', 'hookRun') !== 'stop') return;
        const note = noteOf(heard);
        if (note === undefined) return;
        const decision = event.text('decision', 'hookRun');
        const blocks = decision === 'block' || decision === 'deny';
        if (note.stopBlocked && !blocks) stop.kept();
        note.stopBlocked = blocks;
      },
    },
    every(heard) {
      const { event, known, place } = heard;
      const note = noteOf(heard);
      if (note === undefined) return;
      if (known) note.normalised = true;
      else note.vendor ??= place;
      if (!known || !WORK.has(event.type)) return;
      if (note.ended !== undefined)
        after.broken([place], 'no more work of a turn after its end', `${event.type} after turn.${note.ended}`);
      else if (!note.started)
        missing(order, heard, `turn.started before ${event.type}`, 'work of a turn that never started');
      else after.kept();
    },
    end(ledger, stream) {
      if (whole(stream)) for (const note of ledger.turns.values()) judgeVendor(note);
    },
  };
};
