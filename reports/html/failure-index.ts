// All failures at a glance, a line each, before the cards that tell them at length.
import type { ClauseResult, Outcome } from '../../conformance/judging/outcome.ts';
import { clip, escapeXml, oneLine } from '../text.ts';
import { linesOf, plural, STANDING_WORDS, standingOf } from '../view.ts';
import { type Anchors, SIGNS } from './clauses.ts';

const WORDS = 110;

/** Nothing where one card says it all. */
export function failureIndex(outcome: Outcome, results: readonly ClauseResult[], anchors: Anchors): string {
  if (results.length < 2) return '';
  const rows = results.map((result) => {
    const standing = standingOf(result);
    const place = linesOf(outcome, result);
    return [
      `<li><a href="#f-${anchors.get(result.id) ?? ''}"><i class="cell ${standing}${result.level === 'MUST' ? '' : ' soft'}" aria-hidden="true">${SIGNS[standing]}</i>`,
      `<span class="id">${words(result.id)}<span class="sr"> ${STANDING_WORDS[standing]}</span></span>`,
      `<span class="text"><span>expected ${words(result.expected ?? result.text)}</span><span>found ${words(result.found ?? plural(result.violations, 'violation'))}${place === undefined ? '' : `, ${escapeXml(place)}`}</span></span></a></li>`,
    ].join('');
  });
  return `<ol class="index">${rows.join('\n')}</ol>`;
}

const words = (text: string): string => escapeXml(clip(oneLine(text), WORDS));
