// What went wrong, for the terminal: whole where there is room, a line each where there is not, and never more than a screen.
import type { ClauseResult, Outcome } from '../conformance/judging/outcome.ts';
import { clip, oneLine } from './text.ts';
import {
  isUnreached,
  linesOf,
  openGroups,
  plural,
  STANDING_WORDS,
  type Standing,
  standingOf,
  withStanding,
} from './view.ts';

export interface Pen {
  /** Colours a text as its standing deserves. */
  readonly ink: (standing: Standing, text: string) => string;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  /** Cuts a text to what the line has left behind an indent. */
  readonly within: (text: string, indent: number) => string;
  /** Characters on a line; 0 on a pipe, where nothing is left out. */
  readonly columns: number;
}

/** One clause, or several that stay open for one reason. */
export interface Problem {
  readonly clauses: number;
  readonly whole: readonly string[];
  readonly short: string;
}

const MARKS: Readonly<Record<Standing, string>> = {
  pass: '✔',
  fail: '✘',
  warning: '!',
  excused: '~',
  'not-exercised': '○',
  'not-applicable': '–',
  inconclusive: '?',
  'harness-fault': '⚠',
};

/** All problems, the gravest first. */
export function problemsOf(outcome: Outcome, pen: Pen): Problem[] {
  const one = (result: ClauseResult): Problem => problem(outcome, result, pen);
  return [
    ...withStanding(outcome, 'fail').map(one),
    ...undecided(outcome, pen),
    ...withStanding(outcome, 'warning').map(one),
    ...withStanding(outcome, 'excused').map(one),
  ];
}

/** The lines that fit; `room` is undefined where everything does. */
export function fitted(
  problems: readonly Problem[],
  room: number | undefined,
): { readonly lines: readonly string[]; readonly left: number } {
  const whole = problems.flatMap((one) => one.whole);
  if (room === undefined || whole.length <= room) return { lines: whole, left: 0 };
  const shown = problems.slice(0, Math.max(1, problems.length > room ? room - 1 : room));
  let spare = room - shown.length;
  const lines = shown.flatMap((one) => {
    spare -= one.whole.length - 1;
    return spare >= 0 ? one.whole : [one.short];
  });
  return { lines, left: problems.slice(shown.length).reduce((sum, { clauses }) => sum + clauses, 0) };
}

/** Clauses that stay open for one and the same reason are told together. */
function undecided(outcome: Outcome, pen: Pen): Problem[] {
  if (isUnreached(outcome)) return [];
  return openGroups(outcome).map(({ standing, reason, clauses }) => {
    const [first] = clauses;
    if (clauses.length === 1) return problem(outcome, first!, pen);
    const ids = clauses.map(({ id }) => clip(oneLine(id), 200)).join(', ');
    const head = ` ${pen.ink(standing, MARKS[standing])} ${pen.within(`${plural(clauses.length, 'MUST clause')} ${STANDING_WORDS[standing]}: ${reason}`, 3)}`;
    return {
      clauses: clauses.length,
      whole: [head, `   ${pen.dim(pen.columns > 0 ? pen.within(ids, 3) : ids)}`],
      short: head,
    };
  });
}

function problem(outcome: Outcome, result: ClauseResult, pen: Pen): Problem {
  const standing = standingOf(result);
  const mark = pen.ink(standing, MARKS[standing]);
  const place = linesOf(outcome, result);
  const name = `${result.id} (${result.level})${result.required ? '' : ' not demanded yet'}${place === undefined ? '' : `, ${place}`}`;
  if (result.verdict !== 'fail') {
    const why = `${STANDING_WORDS[standing]}: ${result.reason ?? 'no reason given'}`;
    return {
      clauses: 1,
      whole: [` ${mark} ${pen.within(name, 3)}`, `   ${pen.dim(pen.within(why, 3))}`],
      short: ` ${mark} ${pen.within(`${result.id}: ${why}`, 3)}`,
    };
  }
  const expected = result.expected ?? result.text;
  const found = result.found ?? plural(result.violations, 'violation');
  const excuse =
    result.excused === undefined
      ? []
      : [
          `   ${pen.dim(pen.within(`excused: ${result.excused.reason}${result.excused.expires === undefined ? '' : ` (until ${result.excused.expires})`}`, 3))}`,
        ];
  return {
    clauses: 1,
    whole: [
      ` ${mark} ${pen.bold(pen.within(name, 3))}`,
      `   expected ${pen.within(expected, 12)}`,
      `   found    ${pen.within(found, 12)}`,
      ...excuse,
    ],
    short: ` ${mark} ${pen.within(`${result.id}: ${versus(result.id, expected, found, pen.columns)}`, 3)}`,
  };
}

/** Where there is no room for both, the words that both begin with go: they tell nothing. */
function apart(expected: string, found: string, room: number): [string, string] {
  if (expected.length + found.length <= room) return [expected, found];
  const words = expected.split(' ');
  const others = found.split(' ');
  const same = words.findIndex((word, at) => word !== others[at]);
  return same < 2 ? [expected, found] : [`…${words.slice(same).join(' ')}`, `…${others.slice(same).join(' ')}`];
}

/** Both on one line: what the shorter one leaves goes to the longer one. */
function versus(id: string, expected: string, found: string, columns: number): string {
  const room = Math.max(16, columns - oneLine(id).length - 24);
  const [asked, seen] = apart(oneLine(expected), oneLine(found), room);
  const half = Math.floor(room / 2);
  const forFound = Math.max(half, room - asked.length);
  return `expected ${clip(asked, Math.max(half, room - Math.min(seen.length, forFound)))}, found ${clip(seen, forFound)}`;
}
