// `runcert judge` on threads: the same bytes as on one, for what is sound and for what is not.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drive } from '../conformance/driving/drive.ts';
import { judgeRecording } from '../conformance/judging/recorded.ts';
import type { RecordingHead } from '../conformance/recording/fact.ts';
import { suiteFor } from '../conformance/suites.ts';
import { builtCli } from './testing/built.ts';

const cli = await builtCli();
const TIME = 300_000;
/** Cases of more characters are left out: many small ones say as much. */
const LARGE = 50_000;
let folder = '';
/** A recording of a runner that breaks a clause, in a case that is not the first; several blocks long. */
let text = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runcert-'));
  const suite = await suiteFor('runner');
  let head: RecordingHead | undefined;
  const played = { sound: '', broken: '' };
  const play = async (what: keyof typeof played, target: ReturnType<typeof suite.reference>): Promise<void> => {
    await drive(
      suite,
      target,
      { seed: 1, runs: 4, version: 'test', shrinkPlays: 0 },
      {
        head: (one) => {
          head ??= one;
        },
        case: (facts) => {
          const lines = facts.map((fact) => `${JSON.stringify(fact)}\n`).join('');
          if (lines.length < LARGE) played[what] += lines;
        },
      },
    );
  };
  await play('sound', suite.reference());
  await play('broken', suite.mutants[0]!.target());
  const times = Math.ceil((3 << 19) / played.sound.length);
  text = `${JSON.stringify(head)}\n${played.sound.repeat(times)}${played.broken}${played.sound.repeat(times)}`;
}, TIME);
afterAll(() => rm(folder, { recursive: true }));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function judge(path: string, threads: number): Promise<Ended> {
  const child = spawn(process.execPath, [cli, 'judge', path, '--json', '--threads', String(threads)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (some) => (stdout += some));
  child.stderr.on('data', (some) => (stderr += some));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

async function saved(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe('judging on threads', () => {
  it(
    'gives the outcome of one thread, byte by byte, packed or not',
    async () => {
      const path = await saved('r.ndjson', text);
      const one = await judge(path, 1);
      expect(one.code).toBe(1);
      const { version, ...inside } = await judgeRecording(path, suiteFor, { version: '' });
      expect(JSON.parse(one.stdout)).toMatchObject({ ...inside, runcert: expect.any(String), version });
      expect(await judge(path, 3)).toEqual(one);
      expect(await judge(await saved('r.ndjson.gz', gzipSync(text)), 2)).toEqual(one);
    },
    TIME,
  );

  const middle = (): number => text.indexOf('\n', text.length / 2) + 1;
  it.each<readonly [string, string, () => string | Buffer, string]>([
    [
      'a broken line in the middle',
      'b.ndjson',
      () => `${text.slice(0, middle())}{"n":\n${text.slice(middle())}`,
      'NOT_JSON',
    ],
    ['a torn end', 'e.ndjson', () => text.slice(0, -40), 'NOT_JSON'],
    ['a packed file that is torn', 'e.ndjson.gz', () => gzipSync(text).subarray(0, -40), 'UNREADABLE'],
    ['another version', 'v.ndjson', () => text.replace('"version":1', '"version":2'), 'INVALID'],
    ['a fact of an unknown kind', 'k.ndjson', () => `${text}{"n":0,"at":0,"fact":"dreamt"}\n${text}`, 'INVALID'],
    [
      'a case that never ends',
      'n.ndjson',
      () => text + '{"n":0,"at":0,"fact":"noise","text":"","bytes":0}\n'.repeat(200_100),
      'TOO_LONG',
    ],
  ])(
    '%s is told in the same words, with the same line',
    async (_, name, content, code) => {
      const path = await saved(name, content());
      const one = await judge(path, 1);
      expect(one).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining(code) });
      if (code !== 'UNREADABLE') expect(one.stderr).toMatch(new RegExp(`${name.replace('.', '\\.')}:\\d+: `));
      expect(await judge(path, 3)).toEqual(one);
    },
    TIME,
  );

  it(
    'ends at once on Ctrl-C, and leaves nothing behind',
    async () => {
      const path = await saved('c.ndjson', text + text.slice(text.indexOf('\n') + 1).repeat(4));
      const before = await readdir(folder);
      const child = spawn(process.execPath, [cli, 'judge', path, '--json', '--threads', '2'], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      child.stdout.on('data', (some) => (said += some));
      setTimeout(() => child.kill('SIGINT'), 500);
      const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
      expect({ code, signal, said }).toEqual({ code: null, signal: 'SIGINT', said: '' });
      expect(await readdir(folder)).toEqual(before);
    },
    TIME,
  );
});
