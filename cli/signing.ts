// `runcert certify … --sign KEY`: the certificate in the same breath. The key is read before the run, so that a wrong one costs no time.
import type { Command } from 'commander';
import { RuncertError } from '../common/error.ts';
import type { Outcome } from '../conformance/judging/outcome.ts';
import { again } from './options.ts';

export interface SignFlags {
  readonly sign?: string;
  readonly subject?: readonly string[];
}

export const signOptions = (command: Command): Command =>
  command
    .option('--sign <file|env:NAME>', 'write a certificate, signed with this private key')
    .option('--subject <path>', 'what is certified: a file or a folder; repeatable', again);

/** What signs a report folder; undefined where nobody asked for it. */
export async function signerOf({
  sign,
  subject,
}: SignFlags): Promise<((dir: string, outcome: Outcome) => Promise<void>) | undefined> {
  if (sign === undefined) {
    if (subject === undefined) return undefined;
    throw new RuncertError('RUNCERT_USAGE', '--subject says what a certificate is about, and none was asked for.', {
      remedy: 'Add --sign KEY.',
    });
  }
  const { readPrivateKey } = await import('../reports/certificate/keys.ts');
  const { signReport } = await import('../reports/certificate/sign.ts');
  const { subjectOf } = await import('../reports/certificate/digest.ts');
  const key = await readPrivateKey(sign, process.env);
  const subjects = subject ?? [];
  if (subjects.length === 0)
    throw new RuncertError('RUNCERT_SUBJECT', 'A certificate must say what it is about.', {
      remedy: 'Name the package, folder or file with --subject.',
    });
  const before = await Promise.all(subjects.map(subjectOf));
  return async (dir, { verdict }) => {
    if (verdict !== 'conformant')
      return void process.stderr.write(` no certificate: the verdict is ${verdict.replace('-', ' ')}\n`);
    const { path, statement } = await signReport(dir, { key, subjects, today: new Date().toISOString().slice(0, 10) });
    if (JSON.stringify(statement.subject) !== JSON.stringify(before)) {
      throw new RuncertError('RUNCERT_SUBJECT', 'The subject changed while it was being certified.', {
        remedy: 'Certify a build that nothing writes to.',
      });
    }
    process.stderr.write(` certificate  ${path}\n`);
  };
}
