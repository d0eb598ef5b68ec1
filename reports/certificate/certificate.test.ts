import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, Verifier } from '@sigstore/verify';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Outcome } from '../../conformance/judging/outcome.ts';
import { requirementSet } from '../../conformance/judging/requirements.ts';
import { sampleClause, sampleOutcome } from '../../conformance/judging/samples.ts';
import { writeReports } from '../folder.ts';
import { SAMPLE_HEAD, sampleStream } from '../samples.ts';
import { folderDigest, subjectOf } from './digest.ts';
import { envelopeText, openEnvelope, preAuthentication, seal, signedBy } from './envelope.ts';
import { newKeyPair, readPrivateKey, readPublicKey } from './keys.ts';
import { signReport } from './sign.ts';
import { type Check, type VerifyOptions, verifyCertificate } from './verify.ts';

const TODAY = '2026-06-10';
const pair = newKeyPair();
const privateKey = createPrivateKey(pair.privateKey);
const publicKey = createPublicKey(pair.publicKey);

const demanded = requirementSet('agent-runner', '2026-06-03')!.clauses.filter(({ party }) => party !== 'host');
const whole = (more: Partial<Outcome> = {}): Outcome =>
  sampleOutcome(
    demanded.map(({ id, level }) => sampleClause(id, 'pass', { level })),
    more,
  );

let dir = '';
let report = '';
let subject = '';
let certificate: Buffer;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'runcert-certificate-'));
  report = join(dir, 'report');
  subject = join(dir, 'plugin');
  await mkdir(join(subject, 'src'), { recursive: true });
  await writeFile(join(subject, 'main.py'), 'print("hi")\n');
  await writeFile(join(subject, 'src', 'b.py'), 'x = 1\n');
  await symlink('../main.py', join(subject, 'src', 'link.py'));
  await writeReports(report, whole(), [], {
    cases: { 'cases/a.json': { a: 1 } },
    recordings: { 'recordings/run.ndjson': { head: SAMPLE_HEAD, facts: sampleStream() } },
  });
  const { path } = await signReport(report, { key: privateKey, subjects: [subject], today: TODAY });
  certificate = await readFile(path);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const everything = (): VerifyOptions => ({ today: TODAY, keys: [publicKey], report, subjects: [subject] });
const resultOf = (checks: readonly Check[], name: Check['name']): string | undefined =>
  checks.find((check) => check.name === name)?.result;

describe('a certificate', () => {
  test('is verified with its key, its evidence and its subject', async () => {
    const { status, checks } = await verifyCertificate(certificate, { ...everything(), rerun: async () => whole() });
    expect(checks.filter(({ result }) => result !== 'passed')).toEqual([]);
    expect(status).toBe('verified');
  });

  test('is an in-toto statement with the test-result predicate', () => {
    const statement = JSON.parse(
      Buffer.from((JSON.parse(certificate.toString()) as { payload: string }).payload, 'base64').toString(),
    );
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
      subject: [{ name: 'plugin', digest: { dirHash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown } }],
      predicate: {
        result: 'PASSED',
        failedTests: [],
        runcert: { seed: 42, verdict: 'conformant', issued: TODAY, expires: '2027-06-10' },
      },
    });
    expect(statement.predicate.runcert.evidence.map(({ name }: { name: string }) => name)).toEqual([
      'cases/a.json',
      'outcome.json',
      'recordings/run.ndjson',
    ]);
  });

  test('without a trusted key is whole, and nobody knows who signed', async () => {
    const { status, checks } = await verifyCertificate(certificate, { today: TODAY });
    expect(status).toBe('unproven');
    expect(checks.filter(({ result }) => result === 'skipped').map(({ name }) => name)).toEqual([
      'signer',
      'report',
      'subject',
      'rerun',
    ]);
  });

  test('by another key is refused', async () => {
    const { status, checks } = await verifyCertificate(certificate, {
      ...everything(),
      keys: [generateKeyPairSync('ed25519').publicKey],
    });
    expect(status).toBe('refused');
    expect(resultOf(checks, 'signer')).toBe('failed');
  });

  test.each([
    ['2027-06-10', 'passed'],
    ['2027-06-11', 'failed'],
    ['2026-06-09', 'failed'],
  ])('on %s: expiry %s', async (today, result) => {
    expect(resultOf((await verifyCertificate(certificate, { today })).checks, 'expiry')).toBe(result);
  });

  test('driven again with another result is refused', async () => {
    const broken = whole();
    const other = {
      ...broken,
      clauses: broken.clauses.map((clause, at) => (at === 3 ? { ...clause, verdict: 'fail' as const } : clause)),
    };
    const { checks } = await verifyCertificate(certificate, { today: TODAY, rerun: async () => other });
    expect(checks.find(({ name }) => name === 'rerun')).toMatchObject({
      result: 'failed',
      detail: expect.stringContaining(broken.clauses[3]!.id) as unknown,
    });
    const dead = await verifyCertificate(certificate, {
      today: TODAY,
      rerun: () => Promise.reject(new Error('the target is gone')),
    });
    expect(resultOf(dead.checks, 'rerun')).toBe('failed');
  });

  test('of a target that failed says so, and verifies as refused', async () => {
    const failing = join(dir, 'failing');
    const outcome = whole();
    await writeReports(
      failing,
      sampleOutcome(outcome.clauses.map((clause, at) => (at === 0 ? sampleClause(clause.id, 'fail') : clause))),
      [],
    );
    const { path, statement } = await signReport(failing, { key: privateKey, subjects: [subject], today: TODAY });
    expect(statement.predicate.result).toBe('FAILED');
    expect(await verifyCertificate(await readFile(path), everything())).toMatchObject({ status: 'refused' });
  });

  test('of excused failures and warnings is WARNED, with the excuses in it', async () => {
    const excused = join(dir, 'excused');
    const clauses = whole().clauses.map((clause, at) =>
      at === 0 ? sampleClause(clause.id, 'fail', { excused: { reason: 'known', expires: '2026-12-31' } }) : clause,
    );
    await writeReports(excused, sampleOutcome(clauses), []);
    const { statement } = await signReport(excused, { key: privateKey, subjects: [subject], today: TODAY });
    expect(statement.predicate).toMatchObject({
      result: 'WARNED',
      runcert: { excused: [{ clause: clauses[0]!.id, reason: 'known', expires: '2026-12-31' }] },
    });
  });
});

