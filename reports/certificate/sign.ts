// Issuing a certificate for a report folder.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { join, relative, resolve } from 'node:path';
import { RuncertError } from '../../common/error.ts';
import { canonical } from '../../common/json.ts';
import { isDay } from '../../conformance/judging/baseline.ts';
import type { Outcome } from '../../conformance/judging/outcome.ts';
import { OUTCOME_FILE, readOutcome, writeWhole } from '../folder.ts';
import { evidenceOf, subjectOf } from './digest.ts';
import { envelopeText, seal } from './envelope.ts';
import { keyIdOf } from './keys.ts';
import { refuseUnfit, type Statement, statementOf } from './statement.ts';

export const CERTIFICATE_FILE = 'certificate.dsse.json';
const VALID_DAYS = 365;

export interface SignOptions {
  readonly key: KeyObject;
  /** What was certified: files or folders. */
  readonly subjects: readonly string[];
  /** The day of issue and the last day of validity, as YYYY-MM-DD in UTC. */
  readonly today: string;
  readonly expires?: string;
  /** Where the certificate goes; into the report folder unless told otherwise. */
  readonly out?: string;
}

export interface Signed {
  readonly path: string;
  readonly keyId: string;
  readonly statement: Statement;
  readonly outcome: Outcome;
}

/** Signs the outcome and evidence in `dir`, and writes the certificate. */
export async function signReport(dir: string, options: SignOptions): Promise<Signed> {
  const path = options.out ?? join(dir, CERTIFICATE_FILE);
  const expires = options.expires ?? dayAfter(options.today, VALID_DAYS);
  if (!isDay(expires) || expires < options.today) {
    throw new RuncertError('RUNCERT_EXPIRY', `${JSON.stringify(expires)} is no day from today on.`, {
      remedy: 'Give it as YYYY-MM-DD.',
    });
  }
  if (options.subjects.length === 0) {
    throw new RuncertError('RUNCERT_SUBJECT', 'A certificate must say what it is about.', {
      remedy: 'Name the package, folder or file that was certified with --subject.',
    });
  }
  for (const subject of options.subjects) refuseInside(path, subject);
  const outcome = await readOutcome(join(dir, OUTCOME_FILE));
  refuseUnfit(outcome);
  const publicKey = createPublicKey(options.key);
  const statement = statementOf({
    outcome,
    subjects: await Promise.all(options.subjects.map(subjectOf)),
    evidence: await evidenceOf(dir),
    issued: options.today,
    expires,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  });
  await writeWhole(path, envelopeText(seal(canonical(statement), options.key)));
  return { path, keyId: keyIdOf(publicKey), statement, outcome };
}

/** A certificate inside the folder it covers would change that folder. */
function refuseInside(path: string, subject: string): void {
  const way = relative(resolve(subject), resolve(path));
  if (way === '' || !(way.startsWith('..') || resolve(way) === way)) {
    throw new RuncertError('RUNCERT_SUBJECT', 'The certificate would lie inside the subject that it covers.', {
      place: subject,
      remedy: 'Name another place with --out, or certify the built package.',
    });
  }
}

export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
