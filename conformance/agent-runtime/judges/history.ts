// §9.7: sessions come back from snapshots and windows. What a recovery lacks is said; compaction drops nothing that is open.

import { texts } from '../event.ts';
import { type DutyOf, type Heard, hold, need, whole } from './duty.ts';

export const historyDuty: DutyOf = (page) => {
  const compactionEnds = page('ar/9.7/compaction-begins-and-ends');
  const keepsActions = page('ar/9.7/compaction-keeps-open-actions');
  const degraded = page('ar/9.7/partial-recovery-says-so');
  const cursor = page('ar/9.7/window-has-cursor');
  const rollback = page('ar/9.7/rollback-begins-and-ends');
  const repaired = page('ar/9.7/gap-at-reconnect-repaired');

  const compacted = (heard: Heard): void => {
    const { event, ledger } = heard;
    const key = event.threadId ?? '';
    need(
      compactionEnds,
      heard,
      ledger.compactions.has(key),
      'context.compaction.started before its end',
      `${event.type} alone`,
    );
    ledger.compactions.delete(key);
  };

  const settled = (heard: Heard): void => {
    const { ledger, place } = heard;
    if (ledger.unrepaired === undefined) return;
    repaired.broken(
      [ledger.unrepaired, place],
      'a snapshot that covers the gap before work goes on',
      'turn.started with the gap unmarked',
    );
    ledger.unrepaired = undefined;
  };

  const repairs = ({ ledger }: Heard): void => {
    if (ledger.unrepaired === undefined) return;
    repaired.kept();
    ledger.unrepaired = undefined;
  };

  return {
    on: {
      'context.compaction.started': ({ event, ledger, place }) => {
        const key = event.threadId ?? '';
        const open = ledger.compactions.get(key);
        if (open !== undefined)
          compactionEnds.broken(
            [open, place],
            'an end of the compaction before another begins',
            'context.compaction.started again',
          );
        ledger.compactions.set(key, place);
      },
      'context.compaction.completed': (heard) => {
        compacted(heard);
        const { event, ledger, place } = heard;
        const kept = event.list('preservedActionIds');
        if (kept === undefined || ledger.actions.size === 0) return;
        const lost = [...ledger.actions]
          .filter(([id, action]) => !kept.includes(id) && ofThread(heard, action.turnId, action.threadId))
          .map(([id]) => id);
        hold(
          keepsActions,
          lost.length === 0,
          [place],
          'every open action among the preserved ones',
          `without ${lost.join(', ')}`,
        );
      },
      'context.compaction.failed': compacted,
      'history.reconstructed': ({ event, place }) => {
        const missing = event.list('missing') ?? [];
        const said =
          event.get('degraded') === true || /degraded|partial|transcript/.test(event.text('recoveryMode') ?? '');
        if (missing.length > 0)
          hold(
            degraded,
            said,
            [place],
            'degraded, as facts are missing',
            `${missing.length} missing facts and no such mark`,
          );
        else degraded.kept();
      },
      'history.window.loaded': ({ event, place }) => {
        if (event.get('hasMore') === true)
          hold(cursor, event.get('cursor') !== undefined, [place], 'a cursor to what is older', 'none');
      },
      'history.rollback.started': ({ ledger, place }) => {
        ledger.rollback = place;
      },
      'history.rollback.completed': (heard) => {
        need(
          rollback,
          heard,
          heard.ledger.rollback !== undefined,
          'history.rollback.started before its end',
          'history.rollback.completed alone',
        );
        heard.ledger.rollback = undefined;
      },
      'channel.resumed': ({ event, ledger, stream, place }) => {
        const { sequence } = event;
        if (sequence !== undefined && stream.gaps.some(([, to]) => to === sequence - 1)) ledger.unrepaired = place;
      },
      'snapshot.repaired': repairs,
      'snapshot.updated': repairs,
      'turn.started': settled,
    },
    end(ledger, stream) {
      if (!whole(stream)) return;
      for (const place of ledger.compactions.values())
        compactionEnds.broken([place], 'an end of the compaction', 'none');
      if (ledger.rollback !== undefined) rollback.broken([ledger.rollback], 'an end of the rollback', 'none');
    },
  };
};

/** Is it of the thread that the event names, as far as ids tell? */
const ofThread = ({ event, ledger }: Heard, turnId: string | undefined, threadId?: string): boolean =>
  event.threadId === undefined ||
  (threadId ?? (turnId === undefined ? undefined : ledger.turns.get(turnId)?.threadId) ?? event.threadId) ===
    event.threadId;

/** §3.1, §9.11: what a snapshot lists, it lists whole; it cannot make open or failed things vanish, nor work completed. */
export const snapshotDuty: DutyOf = (page) => {
  const actions = page('ar/3.1/snapshot-keeps-open-actions');
  const failures = page('ar/3.1/snapshot-keeps-failed-calls');
  const agrees = page('ar/9.11/snapshot-agrees-with-facts');
  const marked = page('ar/9.11/repair-marks-the-gap');

  const judge = (heard: Heard): void => {
    const { event, ledger, place, stream } = heard;
    const pending = event.list('pendingActionIds');
    if (pending !== undefined && ledger.actions.size > 0) {
      const lost = [...ledger.actions]
        .filter(([id, action]) => !pending.includes(id) && ofThread(heard, action.turnId, action.threadId))
        .map(([id]) => id);
      hold(
        actions,
        lost.length === 0,
        [place],
        'every open action among the pending ones',
        `without ${lost.join(', ')}`,
      );
    }
    const failed = event.list('failedToolCallIds');
    if (failed !== undefined) {
      const listed = new Set(texts(failed));
      const lost = [...ledger.endedCalls]
        .filter(([id, call]) => call.ended === 'failed' && !listed.has(id) && ofThread(heard, call.turnId))
        .map(([id]) => id);
      hold(
        failures,
        lost.length === 0,
        [place],
        'every failed tool call among the failed ones',
        `without ${lost.slice(0, 5).join(', ')}`,
      );
    }
    if (event.text('status') === 'completed' && whole(stream)) {
      const open = [...ledger.turns].find(
        ([, turn]) => turn.started && turn.ended === undefined && (event.threadId ?? turn.threadId) === turn.threadId,
      );
      const asked = [...ledger.actions.values()].some((action) => ofThread(heard, action.turnId, action.threadId));
      hold(
        agrees,
        open === undefined && !asked,
        [place],
        'a status that the events bear out',
        `completed, while ${open === undefined ? 'an action is open' : `turn ${open[0]} has not ended`}`,
      );
    }
  };

  return {
    on: {
      'snapshot.updated': judge,
      'snapshot.repaired': (heard) => {
        judge(heard);
        const { event, place } = heard;
        const says = ['stale', 'unavailable', 'coversFrom', 'coversTo', 'recoveryMode'].some(
          (name) => event.get(name) !== undefined,
        );
        hold(marked, says, [place], 'what the repair covers, or what stays stale or unavailable', 'neither');
      },
    },
  };
};