describe('every single-bit change is noticed', () => {
  const flipped = (bytes: Uint8Array, bit: number): Buffer => {
    const copy = Buffer.from(bytes);
    copy[bit >> 3] = copy[bit >> 3]! ^ (1 << (bit & 7));
    return copy;
  };

  test('in any bit of an envelope, one by one', () => {
    const small = Buffer.from(envelopeText(seal('{"small":"enough to try every bit of it"}', privateKey)));
    const survivors: number[] = [];
    for (let bit = 0; bit < small.length * 8; bit++) {
      try {
        const opened = openEnvelope(flipped(small, bit));
        if (signedBy(opened, publicKey)) survivors.push(bit);
      } catch (error) {
        expect(error).toMatchObject({ code: 'RUNCERT_CERTIFICATE' });
      }
    }
    expect(survivors).toEqual([]);
  });

  test('in the certificate, by the whole check', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(certificate.length * 8 - 1), async (bit) => {
        expect((await verifyCertificate(flipped(certificate, bit), { today: TODAY })).status).toBe('refused');
      }),
      { numRuns: 200 },
    );
  });

  test('by cutting, adding or doubling bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(certificate.length - 1),
        fc.uint8Array({ minLength: 1, maxLength: 4 }),
        async (at, more) => {
          const cut = Buffer.concat([certificate.subarray(0, at), certificate.subarray(at + 1)]);
          const longer = Buffer.concat([certificate.subarray(0, at), more, certificate.subarray(at)]);
          for (const bytes of [cut, longer])
            expect((await verifyCertificate(bytes, { today: TODAY })).status).toBe('refused');
        },
      ),
      { numRuns: 60 },
    );
  });

  test('in the outcome, the evidence and the subject', async () => {
    const files = [
      join(report, 'outcome.json'),
      join(report, 'cases/a.json'),
      join(report, 'recordings/run.ndjson'),
      join(subject, 'main.py'),
      join(subject, 'src/b.py'),
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), fc.nat(), async (path, any) => {
        const bytes = await readFile(path);
        await writeFile(path, flipped(bytes, any % (bytes.length * 8)));
        const { status } = await verifyCertificate(certificate, everything());
        await writeFile(path, bytes);
        expect(status).toBe('refused');
      }),
      { numRuns: 60 },
    );
    expect((await verifyCertificate(certificate, everything())).status).toBe('verified');
  });

  test('and so are missing, added and renamed files', async () => {
    const away = async (from: string, to: string): Promise<string> => {
      await rename(from, to);
      const { status } = await verifyCertificate(certificate, everything());
      await rename(to, from);
      return status;
    };
    expect(await away(join(report, 'cases/a.json'), join(report, 'cases/b.json'))).toBe('refused');
    expect(await away(join(subject, 'main.py'), join(subject, 'other.py'))).toBe('refused');
    expect(await away(join(report, 'recordings/run.ndjson'), join(dir, 'x.ndjson'))).toBe('refused');
    await writeFile(join(report, 'cases/extra.json'), '{}');
    const { checks } = await verifyCertificate(certificate, everything());
    await rm(join(report, 'cases/extra.json'));
    expect(checks.find(({ name }) => name === 'report')).toMatchObject({
      result: 'failed',
      detail: 'cases/extra.json is not covered by the certificate',
    });
  });

  test('a statement that says other than its outcome is noticed, though the signature is good', async () => {
    const { envelope, body } = openEnvelope(certificate);
    const forged = body.toString().replace('"seed":42', '"seed":43');
    const again = Buffer.from(envelopeText(seal(forged, privateKey)));
    const { checks } = await verifyCertificate(again, everything());
    expect(resultOf(checks, 'signature')).toBe('passed');
    expect(resultOf(checks, 'report')).toBe('failed');
    expect(envelope.signatures).toHaveLength(1);
  });
});

