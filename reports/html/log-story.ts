// Who waited for whom, and what was tried again, as two tables under the timeline of a log.
import type { LogStory, Try, Wait } from '../log-story.ts';
import { escapeWithin, oneLine } from '../text.ts';
import { plural } from '../view.ts';

export function logStory({ waits, tries, left }: LogStory): string {
  const notable = tries.filter(({ status, next }) => status !== 'completed' || next !== undefined);
  return [
    waits.length === 0
      ? ''
      : `<h3>Who waited for whom</h3>${table('Waits', ['Who', 'For', 'From line', 'To line', 'End'], waits.map(waitRow))}`,
    tries.length === 0
      ? ''
      : `<h3>What failed, and what was tried again</h3><p>${plural(tries.length, 'try', 'tries')}, ${plural(tries.length - notable.length, 'of them completed', 'of them completed')}.</p>${notable.length === 0 ? '' : table('Tries', ['What', 'Try', 'From line', 'To line', 'Status', 'Why', 'Then'], notable.map(tryRow))}`,
    left === 0 ? '' : `<p>${left} more are not listed.</p>`,
  ].join('\n');
}

const waitRow = (wait: Wait): Row => ({
  marked: wait.to === undefined,
  cells: [wait.who, wait.for, wait.from, wait.to ?? '', wait.end ?? 'still waits at the end of the log'],
});

const tryRow = (one: Try): Row => ({
  marked: one.status !== 'completed',
  cells: [one.what, one.name, one.from, one.to ?? '', one.status, one.why ?? '', one.next ?? ''],
});

interface Row {
  readonly marked: boolean;
  readonly cells: readonly (string | number)[];
}

const table = (name: string, heads: readonly string[], rows: readonly Row[]): string =>
  `<div class="scroll" tabindex="0" role="group" aria-label="${name}"><table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead><tbody>${rows.map(({ marked, cells }) => `<tr${marked ? ' class="marked"' : ''}>${cells.map((cell) => `<td>${escapeWithin(oneLine(String(cell)), 160)}</td>`).join('')}</tr>`).join('')}</tbody></table></div>`;
