// A comparison in words: for the terminal, as Markdown with a migration note, as annotations for a pull request.
import { placeText } from '../diagnostics.ts';
import type { Place } from '../model.ts';
import { type Broken, changeId, isBreaking, type SpecChange } from './change.ts';
import type { Comparison } from './diff.ts';
import { pathOf, type ResolvedSide } from './sides.ts';

type Told = Comparison['changes'][number];

const whom = (change: SpecChange): string =>
  change.breaks.length === 0 ? 'compatible' : `breaks the ${change.breaks.join(' and the ')}`;

export function summaryText({ changes, breaking, unexcused, stale }: Comparison): string {
  if (changes.length === 0)
    return `no difference in structure${stale.length === 0 ? '' : `; ${count(stale.length, 'stale excuse')}`}`;
  const excused = breaking - unexcused;
  return `${count(changes.length, 'change')}: ${breaking === 0 ? 'all compatible' : `${breaking} breaking${excused === 0 ? '' : `, ${excused} of them excused`}`}${stale.length === 0 ? '' : `; ${count(stale.length, 'stale excuse')}`}`;
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

export function comparisonText(comparison: Comparison, before: ResolvedSide, after: ResolvedSide): string {
  const at = (side: ResolvedSide, place: Place): string => placeText({ ...place, file: pathOf(side, place.file) });
  const lines = inOrder(comparison.changes).map((change) =>
    [
      `${change.excused === undefined ? (isBreaking(change) ? '✗' : '·') : '○'} ${changeId(change)} (${whom(change)})`,
      ...(change.before === undefined ? [] : [`    - ${change.before.text}   ${at(before, change.before.place)}`]),
      ...(change.after === undefined ? [] : [`    + ${change.after.text}   ${at(after, change.after.place)}`]),
      `    ${change.why}`,
      ...(change.excused === undefined ? [] : [`    excused: ${change.excused}`]),
    ].join('\n'),
  );
  const stale = comparison.stale.map((excuse) => `✗ stale excuse: ${excuse.change} (${excuse.reason})`);
  return `${[...lines, ...stale, summaryText(comparison)].join('\n')}\n${comparison.breaking === 0 ? '' : `\n${migrationText(comparison)}`}`;
}

/** Breaking changes first, then by subject. */
const inOrder = (changes: readonly Told[]): Told[] =>
  [...changes].sort((a, b) => Number(isBreaking(b)) - Number(isBreaking(a)));

/** What each side has to do, as a list that a person can work off. */
export function migrationText({ changes }: Comparison): string {
  const list = (who: Broken, title: string): string => {
    const items = changes
      .filter((change) => change.breaks.includes(who))
      .map((change) => change.todo[who] ?? `Mind ${change.subject}: ${change.why}`);
    return items.length === 0 ? '' : `${title}\n${[...new Set(items)].map((item) => `- ${item}`).join('\n')}\n`;
  };
  return [
    'Migration\n',
    list('writer', 'If you write these messages or make these calls:'),
    list('reader', 'If you read these messages or answer these calls:'),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

export function comparisonMarkdown(comparison: Comparison, before: ResolvedSide, after: ResolvedSide): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/gu, ' ');
  const place = (side: ResolvedSide, part: Told['before']): string =>
    part === undefined ? '' : `\`${part.text}\`<br>${pathOf(side, part.place.file)}:${part.place.line}`;
  const rows = inOrder(comparison.changes).map(
    (change) =>
      `| ${cell(`\`${change.subject}\``)} | ${change.kind} | ${cell(change.excused === undefined ? whom(change) : `${whom(change)}; excused: ${change.excused}`)} | ${cell(place(before, change.before))} | ${cell(place(after, change.after))} |\n`,
  );
  const table =
    rows.length === 0
      ? ''
      : `\n| what | change | whom | before | after |\n| --- | --- | --- | --- | --- |\n${rows.join('')}`;
  const migration =
    comparison.breaking === 0 ? '' : `\n${migrationText(comparison).replace(/^Migration$/mu, '### Migration')}`;
  return `## ${before.label} → ${after.label}\n\n${capital(summaryText(comparison))}.\n${table}${migration}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Workflow commands: GitHub shows each at its line. */
export function comparisonGithub(comparison: Comparison, after: ResolvedSide): string {
  const escaped = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (text: string): string => escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const lines = inOrder(comparison.changes).map((change) => {
    const level = !isBreaking(change) ? 'notice' : change.excused === undefined ? 'error' : 'warning';
    const spot =
      change.after === undefined
        ? ''
        : ` file=${property(pathOf(after, change.after.place.file))},line=${change.after.place.line},col=${change.after.place.column},`;
    return `::${level}${spot === '' ? ' ' : spot}title=${property(changeId(change))}::${escaped(`${capital(whom(change))}. ${change.why}`)}`;
  });
  return `${[...lines, ...comparison.stale.map((excuse) => `::error title=stale excuse::${escaped(excuse.change)}`)].join('\n')}${lines.length + comparison.stale.length === 0 ? '' : '\n'}`;
}
