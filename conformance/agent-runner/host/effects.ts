// Where the effect of a result shows: in deliveries, state, artifacts, telemetry and the status of its run.
import { isObject, type JsonValue, sameJson } from '../../../common/json.ts';
import { memo } from '../../../common/memo.ts';
import { jsonText } from '../oracle/measure.ts';
import { textOf } from '../oracle/payload.ts';
import type { Item } from '../oracle/stream.ts';
import type { Folded } from './folded.ts';
import type { Delivery, Shown } from './shown.ts';

/** The same content: equal, or the same text in another form. */
export const sameContent = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  sameJson(a ?? null, b ?? null) || (textOf(a) !== '' && textOf(a) === textOf(b));

/** What reached the surface as messages of this run; undefined where that is not shown, or the binding wants no reply. */
export const messagesOf = (shown: Shown | undefined, folded: Folded): readonly Delivery[] | undefined =>
  wantsNoReply(folded)
    ? undefined
    : shown?.deliveries?.filter(
        ({ runId, kind }) => runId === folded.run.runId && (kind === 'message' || kind === 'delta'),
      );

/** No document says what `enable_reply: false` keeps back: the address, or whatever would be sent there. */
const wantsNoReply = ({ run }: Folded): boolean => {
  const policy = run.submission?.binding['delivery_policy'];
  return isObject(policy) && policy['enable_reply'] === false;
};

/** How often a content was delivered as a message. */
export const timesDelivered = (deliveries: readonly Delivery[], content: JsonValue | undefined): number =>
  deliveries.filter((delivery) => delivery.kind === 'message' && sameContent(delivery.content, content)).length;

/** The text of the deltas, as pieces or as growing snapshots, is what was delivered. */
export function deltasReached(said: readonly string[], delivered: readonly string[]): boolean {
  const whole = said.join('');
  const grows = said.every((text, index) => index === 0 || text.startsWith(said[index - 1]!));
  const last = delivered.at(-1) ?? '';
  return (
    delivered.join('') === whole ||
    last === whole ||
    (grows && (last === said.at(-1) || delivered.join('') === said.at(-1)))
  );
}

export const stateValue = (shown: Shown | undefined, scope: string, key: string): JsonValue | undefined =>
  shown?.state?.find((entry) => entry.scope === scope && entry.key === key)?.value;

/** Does any entry of the state show this key, or this value? */
export const stateShows = (shown: Shown, key: JsonValue | undefined, value: JsonValue | undefined): boolean =>
  (shown.state ?? []).some(
    (entry) =>
      (typeof key === 'string' && key !== '' && entry.key === key && sameJson(entry.value, value)) ||
      (isTelling(value) && sameJson(entry.value, value)),
  );

/** A value that nothing else in the case would have by chance. */
export const isTelling = (value: JsonValue | undefined): boolean => JSON.stringify(value ?? null).includes('⟦');

export const artifactShown = (shown: Shown, item: Item): boolean | undefined => {
  const { artifact_id: id, artifact_type: type, name } = item.data;
  return shown.artifacts?.some((artifact) =>
    typeof id === 'string'
      ? artifact['artifact_id'] === id
      : artifact['artifact_type'] === type && (artifact['name'] ?? null) === (name ?? null),
  );
};

/** Did a result show in telemetry: its type, and the data it came with? */
export const inTelemetry = (shown: Shown, item: Item, runId: string): boolean =>
  (shown.telemetry ?? []).some(
    (entry) =>
      entry['type'] === item.type &&
      (entry['run_id'] === undefined || entry['run_id'] === null || entry['run_id'] === runId) &&
      isObject(entry['data']) &&
      Object.entries(item.data).every(([key, value]) =>
        sameJson((entry['data'] as Record<string, unknown>)[key], value),
      ),
  );

/** The marks that tell where a text came from: `⟦…⟧`, unlike any other in its case. */
export const marksIn = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? marksInObject(value) : marksInText(jsonText(value));
const marksInObject = memo((value: object) => marksInText(jsonText(value)));
const marksInText = (text: string): readonly string[] => [...new Set(text.match(/⟦[^⟧"\\]*⟧/g) ?? [])];

/** A trace of this result where none should be: what shows it, in words. */
export function traceOf(shown: Shown, folded: Folded, item: Pick<Item, 'value' | 'content'>): string | undefined {
  const own = (shown.deliveries ?? []).filter(({ runId, kind }) => runId === folded.run.runId && kind !== 'notice');
  const marks = marksIn(item.value);
  const places: readonly (readonly [string, object | undefined])[] =
    marks.length === 0
      ? []
      : [
          ['deliveries', own],
          ['state', shown.state],
          ['artifacts', shown.artifacts],
          ['transcript', shown.transcript],
        ];
  for (const [place, content] of places) {
    const text = jsonText(content);
    const mark = marks.find((one) => text.includes(one));
    if (mark !== undefined) return `${place} shows ${mark}`;
  }
  const words = marks.length === 0 ? textOf(item.content) : '';
  return words !== '' && own.some(({ content }) => textOf(content) === words)
    ? `deliveries shows “${brief(words)}”`
    : undefined;
}

/** A text short enough for a report. */
export const brief = (text: string, most = 80): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

export const FAILURES: ReadonlySet<unknown> = new Set(['failed', 'cancelled', 'timeout']);
