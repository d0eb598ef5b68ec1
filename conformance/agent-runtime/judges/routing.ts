// §9.9: routing, cost and limit facts explain which model was asked, and why that one.
import { type DutyOf, type Heard, hold, holdAgainst, need } from './duty.ts';
import { type RoutingNote, remember } from './ledger.ts';

export const routingDuty: DutyOf = (page) => {
  const routed = page('ar/9.9/request-was-routed');
  const asDecided = page('ar/9.9/requested-as-decided');
  const none = page('ar/9.9/no-candidate-no-request');
  const counts = page('ar/9.9/candidate-counts-agree');
  const cause = page('ar/9.9/fallback-has-cause');
  const price = page('ar/9.9/no-price-is-unknown');
  const quota = page('ar/9.9/blocked-quota-blocks');

  const noteOf = ({ event, ledger }: Heard): RoutingNote => {
    const key = event.turnId ?? event.taskId ?? '';
    let note = ledger.routings.get(key);
    if (note === undefined) {
      note = {
        candidates: undefined,
        selected: undefined,
        known: false,
        impossible: false,
        trouble: false,
        quotaBlocked: false,
      };
      remember(ledger.routings, key, note);
    }
    return note;
  };

  const decided =
    (expected?: number) =>
    (heard: Heard): void => {
      const { event, ledger, place } = heard;
      const note = noteOf(heard);
      ledger.routed = true;
      note.known = true;
      note.impossible = expected === 0;
      note.selected = expected === 0 ? undefined : event.text('selectedModel', 'routingDecision');
      const count = event.number('candidateCount', 'routingDecision') ?? note.candidates;
      const mode = event.text('routingMode', 'routingDecision');
      const wanted = expected ?? (mode === 'single_candidate' ? 1 : mode === 'no_candidate' ? 0 : undefined);
      if (count === undefined) return;
      if (note.candidates !== undefined && count !== note.candidates) {
        holdAgainst(counts, heard, false, [place], `${note.candidates} candidates, as resolved`, String(count));
      } else if (wanted !== undefined)
        hold(counts, count === wanted, [place], `${wanted} candidates for ${event.type}`, String(count));
      else hold(counts, count >= 1, [place], 'at least one candidate to decide for', String(count));
    };

  const trouble = (heard: Heard): void => {
    noteOf(heard).trouble = true;
  };

  return {
    on: {
      'routing.candidates.resolved': (heard) => {
        const { event, ledger, place } = heard;
        const listed = event.list('candidates', 'candidateModelSet');
        const count = event.number('candidateCount', 'candidateModelSet');
        if (listed !== undefined && count !== undefined)
          hold(counts, listed.length === count, [place], `${listed.length} candidates, as listed`, String(count));
        ledger.routed = true;
        noteOf(heard).candidates = count ?? listed?.length;
      },
      'routing.decided': decided(),
      'routing.single_candidate': decided(1),
      'routing.not_possible': decided(0),
      'routing.fallback.applied': (heard) => {
        const { event } = heard;
        const note = noteOf(heard);
        heard.ledger.routed = true;
        need(
          cause,
          heard,
          note.trouble || note.quotaBlocked || event.text('reason') !== undefined,
          'what made the fallback necessary',
          'neither a failure, a limit nor a reason',
        );
        note.known = true;
        note.selected = event.text('toModel') ?? event.text('selectedModel');
        note.quotaBlocked = false;
      },
      'model.failed': trouble,
      'rate_limit.hit': trouble,
      'quota.low': trouble,
      'quota.blocked': (heard) => {
        noteOf(heard).quotaBlocked = true;
      },
      'limit.changed': ({ event, ledger }) => {
        for (const [key, note] of ledger.routings)
          if (event.turnId === undefined || event.turnId === key) note.quotaBlocked = false;
      },
      'model.requested': (heard) => {
        const { event, ledger, place } = heard;
        const model = event.text('model');
        if (!ledger.routed) return;
        const note = noteOf(heard);
        need(routed, heard, note.known, 'a routing fact for the turn before model.requested', 'none');
        holdAgainst(
          none,
          heard,
          !note.impossible,
          [place],
          'no model.requested after routing.not_possible',
          'model.requested',
        );
        holdAgainst(
          quota,
          heard,
          !note.quotaBlocked,
          [place],
          'no model.requested while the quota blocks',
          'model.requested',
        );
        if (note.selected !== undefined && model !== undefined)
          holdAgainst(asDecided, heard, model === note.selected, [place], `${note.selected}, as decided`, model);
        note.quotaBlocked = false;
      },
      'cost.recorded': ({ event, place }) => {
        const amount = event.get('amount', 'costState');
        const tokens =
          (event.number('inputTokens', 'costState') ?? 0) + (event.number('outputTokens', 'costState') ?? 0);
        const priced = event.text('priceRef', 'costState') !== undefined;
        if (amount === undefined && event.text('costClass', 'costState') === undefined) return;
        const guessed =
          (amount === 0 && tokens > 0 && !priced) ||
          (amount === undefined && event.text('costClass', 'costState') !== 'unknown' && !priced);
        hold(
          price,
          !guessed,
          [place],
          'unknown, as no price is known',
          amount === undefined ? `cost class ${event.text('costClass', 'costState')}` : String(amount),
        );
      },
    },
  };
};
