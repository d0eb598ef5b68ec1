// The runner against a simulated service (msw), certified as any other: no port is opened, and no service is needed.
import { delay, HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { drive } from '../../conformance/driving/drive.ts';
import { suiteFor } from '../../conformance/suites.ts';
import { moduleRunner } from '../../conformance/targets/module-runner.ts';
import { httpRunner } from './runner.ts';

const service = setupServer();
beforeAll(() => service.listen({ onUnhandledRequest: 'error' }));
afterEach(() => service.resetHandlers());
afterAll(() => service.close());

const certify = async () => {
  const target = moduleRunner(httpRunner({ baseUrl: 'http://service.invalid', timeout: 300 }));
  const { outcome } = await drive(await suiteFor('runner'), target, {
    seed: 1,
    version: 'test',
    grace: 400,
    runs: 16,
    // Each case waits for the service or for its deadline, so many can wait at once.
    parallel: 12,
    shrinkPlays: 0,
  });
  return outcome;
};
const failures = (outcome: Awaited<ReturnType<typeof certify>>) =>
  outcome.clauses
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ id, expected, found }) => ({ id, expected, found }));

describe('the HTTP runner', () => {
  it('is conformant while the service answers', async () => {
    const seen: unknown[] = [];
    service.use(
      http.post('http://service.invalid/chat', async ({ request }) => {
        const { text, conversation } = (await request.json()) as { text: string; conversation: string | null };
        seen.push(conversation);
        return HttpResponse.json({ text: `You said: ${text}`, conversation: conversation ?? 'c-1' });
      }),
    );
    const outcome = await certify();
    expect(failures(outcome)).toEqual([]);
    expect(outcome.verdict).toBe('conformant');
    expect(seen.length).toBeGreaterThan(50);
  }, 120_000);

  it('breaks no clause when the service fails, answers nonsense or not at all', async () => {
    let calls = 0;
    service.use(
      http.post('http://service.invalid/chat', async () => {
        calls++;
        if (calls % 4 === 0) return HttpResponse.error();
        if (calls % 4 === 1) return new HttpResponse(null, { status: 503 });
        if (calls % 4 === 2) return HttpResponse.text('<html>');
        await delay('infinite');
        return HttpResponse.json({});
      }),
    );
    const outcome = await certify();
    expect(failures(outcome)).toEqual([]);
    expect(outcome.verdict).not.toBe('not-conformant');
  }, 120_000);
});
