// The HTML report in a real browser: does it open offline, filter, find, copy, keep to the keyboard, fit a phone, and run nothing foreign?
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import fc from 'fast-check';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Outcome } from '../conformance/judging/outcome.ts';
import { anyOutcome, sampleClause, sampleOutcome } from '../conformance/judging/samples.ts';
import type { Extras } from './extras.ts';
import { casePath, recordingPath } from './folder.ts';
import { html } from './html.ts';
import { matrixHtml } from './matrix.ts';
import { NASTY, nastyWords } from './nasty.ts';
import { factsOf, SAMPLE_HEAD, sampleReport, sampleStream, unreachedOutcome } from './samples.ts';

const BROWSERS = [
  process.env['RUNCERT_BROWSER'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const executablePath = BROWSERS.find((path) => path !== undefined && path !== '' && existsSync(path));
/** Screenshots to look at go here when it is set. */
const shots = process.env['RUNCERT_SCREENSHOTS'];

let browser: Browser;
let dir = '';
beforeAll(async () => {
  if (executablePath === undefined) {
    throw new Error(
      'No browser was found. Install one (Debian: apt-get install chromium) or name it with RUNCERT_BROWSER; these tests do not count without it.',
    );
  }
  dir = await mkdtemp(join(tmpdir(), 'runcert-browser-'));
  browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
});
afterAll(async () => {
  await browser?.close();
  if (dir !== '') await rm(dir, { recursive: true, force: true });
});

interface Seen {
  readonly page: Page;
  /** Console errors, page errors and requests beyond the file itself. */
  readonly trouble: string[];
}

const open = (outcome: Outcome, extras: Extras, options?: BrowserContextOptions): Promise<Seen> =>
  openText(html(outcome, extras), options);

async function openText(text: string, options: BrowserContextOptions = {}): Promise<Seen> {
  const path = join(dir, `${Math.floor(performance.now() * 1000)}.html`);
  await writeFile(path, text);
  const context = await browser.newContext({ offline: true, viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && trouble.push(message.text())));
  page.on('pageerror', (error) => trouble.push(String(error)));
  page.on('dialog', (dialog) => {
    trouble.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => void (request.url() !== pathToFileURL(path).href && trouble.push(request.url())));
  await page.goto(pathToFileURL(path).href);
  return { page, trouble };
}

async function shoot(page: Page, name: string, fullPage = false): Promise<void> {
  if (shots === undefined) return;
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage });
}

const sample = sampleReport();

test('it opens offline without a complaint, verdict first', async () => {
  const { page, trouble } = await open(sample.outcome, sample.extras);
  expect(await page.locator('h1').textContent()).toBe('Not conformant');
  expect(await page.locator('svg.seq').count()).toBe(3);
  expect(trouble).toEqual([]);
  await shoot(page, 'light');
  await shoot(page, 'light-whole', true);
  await page.locator('.card').first().scrollIntoViewIfNeeded();
  await page.locator('#failures').scrollIntoViewIfNeeded();
  await shoot(page, 'failure');
  await page.context().close();
});

test('the violating frame is marked in the diagram and in the frames', async () => {
  const { page } = await open(sample.outcome, sample.extras);
  const card = page.locator('.card').first();
  expect(await card.locator('svg .step.marked').count()).toBe(1);
  expect(await card.locator('svg .step.marked .what').textContent()).toBe('message.completed "hi"');
  expect(await card.locator('.proof pre').textContent()).toContain('"message.completed"');
  await card.locator('summary', { hasText: 'Raw frames' }).click();
  expect(await card.locator('li.marked pre').textContent()).toContain('"message.completed"');
  expect(await card.locator('.replay code').textContent()).toContain('npx runcert replay runcert-report/cases/');
  await page.context().close();
});

test('all failures stand at a glance, and j and k go from one to the next', async () => {
  const { page } = await open(sample.outcome, sample.extras);
  const failures = await page.locator('.card').count();
  expect(await page.locator('.index li').count()).toBe(failures);
  const focused = () => page.evaluate('document.activeElement.textContent');
  const names = await page.locator('.card h3').allTextContents();
  for (const name of names) {
    await page.keyboard.press('j');
    expect(await focused()).toBe(name);
  }
  await page.keyboard.press('k');
  expect(await focused()).toBe(names.at(-2));
  await page.locator('.index a').first().click();
  expect(await page.locator('.card').first().locator('h3').isVisible()).toBe(true);
  await page.context().close();
});

test('search and filters narrow the clauses, and the number shown is told to a screen reader', async () => {
  const { page } = await open(sample.outcome, sample.extras);
  const visible = () => page.locator('.clause:visible').count();
  const all = sample.outcome.clauses.length;
  expect(await visible()).toBe(all);
  await page.keyboard.press('/');
  await page.keyboard.type('terminal-is-last');
  expect(await visible()).toBe(1);
  expect(await page.locator('#shown').textContent()).toBe(`1 of ${all} clauses`);
  expect(await page.locator('#shown').getAttribute('role')).toBe('status');
  await page.keyboard.press('Escape');
  expect(await visible()).toBe(all);
  await page.locator('#standing').selectOption('warning');
  expect(await visible()).toBe(2);
  await page.locator('#level').selectOption('SHOULD');
  expect(await visible()).toBe(1);
  expect(await page.locator('.group:visible').count()).toBe(1);
  await page.locator('#clear').click();
  expect(await visible()).toBe(all);
  await page.context().close();
});

test('the keyboard alone opens a clause; a link opens the clause it names, filtered away or not', async () => {
  const { page } = await open(sample.outcome, sample.extras);
  await page.locator('.clause summary').first().focus();
  await page.keyboard.press('Enter');
  expect(await page.locator('.clause').first().getAttribute('open')).not.toBeNull();
  expect(await page.locator('.clause').first().locator('.more').textContent()).toContain(
    'A host that reads on after the end',
  );
  await page.locator('#search').fill('nothing has this');
  expect(await page.locator('.clause:visible').count()).toBe(0);
  expect(await page.locator('#none').isVisible()).toBe(true);
  await page.locator('.matrix a.cell').nth(5).click();
  expect(await page.locator('.clause:visible').count()).toBe(sample.outcome.clauses.length);
  expect(await page.locator('.clause[open] .id').last().textContent()).toBe('v1/7.1/terminal-is-last');
  await page.context().close();
});

test('light and dark follow the system and the button, and both are legible', async () => {
  for (const [scheme, other] of [
    ['light', 'dark'],
    ['dark', 'light'],
  ] as const) {
    const { page } = await open(sample.outcome, sample.extras, { colorScheme: scheme });
    expect(await page.locator('html').getAttribute('data-theme')).toBe(scheme);
    for (const selector of [
      'h1',
      '.hero p',
      '.tag.fail',
      '.tag.warning',
      '.tag.excused',
      '.clause .text',
      '.meta dt',
      '.cell.pass',
      '.cell.fail',
      '.versus .found dd',
      '.level p',
      '.frames summary',
    ]) {
      expect(await contrast(page, selector), `${scheme} ${selector}`).toBeGreaterThanOrEqual(4.5);
    }
    if (scheme === 'dark') {
      await shoot(page, 'dark');
      await page.locator('#kills').scrollIntoViewIfNeeded();
      await shoot(page, 'dark-whole', true);
    }
    await page.locator('#theme').click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe(other);
    await page.context().close();
  }
});

/** WCAG contrast of the first element that fits, against what stands behind it. Code for the page is text: Node's types know no DOM. */
const contrast = (page: Page, selector: string): Promise<number> =>
  page.evaluate(`(${CONTRAST})(document.querySelector(${JSON.stringify(selector)}))`);
const CONTRAST = `(element) => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const part = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  let behind = element;
  while (behind !== null && rgb(getComputedStyle(behind).backgroundColor)[3] !== 255) behind = behind.parentElement;
  const [a, b] = [getComputedStyle(element).color, getComputedStyle(behind ?? document.body).backgroundColor].map((color) => light(rgb(color))).sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}`;

test('it fits a phone without scrolling sideways', async () => {
  const { page } = await open(sample.outcome, sample.extras, {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  });
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await shoot(page, 'phone');
  await page.locator('#failures').scrollIntoViewIfNeeded();
  await shoot(page, 'phone-whole', true);
  await page.context().close();
});

test('a screen reader finds headings, landmarks and names', async () => {
  const { page } = await open(sample.outcome, sample.extras);
  const bare = await page.evaluate(
    `[...document.querySelectorAll('button, a, input, select, summary')].filter((one) => (one.getAttribute('aria-label') ?? one.textContent).trim() === '').map((one) => one.outerHTML)`,
  );
  expect(bare).toEqual([]);
  for (const landmark of ['main', 'body > header', 'nav[aria-label]', '[role=search]'])
    expect(await page.locator(landmark).count(), landmark).toBe(1);
  const levels = await page
    .locator('h1, h2, h3')
    .evaluateAll((list) => list.map((heading) => Number(heading.tagName[1])));
  levels.reduce((before, level) => {
    expect(level - before).toBeLessThanOrEqual(1);
    return level;
  }, 0);
  const tree = await page.locator('main').ariaSnapshot();
  expect(tree).toContain('heading "Not conformant" [level=1]');
  expect(tree).toContain('img "The smallest stream that breaks v1/7.1/terminal-is-last');
  await page.context().close();
});

test.each<[string, () => string, BrowserContextOptions]>([
  ['a run with failures', () => html(sample.outcome, sample.extras), {}],
  ['the same in the dark', () => html(sample.outcome, sample.extras), { colorScheme: 'dark' }],
  ['the same on a phone', () => html(sample.outcome, sample.extras), { viewport: { width: 390, height: 844 } }],
  ['a conformant run', () => html(sampleOutcome([sampleClause('v1/7/a', 'pass')]), {}), {}],
  ['a run that decided nothing', () => html(unreachedOutcome('it did not start'), { folder: 'out' }), {}],
  ['the kill matrix', () => matrixHtml(sample.extras.matrix!), {}],
])('axe finds no fault with %s', async (_, make, options) => {
  const { page } = await openText(make(), options);
  await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>('axe.run()');
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  await page.context().close();
});

test('without scripts everything is there, the filter aside', async () => {
  const { page } = await open(sample.outcome, sample.extras, { javaScriptEnabled: false, colorScheme: 'dark' });
  expect(await page.locator('.clause').count()).toBe(sample.outcome.clauses.length);
  expect(await page.locator('.tools').isVisible()).toBe(false);
  await page.context().close();
});

test('nothing that a target says runs, loads or asks', async () => {
  const words = NASTY.filter((word) => word.length < 5000);
  const all = words.join(' ');
  const clauses = words.map((word) =>
    sampleClause(word, 'fail', {
      section: word,
      area: word,
      text: word,
      expected: word,
      found: word,
      case: casePath(word),
      recording: recordingPath(word),
      facts: [1],
    }),
  );
  const recordings = Object.fromEntries(
    words.map((word) => {
      const facts = factsOf([
        { fact: 'sent', frame: { seq_id: 1, action: word, data: { [word]: word } } },
        {
          fact: 'received',
          frame: { seq_id: 1, code: 1, message: word, data: { error: { code: word } }, chunk_status: 'end' },
        },
        { fact: 'noise', text: word, bytes: 1 },
      ]);
      return [recordingPath(word), { head: SAMPLE_HEAD, facts }];
    }),
  );
  const outcome = sampleOutcome(clauses, {
    target: { kind: all, name: all, version: all, declared: { [all]: all }, traits: words },
    notes: words.map((word) => ({ kind: word, text: word })),
    unjudged: words.map((word) => ({ id: word, reason: word })),
    reason: all,
  });
  const timeline = words.map((word, sequence) => ({ sequence, type: word, lane: word, breaks: [word] }));
  const evil: [Outcome, Extras][] = [
    ...words
      .filter((word) => word.includes('pwned'))
      .map((word): [Outcome, Extras] => [
        sampleOutcome([], { target: { ...outcome.target, name: word }, revision: word }),
        {},
      ]),
    [outcome, { recordings, targetWords: words, folder: all, timeline }],
    ...fc.sample(anyOutcome(nastyWords), { numRuns: 4, seed: 11 }).map((any): [Outcome, Extras] => [any, {}]),
  ];
  for (const [one, extras] of evil) {
    const { page, trouble } = await open(one, extras);
    await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
    expect(await page.evaluate('window.__pwned')).toBeUndefined();
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('.clause').count()).toBe(one.clauses.length);
    expect(trouble).toEqual([]);
    await page.context().close();
  }
});

test('200 clauses and 50 failures open at once', async () => {
  const facts = sampleStream();
  const clauses = Array.from({ length: 200 }, (_, at) => {
    const id = `v1/${(at % 20) + 1}/clause-${at}`;
    return at % 4 === 0
      ? sampleClause(id, 'fail', { case: casePath(id), recording: recordingPath(id), facts: [8] })
      : sampleClause(id, 'pass');
  });
  const recordings = Object.fromEntries(
    clauses.flatMap(({ recording }) => (recording === undefined ? [] : [[recording, { head: SAMPLE_HEAD, facts }]])),
  );
  const began = performance.now();
  const { page, trouble } = await open(sampleOutcome(clauses), { recordings });
  await page.locator('#search').fill('clause-17');
  expect(await page.locator('.clause:visible').count()).toBe(11);
  expect(performance.now() - began).toBeLessThan(5000);
  expect(trouble).toEqual([]);
  await shoot(page, 'large');
  await page.context().close();
});
