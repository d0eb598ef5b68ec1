// What the judges of API answers share: which answers count, one finding for each, and where the texts of an event are looked for.
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import { broken, type Finding, type Judge, judge, kept } from '../../../judging/judge.ts';
import type { Model } from '../../oracle/answers.ts';
import { conversationOf, type Family } from '../../oracle/calls.ts';
import type { HostCase, Submission } from '../view.ts';
import { type Assessed, assess, FOR_THE_CALL, isGranted } from './authorization-assess.ts';
import { brief, itemsOf, proofOf } from './authorization-refusals.ts';

/** Every answer of this action that is no refusal, to a call that nothing is wrong with. */
export const answersOf = (view: HostCase, action: string): readonly Assessed[] =>
  assess(view).filter((one) => one.action === action && one.ok && one.wrongs.length === 0);

/** One finding for one answer: what is wrong with it, if anything. */
export const verdict = (one: Assessed, expected: string, wrong: string | undefined): Finding =>
  wrong === undefined ? kept(proofOf(one)) : broken(proofOf(one), { expected, found: wrong });

export const answer = (
  clause: string,
  action: string,
  expected: string,
  wrongIn: (data: JsonObject, one: Assessed, view: HostCase) => string | undefined,
): Judge<HostCase> =>
  judge<HostCase>(clause, function* (view) {
    for (const one of answersOf(view, action)) yield verdict(one, expected, wrongIn(one.reply!.data, one, view));
    yield* unanswered(view, expected, (one) => one.action === action);
  });

/** Calls that nothing is wrong with, and that were refused all the same for what they ask, or failed at what the host itself keeps. */
export function* unanswered(view: HostCase, expected: string, concerns: (one: Assessed) => boolean): Iterable<Finding> {
  for (const one of assess(view))
    if (concerns(one) && isGranted(one) && !one.busy && one.refusal !== undefined && isOwnFault(one))
      yield broken(proofOf(one), {
        expected: `${expected}: nothing is wrong with this ${one.action}`,
        found: brief(one.refusal.data),
      });
}

/** A model, a tool or a platform behind the host may fail; what it wrote down itself it can tell. */
const KEPT: ReadonlySet<Family> = new Set(['history', 'events', 'artifacts', 'state', 'storage']);

const isOwnFault = ({ code, api }: Assessed): boolean =>
  FOR_THE_CALL.has(code) || (code === 'runtime_error' && KEPT.has(api.family));

export const misfit = (model: Model, data: JsonValue | undefined, path = ''): string | undefined => model(data, path);

export const pageFits = (model: Model, data: JsonObject): string | undefined =>
  misfit(model, data) ??
  (data['has_more'] === true && typeof data['next_cursor'] !== 'string'
    ? 'has_more is true and there is no next_cursor'
    : undefined);

export const aboveLimit = (one: Assessed): string | undefined => {
  const { limit } = one.call.data;
  const items = itemsOf(one).length;
  return typeof limit === 'number' && Number.isInteger(limit) && limit > 0 && items > limit
    ? `${items} items for limit ${limit}`
    : undefined;
};

export const tooMany = (items: number, one: Assessed): string | undefined => {
  const top = topOf(one);
  return top !== undefined && items > top ? `${items} of them for top_k ${top}` : undefined;
};

export const topOf = (one: Assessed): number | undefined => {
  const top = one.call.data['top_k'];
  return typeof top === 'number' && Number.isInteger(top) && top >= 0 ? top : undefined;
};

/** Earlier turns of the conversation that this call asks about. */
export const turnsBefore = (view: HostCase, one: Assessed): readonly Submission[] => {
  const asked = conversationOf(one.action, one.call.data) ?? one.standing?.event['conversation_id'];
  return view.submissions.filter(
    ({ n, event }) => n < one.call.n && typeof asked === 'string' && event['conversation_id'] === asked,
  );
};

export const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : Array.isArray(value)
      ? value.flatMap(textsIn)
      : isObject(value)
        ? Object.values(value).flatMap(textsIn)
        : [];

export const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
