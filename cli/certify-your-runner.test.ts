// docs/certify-your-runner.md, played as a reader would: its files are written to a folder, its commands are called there in order.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from './spec-root.ts';
import { builtPackage } from './testing/built.ts';

const root = packageRoot();
const page = readFileSync(join(root, 'docs/certify-your-runner.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'runcert-runner-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The package as it is installed. */
const built = await builtPackage();
const installed = join(folder, 'node_modules/runcert');
mkdirSync(installed, { recursive: true });
writeFileSync(join(installed, 'package.json'), JSON.stringify({ name: 'runcert', type: 'module', main: 'index.js' }));
writeFileSync(join(installed, 'index.js'), `export * from ${JSON.stringify(join(built, 'index.js'))};\n`);
mkdirSync(join(folder, 'bin'));
writeFileSync(
  join(folder, 'bin/npx'),
  `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(built, 'main.js')}' "$@"\n`,
);
chmodSync(join(folder, 'bin/npx'), 0o755);
symlinkSync(process.execPath, join(folder, 'bin/node'));
// The corners of every area and some more are enough to show what the page says; the default budget only takes longer.
writeFileSync(join(folder, 'runcert.config.json'), JSON.stringify({ runs: 40 }));

const blocks = [...page.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', name = '', text = '']) => ({
    language,
    name,
    text,
  }),
);

describe('docs/certify-your-runner.md', () => {
  let said = '';
  for (const { language, name, text } of blocks) {
    if (language === 'js') it(`gives ${name}`, () => writeFileSync(join(folder, name), text));
    else if (language === 'text') it('shows what the command before it said', () => expect(said).toContain(text));
    else
      it(text.trim(), { timeout: 120_000 }, () => {
        const { status, stdout, stderr } = spawnSync('bash', ['-c', text], {
          cwd: folder,
          encoding: 'utf8',
          env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, CI: 'true', NO_COLOR: '1' },
        });
        said = stdout + stderr;
        expect(`exit=${status}`, said).toBe(name);
      });
  }

  it('leaves the smallest context that shows the break: an input that is empty', () => {
    const file = join(folder, 'runcert-report/cases/v1_5.6_any-input-tolerated.json');
    const { stimulus, minimal } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly minimal: boolean;
      readonly stimulus: { readonly runs: readonly { readonly context: { readonly input: unknown } }[] };
    };
    expect(minimal).toBe(true);
    expect(stimulus.runs.map(({ context }) => context.input)).toEqual([{}]);
  });
});
