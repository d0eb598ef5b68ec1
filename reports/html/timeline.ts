// The timeline of an Agent Runtime log: a lane a thread or task, events in their order, violations marked.
import type { TimelineEntry } from '../extras.ts';
import { clip, escapeWithin, escapeXml, oneLine } from '../text.ts';
import { plural } from '../view.ts';

const MOST_EVENTS = 400;
const MOST_LANES = 40;
const STEP = 16;
const ROW = 26;
/** Width of the lanes' names, which stay while the events are scrolled. */
const NAMES = 180;
const EDGE = 16;
/** Room for sequence numbers above the lanes. */
const TOP = 24;

export function timeline(all: readonly TimelineEntry[]): string {
  const events = all.slice(0, MOST_EVENTS);
  const left = all.length - events.length;
  const broken = all.filter(({ breaks }) => (breaks?.length ?? 0) > 0).length;
  return [
    `<p class="lead">${plural(all.length, 'event')} · ${broken === 0 ? 'none breaks' : broken === 1 ? 'one breaks' : `${broken} break`} a clause${left > 0 ? ` · the first ${events.length} are shown` : ''}</p>`,
    drawing(events),
    legend(events),
    '<details class="frames"><summary>Every event in words</summary><div class="scroll" tabindex="0" role="group" aria-label="Timeline, as a table"><table><thead><tr><th scope="col">#</th><th scope="col">Event</th><th scope="col">Lane</th><th scope="col">Time</th><th scope="col">Detail</th><th scope="col">Breaks</th></tr></thead><tbody>',
    ...events.map(tableRow),
    '</tbody></table></div></details>',
  ].join('\n');
}

const tableRow = ({ sequence, type, lane, time, detail, breaks }: TimelineEntry): string =>
  `<tr${(breaks?.length ?? 0) > 0 ? ' class="marked"' : ''}><td>${sequence}</td><td>${escapeWithin(oneLine(type), 80)}</td><td>${escapeWithin(oneLine(lane), 80)}</td><td>${escapeWithin(oneLine(time ?? ''), 40)}</td><td>${escapeWithin(oneLine(detail ?? ''), 160)}</td><td>${escapeWithin(oneLine((breaks ?? []).join(', ')), 200)}</td></tr>`;

function drawing(events: readonly TimelineEntry[]): string {
  const lanes = [...new Set(events.map(({ lane }) => lane))];
  const shown = lanes.slice(0, MOST_LANES);
  const left = lanes.length - shown.length;
  const bottom = TOP + shown.length * ROW;
  const height = bottom + (left > 0 ? ROW : 4);
  const width = events.length * STEP + 2 * EDGE;
  const middle = (at: number): number => TOP + at * ROW + ROW / 2;
  const names = shown.map(
    (lane, at) => `<text x="${NAMES - 10}" y="${middle(at) + 4}">${escapeXml(clip(oneLine(lane), 26))}</text>`,
  );
  const more = left > 0 ? `<text x="${NAMES - 10}" y="${height - 8}">${plural(left, 'more lane')}</text>` : '';
  const lines = shown.map((_, at) => `<line class="life" x1="0" y1="${middle(at)}" x2="${width}" y2="${middle(at)}"/>`);
  const dots = events.map((event, at) => dot(event, EDGE + at * STEP, shown.indexOf(event.lane), middle, bottom, at));
  const label = 'Events from left to right, a lane each; the table below says the same in words';
  return `<div class="time"><svg class="lanes" width="${NAMES}" height="${height}" viewBox="0 0 ${NAMES} ${height}" aria-hidden="true">${names.join('')}${more}</svg><div class="scroll" tabindex="0" role="group" aria-label="Timeline, drawn"><svg class="time-line" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${lines.join('')}${dots.join('')}</svg></div></div>`;
}

/** An event in its lane. Every tenth says its number, and one that breaks a clause always does. */
function dot(
  { type, sequence, breaks }: TimelineEntry,
  x: number,
  row: number,
  middle: (at: number) => number,
  bottom: number,
  at: number,
): string {
  if (row === -1) return '';
  const wrong = (breaks?.length ?? 0) > 0;
  const title = `${sequence} ${oneLine(type)}${wrong ? ` breaks ${oneLine((breaks ?? []).join(', '))}` : ''}`;
  const number = wrong
    ? `<line class="fault" x1="${x}" y1="${TOP - 4}" x2="${x}" y2="${bottom}"/><text class="fault-name" x="${x}" y="${TOP - 8}">${sequence}</text>`
    : at % 10 === 0
      ? `<text class="tick" x="${x}" y="${TOP - 8}">${sequence}</text>`
      : '';
  return `${number}<circle class="event ${familyOf(type)}${wrong ? ' wrong' : ''}" cx="${x}" cy="${middle(row)}" r="${wrong ? 6 : 4.5}"><title>${escapeWithin(title, 240)}</title></circle>`;
}

const FAMILIES = ['turn', 'model', 'tool', 'action', 'task'];
const familyOf = (type: string): string => FAMILIES.find((family) => type.startsWith(`${family}.`)) ?? 'other';

/** What the colours that occur stand for. */
function legend(events: readonly TimelineEntry[]): string {
  const seen = new Set(events.map(({ type }) => familyOf(type)));
  const keys = [
    ...FAMILIES.filter((family) => seen.has(family)).map((family) => [family, `${family} events`] as const),
    ...(seen.has('other') ? [['other', 'other events'] as const] : []),
    ...(events.some(({ breaks }) => (breaks?.length ?? 0) > 0) ? [['wrong', 'breaks a clause'] as const] : []),
  ];
  return `<p class="legend">${keys.map(([kind, words]) => `<span class="key"><i class="chip round ${kind}" aria-hidden="true"></i>${words}</span>`).join('')}</p>`;
}
