// One failure as a card: what was asked, what was expected and found, the stream that shows it, how to play it again.
import type { ClauseResult, Outcome } from '../../conformance/judging/outcome.ts';
import type { Extras } from '../extras.ts';
import { essential, isGap, type Step, seatsOf, stepsOf } from '../sequence.ts';
import { boundedJson, escapeWithin, escapeXml, oneLine } from '../text.ts';
import {
  inFolder,
  linesOf,
  ownEntry,
  plural,
  replayCommand,
  STANDING_WORDS,
  sectionMark,
  standingOf,
} from '../view.ts';
import { diagram, timeOf } from './diagram.ts';

const MOST_FRAME = 2400;
const MOST_PROOF = 1600;
const MOST_PROOFS = 2;

export interface CardRoom {
  /** Characters that the frames of this card may take. */
  readonly frames: number;
  /** Characters of one sentence. */
  readonly words: number;
  /** Whether the diagram is unfolded from the beginning. */
  readonly open: boolean;
  /** Rows of the diagram. */
  readonly steps: number;
}

export function failureCard(
  outcome: Outcome,
  result: ClauseResult,
  anchor: string,
  extras: Extras,
  room: CardRoom,
): string {
  const standing = standingOf(result);
  const facts = result.recording === undefined ? undefined : ownEntry(extras.recordings, result.recording)?.facts;
  const steps = facts === undefined ? [] : stepsOf(outcome, facts, result.facts ?? []);
  const replay = replayCommand(outcome, result, extras);
  const place = linesOf(outcome, result);
  const files = [result.case, result.recording].filter((path) => path !== undefined);
  return [
    `<article class="card ${standing}" id="f-${anchor}" data-standing="${standing}" aria-labelledby="f-${anchor}-h">`,
    `<header><h3 id="f-${anchor}-h"><a href="#c-${anchor}">${escapeWithin(oneLine(result.id), 300)}</a></h3>`,
    `<p class="tags"><span class="tag ${standing}">${STANDING_WORDS[standing]}</span><span class="tag">${result.level}</span><span class="tag">${escapeWithin(oneLine(sectionMark(result.section)), 60)}</span>${place === undefined ? '' : `<span class="tag">${escapeXml(place)}</span>`}`,
    `<span class="tag">${plural(result.violations, 'violation')} in ${plural(result.occasions, 'occasion')}</span>${result.required ? '' : '<span class="tag">not demanded yet</span>'}</p></header>`,
    `<p class="asks">${escapeWithin(result.text, room.words)}</p>`,
    result.excused === undefined
      ? ''
      : `<p class="excuse"><strong>Excused${result.excused.expires === undefined ? '' : ` until ${escapeWithin(result.excused.expires, 40)}`}:</strong> ${escapeWithin(result.excused.reason, room.words)}</p>`,
    `<dl class="versus"><div class="expected"><dt>Expected</dt><dd>${escapeWithin(result.expected ?? result.text, room.words)}</dd></div>`,
    `<div class="found"><dt>Found</dt><dd>${escapeWithin(result.found ?? 'not told', room.words)}</dd></div></dl>`,
    steps.length === 0 ? inLog(result, extras) : stream(outcome, result, steps, anchor, room),
    replay === undefined
      ? ''
      : `<div class="replay"><span class="label">Play it again</span><code>${escapeWithin(replay, 2000)}</code><button type="button" class="copy">Copy</button></div>`,
    files.length === 0
      ? ''
      : `<p class="files">${files.map((path) => `<span>${escapeWithin(oneLine(inFolder(path, extras)), 300)}</span>`).join('')}</p>`,
    '</article>',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function stream(
  outcome: Outcome,
  result: ClauseResult,
  steps: readonly Step[],
  anchor: string,
  room: CardRoom,
): string {
  const shown = essential(steps, room.steps);
  const title = `The smallest stream that breaks ${oneLine(result.id).slice(0, 200)}: ${plural(steps.length, 'step')}, ${plural(steps.filter(({ marked }) => marked).length, 'marked', 'marked')}`;
  return [
    `<details class="frames"${room.open ? ' open' : ''}><summary>The smallest stream that shows it</summary><div class="scroll" tabindex="0" role="group" aria-label="Sequence diagram">${diagram(shown, seatsOf(outcome), title, `d-${anchor}`)}</div></details>`,
    proof(
      steps
        .filter(({ marked, body }) => marked && body !== undefined)
        .map(({ label, from, to, body }) => ({ name: `${from === to ? from : `${from} → ${to}`} ${label}`, body })),
    ),
    `<details class="frames"><summary>Raw frames</summary><ol>${frames(
      shown.filter((step): step is Step => !isGap(step)),
      steps.length,
      room,
    )}</ol></details>`,
  ].join('\n');
}

interface Proof {
  readonly name: string;
  readonly body: unknown;
}

/** What proves the violation stands open: it is what a reader looks for first. */
function proof(frames: readonly Proof[]): string {
  const shown = frames.slice(0, MOST_PROOFS);
  if (shown.length === 0) return '';
  const left = frames.length - shown.length;
  const blocks = shown.map(
    ({ name, body }) =>
      `<figcaption>${escapeWithin(oneLine(name), 160)}</figcaption><pre tabindex="0" role="group" aria-label="Frame">${escapeWithin(typeof body === 'string' ? body : boundedJson(body, MOST_PROOF), MOST_PROOF)}</pre>`,
  );
  return `<figure class="proof">${blocks.join('')}${left > 0 ? `<p class="left">and ${plural(left, 'more frame')}</p>` : ''}</figure>`;
}

/** In an Agent Runtime log the events that prove it are lines. */
const inLog = (result: ClauseResult, { timeline }: Extras): string =>
  proof(
    (timeline ?? [])
      .filter(({ breaks, event }) => event !== undefined && breaks?.includes(result.id) === true)
      .map(({ type, detail, event }) => ({ name: `${type}${detail === undefined ? '' : `, ${detail}`}`, body: event })),
  );

/** The violating frames come first in the budget, so that they are never what is left out. */
function frames(steps: readonly Step[], all: number, room: CardRoom): string {
  const texts = new Map<number, string>();
  let spent = 0;
  for (const step of [...steps].sort((a, b) => Number(b.marked) - Number(a.marked) || a.n - b.n)) {
    if (step.body === undefined) continue;
    const text = escapeWithin(
      typeof step.body === 'string' ? step.body : boundedJson(step.body, MOST_FRAME),
      MOST_FRAME,
    );
    if (spent + text.length > room.frames) continue;
    spent += text.length;
    texts.set(step.n, text);
  }
  const items = steps.map((step) => {
    const text = texts.get(step.n);
    const way = step.from === step.to ? step.from : `${step.from} → ${step.to}`;
    const head = `<p><span class="n">${step.n}</span> <span class="way">${way}</span> <strong>${escapeWithin(oneLine(step.label), 120)}</strong> <span class="t">${timeOf(step.at)}</span>${step.marked ? ' <span class="tag fail">proves it</span>' : ''}</p>`;
    const body =
      step.body === undefined
        ? ''
        : text === undefined
          ? '<p class="left">left out here; it stands in the recording</p>'
          : `<pre tabindex="0" role="group" aria-label="Frame ${step.n}">${text}</pre>`;
    return `<li${step.marked ? ' class="marked"' : ''}>${head}${body}</li>`;
  });
  const left = all - steps.length;
  return `${items.join('\n')}${left > 0 ? `<li class="left">${escapeXml(plural(left, 'more step'))} in the recording</li>` : ''}`;
}