describe('independent verifiers agree', () => {
  test('@sigstore/verify accepts it, and refuses it with one bit changed', () => {
    const envelope = JSON.parse(certificate.toString()) as {
      payload: string;
      payloadType: string;
      signatures: { sig: string; keyid: string }[];
    };
    const accept = (key: KeyObject, payload: string): void => {
      const bundle = bundleFromJSON({
        mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
        verificationMaterial: {
          publicKey: { hint: 'runcert' },
          tlogEntries: [],
          timestampVerificationData: { rfc3161Timestamps: [] },
        },
        dsseEnvelope: { ...envelope, payload },
      });
      const material = {
        certificateAuthorities: [],
        timestampAuthorities: [],
        tlogs: [],
        ctlogs: [],
        publicKey: () => ({ publicKey: key, validFor: () => true }),
      };
      new Verifier(material as never, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 } as never).verify(
        toSignedEntity(bundle),
      );
    };
    expect(() => accept(publicKey, envelope.payload)).not.toThrow();
    const body = Buffer.from(envelope.payload, 'base64');
    body[10] = body[10]! ^ 1;
    expect(() => accept(publicKey, body.toString('base64'))).toThrow();
    expect(() => accept(generateKeyPairSync('ed25519').publicKey, envelope.payload)).toThrow();
  });

  const openssl = has('openssl', ['version']);
  test.skipIf(!openssl)('OpenSSL accepts it, and refuses it with one bit changed', async () => {
    const { envelope, body } = openEnvelope(certificate);
    const files = { key: join(dir, 'k.pem'), text: join(dir, 'pae'), sig: join(dir, 'sig') };
    await writeFile(files.key, pair.publicKey);
    await writeFile(files.sig, Buffer.from(envelope.signatures[0]!.sig, 'base64'));
    const ask = async (text: Buffer): Promise<boolean> => {
      await writeFile(files.text, text);
      return has('openssl', [
        'pkeyutl',
        '-verify',
        '-pubin',
        '-inkey',
        files.key,
        '-rawin',
        '-in',
        files.text,
        '-sigfile',
        files.sig,
      ]);
    };
    const text = preAuthentication(envelope.payloadType, body);
    expect(await ask(text)).toBe(true);
    text[40] = text[40]! ^ 4;
    expect(await ask(text)).toBe(false);
  });

  const sha256sum = has('sh', ['-c', 'command -v sha256sum && command -v find && command -v sort']);
  test.skipIf(!sha256sum)('find, sort and sha256sum give the same digest of a folder without links', async () => {
    const plain = join(dir, 'plain');
    await mkdir(join(plain, 'b'), { recursive: true });
    for (const [name, text] of [
      ['b/x.txt', 'one'],
      ['a b.txt', 'two'],
      ['b.txt', 'three'],
      ['Z', ''],
    ] as const)
      await writeFile(join(plain, name), text);
    const said = execFileSync(
      'sh',
      ['-c', "find . -type f | sed 's|^./||' | LC_ALL=C sort | tr '\\n' '\\0' | xargs -0 sha256sum | sha256sum"],
      { cwd: plain },
    ).toString();
    expect(await folderDigest(plain)).toBe(said.split(' ')[0]);
  });
});

