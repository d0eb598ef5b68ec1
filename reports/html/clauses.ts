// The clause matrix by section, and every clause with what it asks, why, and how it went.
import type { Clause } from '../../conformance/judging/clause.ts';
import type { ClauseResult, Outcome } from '../../conformance/judging/outcome.ts';
import type { Extras } from '../extras.ts';
import { escapeWithin, escapeXml, oneLine } from '../text.ts';
import {
  grouped,
  ownEntry,
  plural,
  type Section,
  STANDING_WORDS,
  STANDINGS,
  type Standing,
  sectionMark,
  sectionsOf,
  standingOf,
} from '../view.ts';

const WORDS = 500;

export const SIGNS: Readonly<Record<Standing, string>> = {
  pass: '✓',
  fail: '✕',
  warning: '!',
  excused: '~',
  'not-exercised': '○',
  'not-applicable': '–',
  inconclusive: '?',
  'harness-fault': '⚠',
};

export type Anchors = ReadonlyMap<string, string>;

export function clauseMatrix(outcome: Outcome, anchors: Anchors, extras: Extras): string {
  const rows = sectionsOf(outcome).map(
    ({ section, clauses }) =>
      `<div class="strip"><span class="sec">${sectionName(section, extras)}</span><span class="cells">${clauses.map((result) => cell(result, anchors)).join('')}</span></div>`,
  );
  const legend = STANDINGS.filter((standing) => outcome.clauses.some((result) => standingOf(result) === standing)).map(
    (standing) =>
      `<span class="key"><i class="cell ${standing}" aria-hidden="true">${SIGNS[standing]}</i>${STANDING_WORDS[standing]}</span>`,
  );
  return `<div class="matrix" role="group" aria-label="Clauses by section">${rows.join('\n')}</div>\n<p class="legend">${legend.join('')}</p>`;
}

/** The number of a section and its heading. */
function sectionName(section: string, { sections }: Extras): string {
  const title = ownEntry(sections, section);
  return `<b>${escapeWithin(oneLine(sectionMark(section)), 40)}</b>${title === undefined ? '' : ` ${escapeWithin(oneLine(title), 80)}`}`;
}

function cell(result: ClauseResult, anchors: Anchors): string {
  const standing = standingOf(result);
  const name = `${escapeWithin(oneLine(result.id), 160)}: ${STANDING_WORDS[standing]}`;
  return `<a class="cell ${standing}${result.level === 'MUST' ? '' : ' soft'}" href="#c-${anchors.get(result.id)}" title="${name}" aria-label="${name}">${SIGNS[standing]}</a>`;
}

export function clauseList(outcome: Outcome, anchors: Anchors, carded: ReadonlySet<string>, extras: Extras): string {
  const known = new Map((extras.clauses ?? []).map((clause) => [clause.id, clause]));
  return sectionsOf(outcome)
    .map((section) => sectionOf(section, anchors, carded, known, extras))
    .join('\n');
}

function sectionOf(
  { section, clauses }: Section,
  anchors: Anchors,
  carded: ReadonlySet<string>,
  known: ReadonlyMap<string, Clause>,
  extras: Extras,
): string {
  const passed = clauses.filter((result) => result.verdict === 'pass').length;
  const rows = clauses.map((result) =>
    clauseRow(result, anchors.get(result.id) ?? '', carded.has(result.id), known.get(result.id)),
  );
  return `<section class="group"><h3>${sectionName(section, extras)} <small>${passed} of ${clauses.length} pass</small></h3>\n${rows.join('\n')}</section>`;
}

function clauseRow(result: ClauseResult, anchor: string, carded: boolean, clause: Clause | undefined): string {
  const standing = standingOf(result);
  const facts: [string, string | undefined][] = [
    ['Why', clause?.why],
    ['Judged', clause?.how],
    ['Stands in', clause?.source],
    ['Reason', result.reason],
    ['Excused', result.excused?.reason],
    ['Area', result.area],
  ];
  const told = facts.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`<div><dt>${name}</dt><dd>${escapeWithin(value, WORDS)}</dd></div>`],
  );
  const link = carded
    ? `<p><a href="#f-${anchor}">See the stream that shows it</a></p>`
    : result.verdict !== 'fail'
      ? ''
      : `<p>Expected ${escapeWithin(result.expected ?? '', 400)}; found ${escapeWithin(result.found ?? '', 400)}</p>`;
  return [
    `<details class="clause ${standing}" id="c-${anchor}" data-standing="${standing}" data-level="${result.level}">`,
    `<summary><i class="cell ${standing}" aria-hidden="true">${SIGNS[standing]}</i><span class="id">${escapeWithin(oneLine(result.id), 200)}</span><span class="tag">${result.level}</span>`,
    `<span class="text">${escapeWithin(oneLine(result.text), WORDS)}</span><span class="count">${result.occasions === 0 ? STANDING_WORDS[standing] : escapeXml(plural(result.occasions, 'occasion'))}</span><span class="sr">${STANDING_WORDS[standing]}</span></summary>`,
    `<div class="more"><dl>${told.join('')}<div><dt>Occasions</dt><dd>${grouped(result.occasions)}${result.violations > 0 ? `, broken in ${grouped(result.violations)}` : ''}</dd></div>${result.required ? '' : '<div><dt>Demanded</dt><dd>not by the requirement set of this revision</dd></div>'}</dl>${link}</div>`,
    '</details>',
  ].join('');
}
