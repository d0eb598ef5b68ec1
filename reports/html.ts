// The report to look at: one file that opens offline. Everything foreign in it is escaped text, and its policy lets no other script run.
import { comparisonSentence } from '../conformance/judging/compare.ts';
import type { Outcome } from '../conformance/judging/outcome.ts';
import type { Extras, Reporter } from './extras.ts';
import { type Anchors, clauseList, clauseMatrix } from './html/clauses.ts';
import { failureCard } from './html/failure.ts';
import { failureIndex } from './html/failure-index.ts';
import { killMatrix } from './html/kills.ts';
import { logStory } from './html/log-story.ts';
import { heroOf, type Part, pageOf } from './html/page.ts';
import { timeline } from './html/timeline.ts';
import { nextSteps } from './next.ts';
import { boundedJson, escapeWithin, escapeXml, oneLine, slugOf } from './text.ts';
import {
  comparisonOf,
  countsByLevel,
  drivenWords,
  elapsedMs,
  failuresOf,
  isLog,
  plural,
  remediesOf,
  STANDING_WORDS,
  STANDINGS,
  startedAt,
  targetName,
  VERDICT_WORDS,
  withStanding,
} from './view.ts';

/** What the evidence of all failures may take together; the whole file stays below 2 MB with it. */
const EVIDENCE = 500_000;
const MOST_CARDS = 100;
/** Failures whose diagram is unfolded; the others open with a key or a click. */
const MOST_OPEN = 6;

export const html: Reporter = (outcome, extras) => {
  const anchors: Anchors = new Map(outcome.clauses.map(({ id }) => [id, slugOf(id)]));
  const failed = [...failuresOf(outcome), ...withStanding(outcome, 'excused')];
  const carded = failed.slice(0, MOST_CARDS);
  const many = carded.length > 20;
  const room = {
    frames: Math.min(60_000, Math.floor(EVIDENCE / Math.max(1, carded.length))),
    words: many ? 600 : 1500,
    steps: many ? 24 : 40,
  };
  const parts: readonly Part[] = [
    {
      id: 'failures',
      name: 'Failures',
      count: failed.length,
      body:
        carded.length === 0
          ? ''
          : `${failureIndex(outcome, carded, anchors)}${carded.map((result, at) => failureCard(outcome, result, anchors.get(result.id) ?? '', extras, { ...room, open: at < MOST_OPEN })).join('\n')}${failed.length > carded.length ? `<p>${failed.length - carded.length} more are in the list of clauses.</p>` : ''}`,
    },
    {
      id: 'timeline',
      name: 'Timeline',
      body:
        extras.timeline === undefined || extras.timeline.length === 0
          ? ''
          : `${timeline(extras.timeline)}\n${extras.story === undefined ? '' : logStory(extras.story)}`,
    },
    {
      id: 'clauses',
      name: 'Clauses',
      count: outcome.clauses.length,
      body: `${tools(outcome)}\n${clauseList(outcome, anchors, new Set(carded.map(({ id }) => id)), extras)}`,
    },
    { id: 'kills', name: 'Kill matrix', body: extras.matrix === undefined ? '' : killMatrix(extras.matrix) },
    { id: 'notes', name: 'Notes', body: notes(outcome) },
    { id: 'unjudged', name: 'Not judged', body: unjudged(outcome) },
    { id: 'run', name: 'The run', body: run(outcome) },
  ];
  return page(
    outcome,
    clauseMatrix(outcome, anchors, extras),
    parts.filter(({ body }) => body !== ''),
    extras,
  );
};

function page(outcome: Outcome, matrix: string, parts: readonly Part[], extras: Extras): string {
  const reason =
    outcome.reason === undefined
      ? 'Every MUST clause that applies was exercised and passed.'
      : sentence(escapeWithin(outcome.reason, 600));
  return pageOf({
    title: `${VERDICT_WORDS[outcome.verdict]}: ${escapeWithin(oneLine(targetName(outcome)), 120)}`,
    top: [
      heroOf(outcome.verdict, VERDICT_WORDS[outcome.verdict], reason),
      advice(outcome, extras),
      meta(outcome),
      levels(outcome),
      matrix,
      banners(outcome, extras),
    ].join('\n'),
    parts,
    footer: `Made by Runcert ${escapeWithin(oneLine(outcome.runcert), 40)} from outcome.json. Round cells are SHOULD and MAY clauses, square ones MUST. Keys: / searches, j and k go from failure to failure.`,
  });
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…)]$/.test(text) ? '' : '.'}`;

function meta(outcome: Outcome): string {
  const at = startedAt(outcome);
  const facts: readonly (readonly [string, string | undefined])[] = [
    [`The ${outcome.party}`, targetName(outcome)],
    ['Protocol', `${outcome.protocol} ${outcome.revision}`],
    [isLog(outcome) ? 'Judged' : 'Driven', drivenWords(outcome)],
    ['Seed', isLog(outcome) ? undefined : String(outcome.seed)],
    ['When', at === undefined ? undefined : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
    ['Took', elapsedMs(outcome) === 0 ? undefined : `${(elapsedMs(outcome) / 1000).toFixed(1)} s`],
    ['Part', outcome.shard === undefined ? undefined : `shard ${outcome.shard.index} of ${outcome.shard.of}`],
  ];
  return `<dl class="meta">${facts.flatMap(([name, value]) => (value === undefined ? [] : [`<div><dt>${name}</dt><dd>${escapeWithin(oneLine(value), 200)}</dd></div>`])).join('')}</dl>`;
}

/** A bar a level. Widths are SVG attributes: the policy allows no inline style. */
function levels(outcome: Outcome): string {
  const bars = countsByLevel(outcome).map(({ level, all, counts }) => {
    const seen = ORDER.filter((standing) => counts[standing] > 0);
    let x = 0;
    const segments = seen.map((standing) => {
      const width = (counts[standing] / all) * 1000;
      const rect = `<rect class="seg ${standing}" x="${x.toFixed(1)}" width="${width.toFixed(1)}" height="14"/>`;
      x += width;
      return rect;
    });
    const words = seen.map((standing) => `<span>${counts[standing]} ${STANDING_WORDS[standing]}</span>`);
    return `<div class="level"><b>${level}</b><svg viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true">${segments.join('')}</svg><p>${words.join('')}</p></div>`;
  });
  return `<div class="levels">${bars.join('\n')}</div>`;
}