describe('folders as subjects', () => {
  test('a link counts by what it says, is not followed, and is not the same as a file with that text', async () => {
    const a = join(dir, 'links');
    await cp(subject, a, { recursive: true, verbatimSymlinks: true });
    const before = await folderDigest(a);
    expect(before).toBe(await folderDigest(subject));
    await rm(join(a, 'src/link.py'));
    await symlink('/etc/passwd', join(a, 'src/link.py'));
    const elsewhere = await folderDigest(a);
    expect(elsewhere).not.toBe(before);
    await rm(join(a, 'src/link.py'));
    await writeFile(join(a, 'src/link.py'), '../main.py');
    expect(await folderDigest(a)).not.toBe(before);
    await rm(join(a, 'src'), { recursive: true });
    await symlink(join(subject, 'src'), join(a, 'src'));
    expect(await folderDigest(a)).not.toBe(before);
  });

  test('a link as the subject itself is refused', async () => {
    await symlink(subject, join(dir, 'alias'));
    await expect(subjectOf(join(dir, 'alias'))).rejects.toThrow(/symbolic link/);
    await expect(subjectOf(join(dir, 'nothing'))).rejects.toMatchObject({ code: 'RUNCERT_SUBJECT' });
  });

  test('a line break in a name is refused', async () => {
    const odd = join(dir, 'odd');
    await mkdir(odd);
    await writeFile(join(odd, 'a\nb'), '');
    await expect(folderDigest(odd)).rejects.toThrow(/line break/);
  });
});

describe('signing refuses', () => {
  const sign = async (outcome: Outcome, more = {}): Promise<unknown> => {
    const folder = await mkdtemp(join(dir, 'refused-'));
    await writeReports(folder, outcome, []);
    return signReport(folder, { key: privateKey, subjects: [subject], today: TODAY, ...more });
  };
  test.each<[string, () => Outcome, RegExp]>([
    ['an inconclusive run', () => sampleOutcome([]), /certifies nothing/],
    ['a shard', () => whole({ shard: { index: 1, of: 2 } }), /shard 1 of 2/],
    ['a run of chosen clauses', () => sampleOutcome(whole().clauses.slice(5)), /left out 5 clauses/],
  ])('%s', async (_, outcome, message) => {
    await expect(sign(outcome())).rejects.toThrow(message);
  });
  test('a certificate without a subject, inside its subject, or expired at birth', async () => {
    await expect(sign(whole(), { subjects: [] })).rejects.toThrow(/what it is about/);
    await expect(sign(whole(), { out: join(subject, 'c.json') })).rejects.toThrow(/inside the subject/);
    await expect(sign(whole(), { expires: '2026-06-09' })).rejects.toThrow(/no day from today on/);
    await expect(sign(whole(), { expires: '2026-13-01' })).rejects.toThrow(/no day/);
  });
});

describe('keys', () => {
  test('come from a file, or from the environment as PEM, with escaped line breaks, or as base64', async () => {
    const path = join(dir, 'key.pem');
    await writeFile(path, pair.privateKey);
    const env = {
      A: pair.privateKey,
      B: pair.privateKey.replaceAll('\n', '\\n'),
      C: Buffer.from(pair.privateKey).toString('base64'),
    };
    for (const source of [path, 'env:A', 'env:B', 'env:C']) {
      expect(createPublicKey(await readPrivateKey(source, env)).export({ type: 'spki', format: 'pem' })).toBe(
        pair.publicKey,
      );
    }
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const locked = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const env = {
    PUB: pair.publicKey,
    KEY: pair.privateKey,
    RSA: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    LOCKED: locked.privateKey,
    JUNK: 'hello',
    EMPTY: '',
  };
  test.each([
    ['env:PUB', /public key/],
    ['env:RSA', /rsa key, not Ed25519/],
    ['env:LOCKED', /encrypted/],
    ['env:JUNK', /no key in PEM/],
    ['env:EMPTY', /not set/],
    ['env:NONE', /not set/],
    ['/nowhere/key.pem', /cannot be read/],
  ])('%s is refused', async (source, message) => {
    await expect(readPrivateKey(source, env)).rejects.toThrow(message);
  });

  test('a private key where a public one belongs, or on the command line, is refused without being shown', async () => {
    await expect(readPublicKey('env:KEY', env)).rejects.toThrow(/private key/);
    const error = await readPrivateKey(pair.privateKey, env).catch((cause: unknown) => cause as Error);
    expect(error).toMatchObject({ code: 'RUNCERT_KEY' });
    expect(JSON.stringify(error) + String(error)).not.toContain(pair.privateKey.split('\n')[1]);
  });
});

function has(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
