// docs/spec-editors.md, run word for word: its files are written to a folder, its commands are called there, and what they print is compared.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { builtCli } from './testing/built.ts';

const main = await builtCli();
const page = readFileSync(new URL('../docs/spec-editors.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'runcert-editors-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Block {
  readonly language: string;
  readonly name: string | undefined;
  readonly text: string;
}

const blocks: Block[] = [...page.matchAll(/^(`{3,})(\w+)(?: (\S+))?\n(.*?)^\1$/gmsu)].map((found) => ({
  language: found[2]!,
  name: found[3],
  text: found[4]!,
}));

function run(line: string): string {
  const both = line.endsWith(' 2>&1');
  const words = line.replace(' 2>&1', '').split(' ').slice(2);
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  return `${both ? stderr : ''}${stdout}${status === 0 ? '' : `[exit ${status}]\n`}`;
}

describe('docs/spec-editors.md', () => {
  const commands = blocks.filter(({ language, text }) => language === 'console' && text.startsWith('$ '));

  it('has examples', () => expect(commands.length).toBeGreaterThan(5));

  for (const { language, name, text } of blocks) {
    if (name !== undefined) it(`gives ${name}`, () => writeFileSync(join(folder, name), text));
    else if (language === 'console' && text.startsWith('$ ')) {
      const [command = '', ...expected] = text.split('\n');
      it(command, { timeout: 60_000 }, () => expect(run(command)).toBe(expected.join('\n')));
    }
  }
});
