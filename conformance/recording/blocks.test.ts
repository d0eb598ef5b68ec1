import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Block, blocksOf, casesIn } from './blocks.ts';
import type { Fact, RecordingHead } from './fact.ts';

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

const line = (value: object): string => `${JSON.stringify({ n: 0, at: 0, ...value })}\n`;
const begin = (id: string): string => line({ fact: 'case', id, area: 'a', epoch: 0, stimulus: null });
const sent = (frame: object): string => line({ fact: 'sent', frame });
const large = sent({ data: 'ä'.repeat(200_000) });
const long = `{"n":0,"at":0,"fact":"noise","bytes":0,"text":"${'x'.repeat(30)}"}\n`;

async function read(text: string | Buffer, name = 'r.ndjson'): Promise<{ blocks: Block[]; cases: Fact[][] }> {
  const path = join(folder, name);
  await writeFile(path, text);
  const blocks: Block[] = [];
  const cases: Fact[][] = [];
  for await (const block of blocksOf(path)) {
    blocks.push(block);
    for (const facts of casesIn(block)) cases.push([...facts]);
  }
  return { blocks, cases };
}

describe('blocks of a recording', () => {
  it('hold whole cases, however large, and all of them in order', async () => {
    const texts = Array.from({ length: 12 }, (_, at) => begin(`c${at}`) + large.repeat(at % 5));
    const { blocks, cases } = await read(line(head) + texts.join(''));
    expect(blocks.length).toBeGreaterThan(3);
    expect(cases.map((facts) => [(facts[0] as { id?: string }).id, facts.length])).toEqual(
      texts.map((_, at) => [`c${at}`, 1 + (at % 5)]),
    );
  });

  it('are cut by facts, not by words: a frame may speak of cases', async () => {
    const talk = sent({ fact: 'case', data: { fact: 'case', text: '"fact":"case"' } });
    const { blocks, cases } = await read(line(head) + begin('one') + (large + talk).repeat(9) + begin('two'));
    expect(cases.map((facts) => facts.length)).toEqual([19, 1]);
    expect(blocks.length).toBe(2);
  });

  it('count lines as the file has them, blank ones too', async () => {
    const text = `${line(head)}\n \n${begin('one')}${large.repeat(4)}\r\n${begin('two')}\n{"n": 1,\n`;
    await expect(read(text)).rejects.toMatchObject({ place: expect.stringMatching(/r\.ndjson:12$/) });
  });

  it('tell a case that never ends by the line at which it is too long, without holding more of it', async () => {
    const text = line(head) + begin('one') + long.repeat(250_000);
    await expect(read(text)).rejects.toMatchObject({
      code: 'RUNCERT_RECORDING_CASE_TOO_LONG',
      place: expect.stringMatching(/r\.ndjson:200002$/),
    });
  });

  it('tell what is wrong before the place where the file is torn, and then that', async () => {
    const torn = (text: string): Buffer => gzipSync(Buffer.from(text)).subarray(0, -30);
    const sound = line(head) + begin('one') + long.repeat(60_000);
    await expect(read(torn(sound), 't.ndjson.gz')).rejects.toMatchObject({ code: 'RUNCERT_RECORDING_UNREADABLE' });
    const broken = `${line(head)}${begin('one')}{"n": 1,\n${long.repeat(60_000)}`;
    await expect(read(torn(broken), 't.ndjson.gz')).rejects.toMatchObject({
      code: 'RUNCERT_RECORDING_NOT_JSON',
      place: expect.stringMatching(/:3$/),
    });
  });
});
