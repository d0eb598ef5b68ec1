// `runcert verify`: checks a certificate, and says of each part whether it holds.
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { EXIT, RuncertError } from '../../common/error.ts';
import type { Verification } from '../../reports/certificate/verify.ts';
import { clip, oneLine } from '../../reports/text.ts';
import { targetWords } from '../argv.ts';
import { again, targetOptions } from '../options.ts';

interface VerifyFlags {
  readonly key?: readonly string[];
  readonly report?: string;
  readonly subject?: readonly string[];
  readonly rerun?: boolean;
  readonly at?: string;
  readonly json?: boolean;
}

const EXITS = { verified: EXIT.conformant, refused: EXIT.notConformant, unproven: EXIT.inconclusive } as const;
const MARKS = { passed: '✔', failed: '✘', skipped: '–' } as const;
const HEADLINES = {
  verified: 'Verified: this certificate holds.',
  refused: 'Refused: this certificate does not hold.',
  unproven: 'Unproven: the certificate is whole, but no trusted key was given.',
} as const;

export default function verify(command: Command): void {
  command
    .argument('<certificate>', 'a certificate that `runcert sign` wrote')
    .option('--key <file|env:NAME>', 'a public key that you trust; repeatable', again)
    .option('--report <dir>', 'the report folder, to compare outcome and recordings')
    .option('--subject <path>', 'what you have, to compare with what was certified; repeatable', again)
    .option('--rerun', 'drive the target again with the same seed and compare; name it as for certify')
    .option('--at <day>', 'check the expiry as of this day, YYYY-MM-DD (default: today)')
    .option('--json', 'print the checks as JSON and nothing else');
  targetOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  $ runcert verify certificate.dsse.json --key vendor.pub --subject my-plugin.zip
  $ runcert verify certificate.dsse.json --key vendor.pub --report runcert-report
  $ runcert verify certificate.dsse.json --key vendor.pub --rerun --plugin -- python main.py

Exit: 0 verified · 1 refused · 2 whole, but nobody knows who signed it (no --key)`,
    )
    .action(async (path: string, flags: VerifyFlags) => {
      const { readPublicKey } = await import('../../reports/certificate/keys.ts');
      const { verifyCertificate } = await import('../../reports/certificate/verify.ts');
      const { isDay } = await import('../../conformance/judging/baseline.ts');
      if (flags.at !== undefined && !isDay(flags.at))
        throw new RuncertError('RUNCERT_USAGE', `${JSON.stringify(flags.at)} is no day.`, {
          remedy: 'Give it as YYYY-MM-DD.',
        });
      const bytes = await readFile(path).catch((cause: Error) => {
        throw new RuncertError('RUNCERT_CERTIFICATE', `The certificate cannot be read: ${cause.message}.`, {
          place: path,
          cause,
        });
      });
      const verification = await verifyCertificate(bytes, {
        today: flags.at ?? new Date().toISOString().slice(0, 10),
        keys: await Promise.all((flags.key ?? []).map((source) => readPublicKey(source, process.env))),
        subjects: flags.subject ?? [],
        ...(flags.report === undefined ? {} : { report: flags.report }),
        ...(flags.rerun === true
          ? { rerun: async (statement) => (await import('../rerun.ts')).rerun(statement, targetWords()) }
          : {}),
      });
      process.stdout.write(flags.json ? `${JSON.stringify(verification, null, 2)}\n` : wordsOf(verification));
      process.exitCode = EXITS[verification.status];
    });
}

const wordsOf = ({ status, checks }: Verification): string =>
  `\n ${HEADLINES[status]}\n\n${checks.map(({ name, result, detail }) => ` ${MARKS[result]} ${name.padEnd(13)}${clip(oneLine(detail), 300)}\n`).join('')}\n`;
