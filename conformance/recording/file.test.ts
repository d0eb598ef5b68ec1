import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact, RecordingHead } from './fact.ts';
import { RecordingWriter, readRecording } from './file.ts';

const head: RecordingHead = {
  recording: 'runcert',
  version: 1,
  protocol: 'p',
  revision: '1',
  party: 'runner',
  grace: 1000,
  clock: 'virtual',
  target: { kind: 'module', name: 'x', declared: {}, traits: [] },
};
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runcert-'));
});
afterAll(() => rm(folder, { recursive: true }));

const read = async (text: string) => {
  const path = join(folder, 'r.ndjson');
  await writeFile(path, text);
  const cases = [];
  for await (const one of readRecording(path)) cases.push(one);
  return cases;
};
const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const fact = (n: number, more: object): Fact => ({ n, at: n, ...more }) as Fact;

describe('recordings on disk', () => {
  it('wait for a slow disk without a warning, however many cases end meanwhile', async () => {
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warned);
    const writer = new RecordingWriter(join(folder, 'slow.ndjson.gz'), head);
    const large = fact(0, { fact: 'noise', text: 'x'.repeat(1 << 20), bytes: 1 << 20 });
    await Promise.all(Array.from({ length: 40 }, () => writer.write([large])));
    await writer.close();
    await new Promise(setImmediate);
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  it('come back as they were written, case by case', async () => {
    const someFact = fc.oneof(
      fc.record({ fact: fc.constant('sent'), frame: fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()) }),
      fc.record({ fact: fc.constant('noise'), text: fc.string({ unit: 'binary' }), bytes: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(someFact, { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
        async (cases) => {
          const written = cases.map((facts, at) =>
            [{ fact: 'case', id: `c${at}`, area: 'a', epoch: 0, stimulus: null }, ...facts].map((one, n) =>
              fact(n, one),
            ),
          );
          const path = join(folder, cases.length % 2 === 0 ? 'w.ndjson' : 'w.ndjson.gz');
          const writer = new RecordingWriter(path, head);
          for (const facts of written) await writer.write(facts);
          await writer.close();
          const back = [];
          for await (const one of readRecording(path)) back.push(one.facts);
          expect(JSON.parse(JSON.stringify(back))).toEqual(JSON.parse(JSON.stringify(written)));
        },
      ),
      { seed: 3, numRuns: 40 },
    );
  });

  it('made elsewhere, without cases, are one case', async () => {
    const cases = await read(
      line(head) + line(fact(0, { fact: 'sent', frame: {} })) + line(fact(1, { fact: 'received', frame: {} })),
    );
    expect(cases.map(({ facts }) => facts.length)).toEqual([2]);
  });

  it.each([
    ['nothing', '', 'empty', ''],
    ['something else', 'hello\n', 'not JSON', ':1'],
    ['no head', line({ n: 0 }), 'no head', ':1'],
    ['a newer version', line({ ...head, version: 9 }), '/version', ':1'],
    ['a broken line in the middle', `${line(head)}{"n": 1,\n`, 'not JSON', ':2'],
    ['an unknown kind of fact', line(head) + line(fact(0, { fact: 'dreamt' })), 'must be one of', ':2'],
    ['a frame that is no object', line(head) + line(fact(0, { fact: 'sent', frame: 3 })), '/frame', ':2'],
  ])('%s is told with its place', async (_, text, words, place) => {
    await expect(read(text)).rejects.toMatchObject({
      message: expect.stringContaining(words),
      place: expect.stringMatching(new RegExp(`r\\.ndjson${place}$`)),
    });
  });
});
