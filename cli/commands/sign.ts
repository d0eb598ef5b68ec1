// `runcert sign`: a certificate for a report folder, or a new pair of keys.
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { RuncertError } from '../../common/error.ts';
import { again } from '../options.ts';

interface SignFlags {
  readonly newKey?: string | true;
  readonly key?: string;
  readonly subject?: readonly string[];
  readonly expires?: string;
  readonly out?: string;
  readonly json?: boolean;
}

export default function sign(command: Command): void {
  command
    .argument('[report]', 'the report folder of the run', 'runcert-report')
    .option('--new-key [path]', 'make a pair of keys: PATH (secret) and PATH.pub (default: runcert-key)')
    .option('--key <file|env:NAME>', 'the private key, from a file or an environment variable; never the key itself')
    .option('--subject <path>', 'what was certified: a file or a folder; repeatable', again)
    .option('--expires <day>', 'the last day of validity, YYYY-MM-DD (default: a year from now)')
    .option('--out <file>', 'the certificate (default: certificate.dsse.json in the report folder)')
    .option('--json', 'print what was done as JSON and nothing else')
    .addHelpText(
      'after',
      `
Examples:
  $ runcert sign --new-key ~/.config/runcert-key
  $ runcert sign runcert-report --key ~/.config/runcert-key --subject dist/my-plugin.zip
  $ runcert sign runcert-report --key env:RUNCERT_KEY --subject my-plugin/`,
    )
    .action(async (report: string, flags: SignFlags) => {
      if (flags.newKey !== undefined)
        return makeKeys(flags.newKey === true ? 'runcert-key' : flags.newKey, flags.json ?? false);
      if (flags.key === undefined)
        throw new RuncertError('RUNCERT_KEY', 'Signing needs a key.', {
          remedy: 'Give it with --key FILE or --key env:NAME; --new-key makes one.',
        });
      const { readPrivateKey } = await import('../../reports/certificate/keys.ts');
      const { signReport } = await import('../../reports/certificate/sign.ts');
      await warnOfOpenKey(flags.key);
      const key = await readPrivateKey(flags.key, process.env);
      const today = new Date().toISOString().slice(0, 10);
      const { path, keyId, statement } = await signReport(report, {
        key,
        today,
        subjects: flags.subject ?? [],
        ...(flags.expires === undefined ? {} : { expires: flags.expires }),
        ...(flags.out === undefined ? {} : { out: flags.out }),
      });
      const { result, runcert } = statement.predicate;
      if (flags.json)
        return void process.stdout.write(`${JSON.stringify({ certificate: path, keyId, statement }, null, 2)}\n`);
      process.stdout.write(`${path}\n`);
      process.stderr.write(
        `${result}: ${runcert.party} ${runcert.target.name}, ${runcert.protocol} ${runcert.revision}, valid to ${runcert.expires}, signed by ${keyId}\n`,
      );
    });
}

async function makeKeys(path: string, json: boolean): Promise<void> {
  const { newKeyPair } = await import('../../reports/certificate/keys.ts');
  const { writeWhole } = await import('../../reports/folder.ts');
  const files = { privateKey: path, publicKey: `${path}.pub` };
  for (const file of Object.values(files)) {
    if (existsSync(file))
      throw new RuncertError('RUNCERT_KEY', 'There is a file of this name already, and keys are not written over.', {
        place: file,
        remedy: 'Name another with --new-key PATH.',
      });
  }
  const pair = newKeyPair();
  await writeWhole(files.privateKey, pair.privateKey, 0o600);
  await writeWhole(files.publicKey, pair.publicKey);
  if (json) return void process.stdout.write(`${JSON.stringify({ ...files, keyId: pair.keyId }, null, 2)}\n`);
  process.stdout.write(
    `${files.privateKey}  keep it secret\n${files.publicKey}  give it to whoever shall verify (${pair.keyId})\n`,
  );
}

async function warnOfOpenKey(source: string): Promise<void> {
  if (source.startsWith('env:') || process.platform === 'win32') return;
  const found = await stat(source).catch(() => undefined);
  if (found !== undefined && (found.mode & 0o077) !== 0)
    process.stderr.write(`runcert: others on this machine can read ${source}; \`chmod 600\` would keep them out.\n`);
}
