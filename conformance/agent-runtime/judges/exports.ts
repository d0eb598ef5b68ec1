// §9.10: evidence, replay and review exports rest on the same facts as everything else.
import { pickFrom, texts } from '../event.ts';
import { type DutyOf, type Heard, hold, need } from './duty.ts';

export const exportDuty: DutyOf = (page) => {
  const ids = page('ar/9.10/export-ids-are-known');
  const failures = page('ar/9.10/export-keeps-failures');
  const status = page('ar/9.10/export-status-agrees');
  const named = page('ar/9.10/export-has-reference');

  const scopeTurn = ({ event }: Heard): string | undefined => {
    const inScope = pickFrom(event.get('scope'), 'turnId');
    return typeof inScope === 'string' ? inScope : event.turnId;
  };

  return {
    on: {
      'evidence.changed': (heard) => {
        const { event, ledger, place } = heard;
        const refs = ['packRef', 'traceRef', 'replayRef', 'reviewRef'].some((name) => event.get(name) !== undefined);
        hold(
          named,
          refs && event.id('evidenceId') !== undefined,
          [place],
          'an evidence_id and a reference to a pack, trace, replay or review',
          refs ? 'no evidence_id' : 'no reference',
        );
        const turnId = scopeTurn(heard);
        const listed = event.list('toolCallIds');
        if (listed !== undefined) {
          const strange = texts(listed).filter((id) => !ledger.calls.has(id) && !ledger.endedCalls.has(id));
          need(
            ids,
            heard,
            strange.length === 0 || ledger.forgotCalls,
            'tool calls that the log has',
            `${strange.slice(0, 5).join(', ')} in the export alone`,
          );
          const left = [...ledger.endedCalls]
            .filter(
              ([id, call]) =>
                call.ended === 'failed' && call.turnId === turnId && turnId !== undefined && !listed.includes(id),
            )
            .map(([id]) => id);
          hold(
            failures,
            left.length === 0,
            [place],
            'the failed tool calls of its scope',
            `without ${left.join(', ')}`,
          );
        }
        if (turnId !== undefined && event.list('toolCallIds') === undefined && event.get('scope') !== undefined) {
          need(ids, heard, ledger.turns.has(turnId), 'a scope that the log has', `turn ${turnId} in the export alone`);
        }
        const said = event.text('status');
        if (said !== 'completed' || turnId === undefined) return;
        const turn = ledger.turns.get(turnId);
        if (turn !== undefined)
          hold(
            status,
            turn.ended === 'completed',
            [place],
            `the status of turn ${turnId}: ${turn.ended ?? 'not ended'}`,
            said,
          );
      },
    },
  };
};
