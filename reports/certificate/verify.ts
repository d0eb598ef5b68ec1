// Checking a certificate: every part that can be checked is, and what could not be checked is said.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { checkDocument } from '../../common/document.ts';
import { RuncertError } from '../../common/error.ts';
import { canonical, sameJson } from '../../common/json.ts';
import type { Outcome } from '../../conformance/judging/outcome.ts';
import { OUTCOME_FILE, readOutcome } from '../folder.ts';
import { plural } from '../view.ts';
import { evidenceOf, type Resource, subjectOf } from './digest.ts';
import { type Opened, openEnvelope, signedBy } from './envelope.ts';
import { keyIdOf } from './keys.ts';
import { requirementsOf, Statement, statementOf } from './statement.ts';

export interface Check {
  readonly name:
    | 'form'
    | 'signature'
    | 'signer'
    | 'verdict'
    | 'expiry'
    | 'requirements'
    | 'report'
    | 'subject'
    | 'rerun';
  /** `skipped`: nothing to check it with was given. */
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly detail: string;
}

export interface Verification {
  /** `verified`: signed by a trusted key, nothing failed. `unproven`: nothing failed, and no key says who signed. */
  readonly status: 'verified' | 'unproven' | 'refused';
  readonly checks: readonly Check[];
  readonly statement?: Statement;
}

export interface VerifyOptions {
  /** The day to check the expiry on, as YYYY-MM-DD in UTC. */
  readonly today: string;
  /** Keys that are trusted, from elsewhere than the certificate. */
  readonly keys?: readonly KeyObject[];
  readonly report?: string;
  readonly subjects?: readonly string[];
  /** Drives the target again as the certificate says, and gives what came out. */
  readonly rerun?: (statement: Statement) => Promise<Outcome>;
}

export async function verifyCertificate(bytes: Uint8Array, options: VerifyOptions): Promise<Verification> {
  const opened = attempt('form', () => openEnvelope(bytes));
  if ('result' in opened) return { status: 'refused', checks: [opened] };
  const read = attempt('form', () => readStatement(opened));
  if ('result' in read) return { status: 'refused', checks: [read] };
  const statement = read;
  const checks: Check[] = [
    passed('form', 'an in-toto test result in a DSSE envelope, unchanged in form'),
    checkSignature(opened, statement),
    checkSigner(opened, options.keys ?? []),
    checkVerdict(statement),
    checkExpiry(statement, options.today),
    checkRequirements(statement),
    await checkReport(statement, options.report),
    await checkSubjects(statement, options.subjects ?? []),
    await checkRerun(statement, options.rerun),
  ];
  const failed = checks.some(({ result }) => result === 'failed');
  const signer = checks.find(({ name }) => name === 'signer');
  return { status: failed ? 'refused' : signer?.result === 'passed' ? 'verified' : 'unproven', checks, statement };
}

/** The body must be the one canonical text of its statement: no second reading, no duplicate member. */
function readStatement({ body }: Opened): Statement {
  const words = { what: 'certificate', code: 'RUNCERT_CERTIFICATE', place: 'statement' } as const;
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new RuncertError('RUNCERT_CERTIFICATE', 'The statement is not JSON.', { cause });
  }
  const statement = checkDocument(Statement, parsed, words);
  if (!Buffer.from(canonical(statement)).equals(body))
    throw new RuncertError('RUNCERT_CERTIFICATE', 'The statement is not in canonical form.');
  return statement;
}

function checkSignature(opened: Opened, { predicate }: Statement): Check {
  try {
    const named = createPublicKey({
      key: Buffer.from(predicate.runcert.publicKey, 'base64'),
      format: 'der',
      type: 'spki',
    });
    if (named.asymmetricKeyType === 'ed25519' && signedBy(opened, named))
      return passed('signature', `by key ${keyIdOf(named)}`);
  } catch {
    // A key that cannot be read made no signature.
  }
  return failed('signature', 'the signature does not fit what is signed');
}

function checkSigner(opened: Opened, keys: readonly KeyObject[]): Check {
  if (keys.length === 0) return skipped('signer', 'no trusted key was given, so nobody knows who signed (--key)');
  const signer = keys.find((key) => signedBy(opened, key));
  return signer === undefined
    ? failed('signer', 'none of the trusted keys signed this')
    : passed('signer', `trusted key ${keyIdOf(signer)}`);
}

function checkVerdict({ predicate }: Statement): Check {
  const { verdict, party, target } = predicate.runcert;
  const who = `${party} ${target.name}${target.version === undefined ? '' : ` ${target.version}`}`;
  const counts = `${plural(predicate.passedTests.length, 'clause')} passed, ${predicate.warnedTests.length} warned, ${predicate.failedTests.length} failed`;
  const fits = verdict === 'conformant' && predicate.result !== 'FAILED' && predicate.failedTests.length === 0;
  return fits
    ? passed('verdict', `${who} is conformant: ${counts}`)
    : failed('verdict', `${who} is ${verdict.replace('-', ' ')}: ${counts}`);
}

