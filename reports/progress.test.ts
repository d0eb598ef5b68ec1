import { expect, test } from 'vitest';
import { hasColor, isLive, longRun, type ProgressEvent, progressOn } from './progress.ts';

const screen = (isTTY: boolean) => {
  const written: string[] = [];
  return { written, stream: { isTTY, columns: 80, write: (text: string) => written.push(text) } };
};
const at = (area: string, done: number, more: Partial<ProgressEvent> = {}): ProgressEvent => ({
  area,
  done,
  total: 40,
  failures: 0,
  elapsedMs: done * 100,
  ...more,
});

test('on a terminal one line is drawn again and again, and taken away at the end', () => {
  const { written, stream } = screen(true);
  const progress = progressOn(stream, { NO_COLOR: '1' });
  for (let done = 1; done <= 40; done++) progress.update(at('results', done, { failures: done > 20 ? 2 : 0 }));
  progress.done();
  expect(written.every((text) => text.startsWith('\r\u001b[2K') && !text.includes('\n'))).toBe(true);
  expect(written[29]).toContain('30/40 · results · 2 failing · 3 s, about 1 s left');
  expect(written.at(-1)).toBe('\r\u001b[2K');
});

test('it is not drawn more often than one can read', () => {
  const { written, stream } = screen(true);
  const progress = progressOn(stream, {});
  for (let ms = 0; ms < 1000; ms++) progress.update(at('results', 1, { elapsedMs: ms }));
  expect(written.length).toBeLessThanOrEqual(13);
});

test('on a pipe every tenth is a plain line, and every smallest case that is looked for', () => {
  const { written, stream } = screen(false);
  const progress = progressOn(stream, {});
  for (let done = 1; done <= 40; done++) progress.update(at('results', done, { failures: done > 20 ? 1 : 0 }));
  progress.update(at('v1/7/x', 0, { phase: 'shrink', total: 2, failures: 2, elapsedMs: 75_000 }));
  progress.done();
  progress.done();
  expect(written).toHaveLength(11);
  expect(written.slice(4, 6)).toEqual([
    '20/40 cases, 0 clauses failing, 2 s, about 2 s left\n',
    '24/40 cases, 1 clause failing, 2 s, about 2 s left\n',
  ]);
  expect(written.at(-1)).toBe('looking for smallest cases, v1/7/x, 1 of 2, 1 min 15 s\n');
});

test('the limit of the run is what is left when it comes first', () => {
  const { written, stream } = screen(true);
  progressOn(stream, { NO_COLOR: '1' }).update(at('results', 20, { leftMs: 300 }));
  expect(written[0]).toContain('about 0 s left');
});

test.each([
  [true, {}, true, true],
  [true, { NO_COLOR: '1' }, true, false],
  [true, { NO_COLOR: '' }, true, true],
  [true, { CI: 'true' }, false, false],
  [true, { CI: 'false' }, true, true],
  [true, { TERM: 'dumb' }, false, false],
  [false, {}, false, false],
  [false, { FORCE_COLOR: '1' }, false, true],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false, false],
])('isTTY %s with %j', (isTTY, env, live, color) => {
  const { stream } = screen(isTTY);
  expect([isLive(stream, env), hasColor(stream, env)]).toEqual([live, color]);
});

test('a run that will take long says so, once it can tell, and what would shorten it', () => {
  const slow = (done: number, more: Partial<ProgressEvent> = {}): ProgressEvent =>
    at('results', done, { total: 2620, elapsedMs: done * 5000, ...more });
  expect(longRun(slow(29))).toBeUndefined();
  expect(longRun(slow(30))).toContain('about 3 h 35 min are left');
  expect(longRun(slow(30, { leftMs: 60_000 }))).toBeUndefined();
  expect(longRun(at('results', 30, { total: 2620 }))).toBeUndefined();
});
