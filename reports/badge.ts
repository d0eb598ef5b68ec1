// A Shields endpoint badge: https://shields.io/badges/endpoint-badge
import type { Outcome } from '../conformance/judging/outcome.ts';
import type { Reporter } from './extras.ts';
import { cut, oneLine } from './text.ts';
import { withStanding } from './view.ts';

const COLORS: Readonly<Record<Outcome['verdict'], string>> = {
  conformant: 'brightgreen',
  'not-conformant': 'red',
  inconclusive: 'lightgrey',
};

export const badge: Reporter = (outcome) => {
  const { verdict, counts } = outcome;
  const excused = verdict === 'conformant' && counts.excused > 0 ? ` (${counts.excused} excused)` : '';
  const failed = withStanding(outcome, 'fail').length;
  const message = verdict === 'not-conformant' && failed > 0 ? `${failed} failed` : verdict.replace('-', ' ');
  return `${JSON.stringify({
    schemaVersion: 1,
    label: cut(oneLine(`${outcome.protocol} ${outcome.party} ${outcome.revision}`), 60),
    message: `${message}${excused}`,
    color: excused === '' ? COLORS[verdict] : 'yellowgreen',
    isError: verdict === 'not-conformant',
  })}\n`;
};