function checkExpiry({ predicate }: Statement, today: string): Check {
  const { issued, expires } = predicate.runcert;
  if (today > expires) return failed('expiry', `it expired on ${expires}`);
  if (today < issued) return failed('expiry', `it was issued on ${issued}, which is not yet`);
  return passed('expiry', `valid from ${issued} to ${expires}`);
}

function checkRequirements({ predicate }: Statement): Check {
  const { protocol, revision } = predicate.runcert;
  const ours = requirementsOf(predicate.runcert);
  if (ours.annotations?.['clauses'] === 0)
    return failed('requirements', `this version of Runcert does not know ${protocol} ${revision}`);
  return predicate.configuration.length === 1 && sameJson(predicate.configuration[0], ours)
    ? passed('requirements', `the requirement set of ${protocol} ${revision}`)
    : failed('requirements', `the requirement set of ${protocol} ${revision} is another one here`);
}

/** Digests of all evidence, and that the statement says what the outcome says. */
async function checkReport(statement: Statement, dir: string | undefined): Promise<Check> {
  if (dir === undefined) return skipped('report', 'the evidence was not compared (--report)');
  return guarded('report', async () => {
    const { runcert } = statement.predicate;
    const here = await evidenceOf(dir);
    const wrong = differing(runcert.evidence, here);
    if (wrong !== undefined) return failed('report', wrong);
    const outcome = await readOutcome(join(dir, OUTCOME_FILE));
    const again = statementOf({
      outcome,
      subjects: statement.subject,
      evidence: here,
      issued: runcert.issued,
      expires: runcert.expires,
      publicKey: runcert.publicKey,
    });
    return sameJson({ ...again.predicate, configuration: [] }, { ...statement.predicate, configuration: [] })
      ? passed('report', `${plural(here.length, 'file')} of evidence as signed`)
      : failed('report', 'the certificate says other than the outcome it covers');
  });
}

function differing(signed: readonly Resource[], here: readonly Resource[]): string | undefined {
  const found = new Map(here.map(({ name, digest }) => [name, digest]));
  for (const { name, digest } of signed) {
    const mine = found.get(name);
    if (mine === undefined) return `${name} is missing`;
    if (!sameJson(mine, digest)) return `${name} was changed`;
    found.delete(name);
  }
  const [extra] = found.keys();
  return extra === undefined ? undefined : `${extra} is not covered by the certificate`;
}

async function checkSubjects({ subject }: Statement, paths: readonly string[]): Promise<Check> {
  if (paths.length === 0) return skipped('subject', `${plural(subject.length, 'subject')} not compared (--subject)`);
  return guarded('subject', async () => {
    for (const path of paths) {
      const { digest } = await subjectOf(path);
      if (!subject.some((signed) => sameJson(signed.digest, digest)))
        return failed('subject', `${path} is not what was certified`);
    }
    return passed('subject', `${paths.join(', ')} as certified`);
  });
}

async function checkRerun(statement: Statement, rerun: VerifyOptions['rerun']): Promise<Check> {
  if (rerun === undefined) return skipped('rerun', 'the target was not driven again (--rerun)');
  return guarded('rerun', async () => {
    const outcome = await rerun(statement);
    const { predicate } = statement;
    const again = statementOf({
      outcome,
      subjects: statement.subject,
      evidence: predicate.runcert.evidence,
      issued: '',
      expires: '',
      publicKey: '',
    }).predicate;
    const parts = ['passedTests', 'warnedTests', 'failedTests'] as const;
    const part = parts.find((name) => !sameJson(again[name], predicate[name]));
    if (part !== undefined) {
      const moved =
        again[part].find((id) => !predicate[part].includes(id)) ??
        predicate[part].find((id) => !again[part].includes(id));
      return failed(
        'rerun',
        `driven again with seed ${predicate.runcert.seed}, ${moved ?? 'a clause'} came out otherwise (${part})`,
      );
    }
    if (
      !sameJson(again.runcert.notApplicable, predicate.runcert.notApplicable) ||
      again.runcert.verdict !== predicate.runcert.verdict
    )
      return failed('rerun', `driven again, the verdict is ${outcome.verdict}, or other clauses apply`);
    return passed('rerun', `driven again with seed ${predicate.runcert.seed}: the same verdict on every clause`);
  });
}

const passed = (name: Check['name'], detail: string): Check => ({ name, result: 'passed', detail });
const failed = (name: Check['name'], detail: string): Check => ({ name, result: 'failed', detail });
const skipped = (name: Check['name'], detail: string): Check => ({ name, result: 'skipped', detail });

function attempt<T>(name: Check['name'], work: () => T): T | Check {
  try {
    return work();
  } catch (error) {
    if (error instanceof RuncertError) return failed(name, error.message);
    throw error;
  }
}

/** What cannot be read was not verified. */
async function guarded(name: Check['name'], work: () => Promise<Check>): Promise<Check> {
  try {
    return await work();
  } catch (error) {
    return failed(name, error instanceof Error ? error.message : String(error));
  }
}
