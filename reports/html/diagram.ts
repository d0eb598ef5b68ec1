// The smallest stream as a sequence diagram: lanes across, time downward, the violating frame marked.
import { type Gap, isGap, LANES, type Lane, type Seats, type Step } from '../sequence.ts';
import { clip, escapeXml, oneLine } from '../text.ts';

const WIDTH = 700;
const TOP = 64;
const ROW = 38;
type Places = Readonly<Record<Lane, number>>;
const THREE: Places = { host: 134, runtime: 364, runner: 594 };
/** Without a runner the two that are left take the whole width. */
const TWO: Places = { ...THREE, runtime: THREE.runner };
const NAMES: Readonly<Record<Lane, string>> = { host: 'Host', runtime: 'Runtime', runner: 'Runner' };

export function diagram(steps: readonly (Step | Gap)[], seats: Seats, title: string, id: string): string {
  const height = TOP + Math.max(1, steps.length) * ROW + 16;
  const lanes = LANES.filter((lane) => [...seats.target, ...seats.harness].includes(lane));
  const x = lanes.length === 2 ? TWO : THREE;
  const rows = steps.map((step, at) =>
    isGap(step) ? gap(step, TOP + at * ROW) : row(step, steps[at - 1], x, TOP + at * ROW),
  );
  return [
    `<svg class="seq" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="${id}-t" preserveAspectRatio="xMinYMin">`,
    `<title id="${id}-t">${escapeXml(title)}</title>`,
    ...lanes.map((lane) => laneHead(lane, x[lane], seats.target.includes(lane), height)),
    ...rows,
    '</svg>',
  ].join('\n');
}

function laneHead(lane: Lane, x: number, tested: boolean, height: number): string {
  return [
    `<line class="life" x1="${x}" y1="48" x2="${x}" y2="${height - 8}"/>`,
    `<rect class="${tested ? 'lane tested' : 'lane'}" x="${x - 62}" y="6" width="124" height="42" rx="8"/>`,
    `<text class="${tested ? 'lane-name tested' : 'lane-name'}" x="${x}" y="25">${NAMES[lane]}</text>`,
    `<text class="${tested ? 'lane-who tested' : 'lane-who'}" x="${x}" y="40">${tested ? 'under test' : 'played by Runcert'}</text>`,
  ].join('');
}

function row(step: Step, before: Step | Gap | undefined, x: Places, y: number): string {
  const band = step.marked
    ? `<rect class="mark" x="62" y="${y + 2}" width="${WIDTH - 70}" height="${ROW - 4}" rx="6"/><text class="flag" x="${WIDTH - 14}" y="${y + ROW - 12}">◀</text>`
    : '';
  // A time is said once: many frames cross within the same millisecond.
  const same = before !== undefined && !isGap(before) && timeOf(before.at) === timeOf(step.at);
  const time = same ? '' : `<text class="time" x="54" y="${y + ROW - 11}">${timeOf(step.at)}</text>`;
  const drawn = step.from === step.to ? note(step, x, y) : arrow(step, x, y);
  return `<g class="step ${step.tone}${step.marked ? ' marked' : ''}">${band}${time}${drawn}</g>`;
}

function arrow(step: Step, x: Places, y: number): string {
  const [from, to] = [x[step.from], x[step.to]];
  const line = y + ROW - 10;
  const way = Math.sign(to - from);
  const tip = to - way * 3;
  const room = Math.floor((Math.abs(to - from) - 24) / 6.6);
  return [
    `<line class="way" x1="${from + way * 3}" y1="${line}" x2="${tip - way * 6}" y2="${line}"/>`,
    `<path class="tip" d="M${tip} ${line}l${-way * 8} -4v8z"/>`,
    `<text class="what" x="${(from + to) / 2}" y="${line - 6}">${wordsOf(step, room)}</text>`,
  ].join('');
}

/** The name of the frame, and what it is about in what room that leaves. */
function wordsOf({ label, detail }: Step, room: number): string {
  const name = clip(oneLine(label), room);
  const left = room - name.length - 1;
  return detail === undefined || left < 4
    ? escapeXml(name)
    : `${escapeXml(name)} <tspan class="detail">${escapeXml(clip(oneLine(detail), left))}</tspan>`;
}

function note(step: Step, places: Places, y: number): string {
  const x = places[step.from];
  const label = clip(oneLine(step.label), 26);
  const width = Math.min(196, label.length * 6.6 + 22);
  return `<rect class="note" x="${x - width / 2}" y="${y + 8}" width="${width}" height="24" rx="12"/><text class="what" x="${x}" y="${y + 24}">${escapeXml(label)}</text>`;
}

const gap = ({ left }: Gap, y: number): string =>
  `<text class="gap" x="${THREE.runtime}" y="${y + 24}">⋯ ${left} more ⋯</text>`;

/** Milliseconds since the case began, short. */
export function timeOf(at: number): string {
  const ms = Math.round(at);
  if (Math.abs(ms) < 10_000) return `${ms} ms`;
  return `${(ms / 1000).toFixed(ms < 100_000 ? 1 : 0)} s`;
}
