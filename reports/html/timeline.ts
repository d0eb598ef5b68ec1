// The timeline of an Agent Runtime log: a lane a thread or task, events in their order, violations marked.
import type { TimelineEntry } from '../extras.ts';
import { clip, escapeWithin, escapeXml, oneLine } from '../text.ts';
import { plural } from '../view.ts';

const MOST_EVENTS = 400;
const MOST_LANES = 40;
const STEP = 16;
const ROW = 26;
const LEFT = 190;

export function timeline(all: readonly TimelineEntry[]): string {
  const events = all.slice(0, MOST_EVENTS);
  const left = all.length - events.length;
  const broken = all.filter(({ breaks }) => (breaks?.length ?? 0) > 0).length;
  return [
    `<p class="lead">${plural(all.length, 'event')} · ${broken === 0 ? 'none breaks' : broken === 1 ? 'one breaks' : `${broken} break`} a clause${left > 0 ? ` · the first ${events.length} are shown` : ''}</p>`,
    `<div class="scroll" tabindex="0" role="group" aria-label="Timeline, drawn">${drawing(events)}</div>`,
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
  const width = LEFT + events.length * STEP + 16;
  const height = shown.length * ROW + 12 + (lanes.length > shown.length ? ROW : 0);
  const rows = shown.map((lane, at) => {
    const y = 6 + at * ROW + ROW / 2;
    return `<text class="row" x="${LEFT - 14}" y="${y + 4}">${escapeXml(clip(oneLine(lane), 26))}</text><line class="life" x1="${LEFT - 6}" y1="${y}" x2="${width - 8}" y2="${y}"/>`;
  });
  const dots = events.map(({ lane, type, sequence, breaks }, at) => {
    const row = shown.indexOf(lane);
    if (row === -1) return '';
    const wrong = (breaks?.length ?? 0) > 0;
    const title = `${sequence} ${oneLine(type)}${wrong ? ` breaks ${oneLine((breaks ?? []).join(', '))}` : ''}`;
    return `<circle class="event ${familyOf(type)}${wrong ? ' wrong' : ''}" cx="${LEFT + at * STEP + 6}" cy="${6 + row * ROW + ROW / 2}" r="${wrong ? 6 : 4.5}"><title>${escapeWithin(title, 240)}</title></circle>`;
  });
  const more =
    lanes.length > shown.length
      ? `<text class="row" x="${LEFT - 14}" y="${height - 8}">${lanes.length - shown.length} more lanes</text>`
      : '';
  return `<svg class="time-line" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Events from left to right, a lane each; the table below says the same in words">${rows.join('')}${dots.join('')}${more}</svg>`;
}

const FAMILIES = ['turn', 'model', 'tool', 'action', 'task'];
const familyOf = (type: string): string => FAMILIES.find((family) => type.startsWith(`${family}.`)) ?? 'other';
