// §9.3: a tool call keeps its input, its decision, and one outcome with its result or its error.

import { type DutyOf, type Heard, hold, need } from './duty.ts';
import type { CallNote, Ledger } from './ledger.ts';
import { remember } from './ledger.ts';

const CALLS = 1024;

export const newCall = (place: number): CallNote => ({
  place,
  turnId: undefined,
  toolName: undefined,
  started: false,
  input: false,
  inputRef: undefined,
  rewritten: undefined,
  decisions: [],
  hookBlocked: false,
  sandboxed: false,
  violation: false,
  ended: undefined,
});

/** What is known of a call, open or ended; noted down if it is new. */
export function callOf(ledger: Ledger, id: string, place: number): CallNote {
  const { last } = ledger;
  if (id === last.callId) return last.call!;
  let note = ledger.calls.get(id) ?? ledger.endedCalls.get(id);
  if (note === undefined) {
    note = newCall(place);
    if (remember(ledger.calls, id, note, CALLS)) ledger.forgotCalls = true;
  }
  last.callId = id;
  last.call = note;
  return note;
}

const RESULTS = [
  'outputRef',
  'preview',
  'structuredContentRef',
  'displayPreview',
  'rawOutputRef',
  'artifactRefs',
  'evidenceRefs',
  'images',
  'result',
  'output',
] as const;
const ERRORS = ['errorCategory', 'failureCategory', 'error', 'errorRef'] as const;

export const toolDuty: DutyOf = (page) => {
  const started = page('ar/9.3/call-started-first');
  const once = page('ar/9.3/call-ends-once');
  const input = page('ar/9.3/input-kept');
  const policy = page('ar/9.3/decision-kept');
  const result = page('ar/9.3/result-kept');
  const error = page('ar/9.3/error-kept');
  const retryable = page('ar/9.3/retryability-said');

  const noteInput = ({ event }: Heard, note: CallNote): void => {
    const ref = event.text('inputRef');
    if (ref !== undefined) note.inputRef = ref;
    if (
      ref !== undefined ||
      event.get('safeArgs') !== undefined ||
      event.get('input') !== undefined ||
      event.get('arguments') !== undefined
    )
      note.input = true;
  };

  const decided = ({ event, ledger }: Heard, note: CallNote): boolean => {
    const name = event.text('toolName') ?? note.toolName;
    return note.decisions.length > 0 || note.hookBlocked || (name !== undefined && ledger.catalogue.has(name));
  };

  const ends =
    (how: 'result' | 'failed') =>
    (heard: Heard): void => {
      const { event, ledger, place } = heard;
      const id = event.toolCallId;
      if (id === undefined) return;
      const note = callOf(ledger, id, place);
      if (note.ended !== undefined) {
        once.broken([note.place, place], 'one outcome of a tool call', `tool.${how} after tool.${note.ended}`);
        return;
      }
      once.kept();
      need(
        started,
        heard,
        note.started || ledger.forgotCalls,
        'tool.started before its outcome',
        `${event.type} of a call that never started`,
      );
      if (note.started) {
        need(input, heard, note.input, 'the arguments of the call, or a reference to them', 'neither');
        need(
          policy,
          heard,
          decided(heard, note),
          'a policy or permission decision for the call, or that it is unknown',
          'none',
        );
      }
      note.ended = how;
      ledger.calls.delete(id);
      if (remember(ledger.endedCalls, id, note, CALLS)) ledger.forgotCalls = true;
    };

  return {
    on: {
      'tool.catalog.resolved': ({ event, ledger }) => {
        for (const tool of event.list('tools') ?? []) {
          const {
            tool_name,
            toolName,
            policy: rule,
          } = (typeof tool === 'object' && tool !== null ? tool : {}) as Record<string, unknown>;
          const name = tool_name ?? toolName;
          if (typeof name === 'string' && typeof rule === 'string') remember(ledger.catalogue, name, rule, CALLS);
        }
      },
      'tool.started': (heard) => {
        const { event, ledger, place } = heard;
        const id = event.toolCallId;
        if (id === undefined) return;
        const note = callOf(ledger, id, place);
        hold(
          once,
          !note.started && note.ended === undefined,
          [note.place, place],
          'a tool call that starts once',
          'tool.started again',
        );
        note.started = true;
        note.turnId = event.turnId;
        note.toolName = event.text('toolName');
        noteInput(heard, note);
      },
      'tool.args': (heard) => {
        const { event, ledger, place } = heard;
        if (event.toolCallId !== undefined) noteInput(heard, callOf(ledger, event.toolCallId, place));
      },
      'tool.progress': (heard) => {
        const { event, ledger, place } = heard;
        if (event.toolCallId === undefined) return;
        const note = callOf(ledger, event.toolCallId, place);
        need(
          started,
          heard,
          note.started || ledger.forgotCalls,
          'tool.started before its progress',
          'tool.progress of a call that never started',
        );
        if (note.ended !== undefined)
          once.broken(
            [note.place, place],
            'nothing of a call after its outcome',
            `tool.progress after tool.${note.ended}`,
          );
      },
      'tool.result': (heard) => {
        ends('result')(heard);
        const { event, place } = heard;
        hold(
          result,
          RESULTS.some((name) => event.get(name) !== undefined),
          [place],
          'a reference to the result, or a preview of it',
          'neither',
        );
      },
      'tool.failed': (heard) => {
        ends('failed')(heard);
        const { event, place } = heard;
        hold(
          error,
          ERRORS.some((name) => event.get(name) !== undefined),
          [place],
          'a category of the error',
          'none',
        );
        hold(
          retryable,
          event.get('retryable') !== undefined || event.get('retryability') !== undefined,
          [place],
          'whether the call can be tried again',
          'not said',
        );
      },
    },
  };
};
