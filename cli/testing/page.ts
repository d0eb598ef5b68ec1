// A page of docs/, played as a reader would: its files are written to a folder, its commands are called there in order.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../spec-root.ts';
import { builtCli } from './built.ts';

/** Blocks: a file (```js NAME, ```json NAME), a command (```sh exit=N), or what the command before it said (```text, line by line). */
export async function playPage(path: string): Promise<{ readonly folder: string; readonly page: string }> {
  const page = readFileSync(join(packageRoot(), path), 'utf8');
  const folder = mkdtempSync(join(tmpdir(), 'runcert-page-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const main = await builtCli();
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${main}' "$@"\n`);
  chmodSync(join(folder, 'bin/npx'), 0o755);
  symlinkSync(process.execPath, join(folder, 'bin/node'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, CI: 'true', NO_COLOR: '1' };

  describe(path, () => {
    let said = '';
    for (const [, language, name = '', text = ''] of page.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)) {
      if (language === 'js' || language === 'json') it(`gives ${name}`, () => writeFileSync(join(folder, name), text));
      else if (language === 'text')
        it('shows what the command before it said', () => {
          for (const line of text.split('\n')) expect(said).toContain(line.trim());
        });
      else
        it(text.trim(), { timeout: 300_000 }, () => {
          const { status, stdout, stderr } = spawnSync('bash', ['-c', text], { cwd: folder, encoding: 'utf8', env });
          said = stdout + stderr;
          expect(`exit=${status}`, said).toBe(name);
        });
    }
  });
  return { folder, page };
}
