// The statement of a certificate: in-toto v1 with the test-result predicate, and what is Runcert's own beside it.
import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { RuncertError } from '../../common/error.ts';
import { canonical } from '../../common/json.ts';
import type { ClauseResult, Outcome } from '../../conformance/judging/outcome.ts';
import { missingFrom, requirementSet } from '../../conformance/judging/requirements.ts';
import { standingOf } from '../view.ts';
import type { Resource } from './digest.ts';

export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
export const PREDICATE_TYPE = 'https://in-toto.io/attestation/test-result/v0.1';
export const CERTIFICATE_VERSION = 1;

const Day = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const ResourceDescriptor = Type.Object({
  name: Type.String(),
  digest: Type.Record(Type.String(), Sha256),
  annotations: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
const Ids = Type.Array(Type.String());

export const Statement = Type.Object({
  _type: Type.Literal(STATEMENT_TYPE),
  subject: Type.Array(ResourceDescriptor, { minItems: 1 }),
  predicateType: Type.Literal(PREDICATE_TYPE),
  predicate: Type.Object({
    result: Type.Enum(['PASSED', 'WARNED', 'FAILED']),
    configuration: Type.Array(ResourceDescriptor),
    passedTests: Ids,
    warnedTests: Ids,
    failedTests: Ids,
    runcert: Type.Object({
      certificate: Type.Literal(CERTIFICATE_VERSION),
      version: Type.String(),
      protocol: Type.String(),
      revision: Type.String(),
      party: Type.Enum(['host', 'runner', 'runtime']),
      verdict: Type.Enum(['conformant', 'not-conformant', 'inconclusive']),
      target: Type.Object({ kind: Type.String(), name: Type.String(), version: Type.Optional(Type.String()) }),
      seed: Type.Integer(),
      options: Type.Record(Type.String(), Type.Unknown()),
      notApplicable: Ids,
      excused: Type.Array(
        Type.Object({ clause: Type.String(), reason: Type.String(), expires: Type.Optional(Type.String()) }),
      ),
      evidence: Type.Array(ResourceDescriptor, { minItems: 1 }),
      issued: Day,
      expires: Day,
      /** The signer's public key (SPKI, DER, base64). It shows that the file is whole, not who signed: that takes a key from elsewhere. */
      publicKey: Type.String(),
    }),
  }),
});
export type Statement = Static<typeof Statement>;

export interface Claim {
  readonly outcome: Outcome;
  readonly subjects: readonly Resource[];
  readonly evidence: readonly Resource[];
  readonly issued: string;
  readonly expires: string;
  readonly publicKey: string;
}

/** What a certificate may not be issued for: a run that decided nothing, or only a part. */
export function refuseUnfit(outcome: Outcome): void {
  const refuse = (message: string, remedy: string): never => {
    throw new RuncertError('RUNCERT_NOT_CERTIFIABLE', message, { remedy });
  };
  if (outcome.shard !== undefined)
    refuse(
      `This is shard ${outcome.shard.index} of ${outcome.shard.of}, not a whole run.`,
      'Join the shards with `runcert merge`, and sign what comes out.',
    );
  if (outcome.verdict === 'inconclusive')
    refuse(
      `An inconclusive run certifies nothing${outcome.reason === undefined ? '' : `: ${outcome.reason}`}.`,
      'See `runcert doctor` on what keeps the target from being judged.',
    );
  const set = requirementSet(outcome.protocol, outcome.revision);
  const missing = set === undefined ? [] : missingFrom(outcome, set);
  if (missing.length > 0)
    refuse(
      `The run left out ${missing.length} clauses that certified demands, ${missing[0]} among them.`,
      'Certify without --only and --skip.',
    );
}

export function statementOf(claim: Claim): Statement {
  const { outcome, subjects, evidence, issued, expires, publicKey } = claim;
  return {
    _type: STATEMENT_TYPE,
    subject: subjects.map(({ name, digest }) => ({ name, digest: { ...digest } })),
    predicateType: PREDICATE_TYPE,
    predicate: {
      ...testsOf(outcome),
      configuration: [requirementsOf(outcome)],
      runcert: {
        certificate: CERTIFICATE_VERSION,
        version: outcome.runcert,
        protocol: outcome.protocol,
        revision: outcome.revision,
        party: outcome.party,
        verdict: outcome.verdict,
        target: {
          kind: outcome.target.kind,
          name: outcome.target.name,
          ...(outcome.target.version === undefined ? {} : { version: outcome.target.version }),
        },
        seed: outcome.seed,
        options: outcome.options,
        notApplicable: idsOf(outcome, (result) => result.verdict === 'not-applicable'),
        excused: outcome.clauses.flatMap(({ id, excused }) =>
          excused === undefined
            ? []
            : [
                {
                  clause: id,
                  reason: excused.reason,
                  ...(excused.expires === undefined ? {} : { expires: excused.expires }),
                },
              ],
        ),
        evidence: evidence.map(({ name, digest }) => ({ name, digest: { ...digest } })),
        issued,
        expires,
        publicKey,
      },
    },
  };
}

/** The requirement set by its digest: whoever has another list under the same name notices. */
export function requirementsOf({
  protocol,
  revision,
}: Pick<Outcome, 'protocol' | 'revision'>): Static<typeof ResourceDescriptor> {
  const set = requirementSet(protocol, revision) ?? { protocol, revision, clauses: [] };
  return {
    name: `${protocol}/${revision}/requirements`,
    digest: { sha256: createHash('sha256').update(canonical(set)).digest('hex') },
    annotations: { clauses: set.clauses.length },
  };
}

function testsOf(
  outcome: Outcome,
): Pick<Statement['predicate'], 'result' | 'passedTests' | 'warnedTests' | 'failedTests'> {
  const warned = idsOf(outcome, (result) => ['warning', 'excused'].includes(standingOf(result)));
  const conformant = outcome.verdict === 'conformant';
  return {
    result: conformant ? (warned.length === 0 ? 'PASSED' : 'WARNED') : 'FAILED',
    passedTests: idsOf(outcome, (result) => result.verdict === 'pass'),
    warnedTests: warned,
    failedTests: idsOf(outcome, (result) => standingOf(result) === 'fail'),
  };
}

const idsOf = (outcome: Outcome, wanted: (result: ClauseResult) => boolean): string[] =>
  outcome.clauses.filter(wanted).map(({ id }) => id);
