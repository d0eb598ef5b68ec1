// §9.2: what a provider streams becomes model and reasoning events: requested, chunks, one end.

import type { RuntimeEvent } from '../event.ts';
import { type DutyOf, type Heard, hold, holdAgainst, need } from './duty.ts';
import type { ModelCall } from './ledger.ts';
import { remember } from './ledger.ts';

/** Text beyond this is not compared, so that memory stays flat. */
const COMPARED = 1 << 20;

/** The call that an event belongs to: its request where it is named, else the run or the turn. */
const keyOf = (event: RuntimeEvent): string =>
  event.id('modelRequestId') ?? event.id('requestId') ?? event.turnId ?? event.runId ?? event.taskId ?? '';

export const modelDuty: DutyOf = (page) => {
  const requested = page('ar/9.2/model-call-requested');
  const once = page('ar/9.2/model-call-ends-once');
  const noMore = page('ar/9.2/no-chunk-after-end');
  const same = page('ar/9.2/text-equals-chunks');
  const usage = page('ar/9.2/usage-and-stop-reason');
  const apart = page('ar/9.2/reasoning-apart');

  const unended = (heard: Heard, call: ModelCall, found: string): void => {
    holdAgainst(once, heard, false, [call.place], 'model.completed or model.failed for the request', found);
  };

  const ends = (heard: Heard): void => {
    const { event, ledger, place } = heard;
    const key = keyOf(event);
    const call = ledger.models.get(key);
    if (call === undefined) {
      if (ledger.endedModels.has(key))
        holdAgainst(
          once,
          heard,
          false,
          [ledger.endedModels.get(key)!, place],
          'one end of a model call',
          `${event.type} after it had ended`,
        );
      else
        need(
          requested,
          heard,
          event.text('providerLifecycle') === 'unavailable',
          'model.requested before the end of the call',
          `${event.type} alone`,
        );
      return;
    }
    requested.kept();
    once.kept();
    ledger.models.delete(key);
    remember(ledger.endedModels, key, place);
    if (event.type === 'model.failed') return;
    const text = event.text('text');
    if (text === undefined || !call.comparable || call.text === '') return;
    // Words are made only when they are needed: most texts are equal, and some are long.
    if (text === call.text) same.kept();
    else holdAgainst(same, heard, false, [call.place, place], quote(call.text), quote(text));
  };

  return {
    on: {
      'model.requested': (heard) => {
        const { event, ledger, place } = heard;
        const key = keyOf(event);
        const call = ledger.models.get(key);
        if (call !== undefined) unended(heard, call, 'another model.requested');
        ledger.endedModels.delete(key);
        ledger.models.set(key, { place, model: event.text('model'), text: '', comparable: true });
      },
      'model.delta': (heard) => {
        const { event, ledger, place } = heard;
        const key = keyOf(event);
        const call = ledger.models.get(key);
        if (event.text('kind') === 'reasoning')
          apart.broken([place], 'reasoning as reasoning.delta', 'reasoning in a model.delta');
        if (call === undefined) {
          if (ledger.endedModels.has(key))
            holdAgainst(
              noMore,
              heard,
              false,
              [ledger.endedModels.get(key)!, place],
              'no model.delta after the end of its call',
              'model.delta',
            );
          return;
        }
        noMore.kept();
        const text = event.text('text') ?? event.text('delta') ?? event.text('content');
        if (text === undefined || call.text.length > COMPARED) call.comparable = false;
        else call.text += text;
      },
      'reasoning.delta': () => apart.kept(),
      'reasoning.summary': () => apart.kept(),
      'model.completed': (heard) => {
        const { event, place } = heard;
        ends(heard);
        const used = event.get('usage') !== undefined;
        const stopped = event.text('stopReason') !== undefined;
        hold(
          usage,
          used && stopped,
          [place],
          'usage and stop_reason, or that they are unknown',
          used ? 'no stop_reason' : stopped ? 'no usage' : 'no usage, no stop_reason',
        );
      },
      'model.failed': ends,
      'turn.completed': (heard) => {
        const { event, ledger } = heard;
        const call = event.turnId === undefined ? undefined : ledger.models.get(event.turnId);
        if (call === undefined) return;
        unended(heard, call, 'turn.completed and no end of the call');
        ledger.models.delete(event.turnId!);
      },
      'turn.failed': ({ event, ledger }) => {
        if (event.turnId !== undefined) ledger.models.delete(event.turnId);
      },
    },
  };
};

const quote = (text: string): string => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