const ORDER = [...STANDINGS].sort(
  (a, b) =>
    Number(b === 'pass') - Number(a === 'pass') || Number(a === 'not-applicable') - Number(b === 'not-applicable'),
);

/** What to do about a run that decided nothing, before everything else. */
function advice(outcome: Outcome, extras: Extras): string {
  if (outcome.verdict !== 'inconclusive') return '';
  const items = [
    ...remediesOf(outcome).map((text) => escapeWithin(oneLine(text), 600)),
    ...nextSteps(outcome, extras).map(
      ({ command, why }) => `<code>${escapeWithin(oneLine(command), 600)}</code> ${escapeWithin(why, 200)}`,
    ),
  ];
  return items.length === 0
    ? ''
    : `<div class="banner advice"><strong>What to do</strong><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul></div>`;
}

function banners(outcome: Outcome, extras: Extras): string {
  const comparison = comparisonOf(outcome, extras);
  const items = (ids: readonly string[], word: string): string =>
    ids
      .slice(0, 30)
      .map((id) => `<li>${word} <code>${escapeWithin(oneLine(id), 200)}</code></li>`)
      .join('');
  const compared =
    comparison === undefined
      ? ''
      : `<div class="banner${comparison.broken.length > 0 ? ' fail' : ''}"><strong>${escapeXml(comparisonSentence(comparison))}</strong><ul>${items(comparison.broken, 'Broken:')}${items(comparison.mended, 'Mended:')}${items(
          comparison.lost.map(({ id }) => id),
          'Not decided any more:',
        )}${comparison.differences
          .slice(0, 10)
          .map((text) => `<li>${escapeWithin(oneLine(text), 300)}</li>`)
          .join('')}</ul></div>`;
  const stale =
    outcome.stale.length === 0
      ? ''
      : `<div class="banner fail"><strong>The baseline is stale</strong><ul>${outcome.stale
          .slice(0, 50)
          .map(
            ({ clause, why }) =>
              `<li><code>${escapeWithin(oneLine(clause), 200)}</code> ${escapeWithin(oneLine(why), 300)}</li>`,
          )
          .join('')}</ul></div>`;
  return `${compared}${stale}`;
}

function tools(outcome: Outcome): string {
  const seen = countsByLevel(outcome);
  const standings = STANDINGS.filter((standing) => seen.some(({ counts }) => counts[standing] > 0));
  return `<div class="tools needs-js" role="search"><input type="search" id="search" placeholder="Search clauses ( / )" aria-label="Search clauses"><select id="standing" aria-label="Verdict"><option value="">Every verdict</option>${standings.map((standing) => `<option value="${standing}">${STANDING_WORDS[standing]}</option>`).join('')}</select><select id="level" aria-label="Level"><option value="">Every level</option>${seen.map(({ level }) => `<option>${level}</option>`).join('')}</select><button type="button" id="clear">Clear</button><span class="shown" id="shown" role="status"></span></div><p class="none" id="none" hidden>No clause fits. Clear the search, or look for another word.</p>`;
}

const notes = (outcome: Outcome): string =>
  outcome.notes.every(({ kind }) => kind === 'remedy')
    ? ''
    : `<ul class="plain">${outcome.notes
        .filter(({ kind }) => kind !== 'remedy')
        .slice(0, 200)
        .map(
          ({ kind, text, count }) =>
            `<li><span class="tag">${escapeWithin(oneLine(kind), 60)}</span> ${escapeWithin(oneLine(text), 500)}${count === undefined || count < 2 ? '' : ` <small>${count}×</small>`}</li>`,
        )
        .join('\n')}</ul>`;

const unjudged = (outcome: Outcome): string =>
  outcome.unjudged.length === 0
    ? ''
    : `<p class="lead">${plural(outcome.unjudged.length, 'clause')} cannot be judged from outside.</p><ul class="plain">${outcome.unjudged
        .slice(0, 300)
        .map(
          ({ id, reason }) =>
            `<li><code>${escapeWithin(oneLine(id), 200)}</code> ${escapeWithin(oneLine(reason), 400)}</li>`,
        )
        .join('\n')}</ul>`;

const run = (outcome: Outcome): string =>
  `<details class="frames"><summary>Options, and what the target declared</summary><pre tabindex="0" role="group" aria-label="Options and declarations">${escapeWithin(boundedJson({ options: outcome.options, target: outcome.target, timing: outcome.timing }, 20_000), 20_000)}</pre></details>`;
