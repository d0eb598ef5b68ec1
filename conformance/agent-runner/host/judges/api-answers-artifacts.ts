// Artifacts: metadata, ranges and streams answer what was stored; size, MIME type and expiry are checked (§8, AGENT_CONTEXT §4.4).
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../../../common/json.ts';
import { broken, type Finding, hold, type Judge, judge, kept } from '../../../judging/judge.ts';
import { ArtifactMetadata, ArtifactReadResult, ArtifactStreamChunk, isMimeType } from '../../oracle/answers.ts';
import { IMMODEST_BYTES, jsonBytes, limitOf } from '../../oracle/measure.ts';
import { shownBy } from '../shown.ts';
import type { HostCase } from '../view.ts';
import { answer, verdict } from './api-answers-base.ts';
import { type Assessed, assess, SAME_BREATH } from './authorization-assess.ts';
import { brief, proofOf } from './authorization-refusals.ts';

const metadata = answer(
  'v1/8/answer-artifact-metadata',
  'artifact_metadata',
  'what is known of that artifact',
  (data, one, view) => {
    const unfit = ArtifactMetadata(data, '');
    if (unfit !== undefined) return unfit;
    if (data['artifact_id'] !== one.call.data['artifact_id']) return `artifact ${brief(data['artifact_id'])}`;
    const { bytes, mimeType } = one.artifact ?? {};
    const size = data['size_bytes'];
    if (bytes !== undefined && size !== bytes.length) return `size_bytes ${brief(size)} for ${bytes.length} bytes`;
    if (data['artifact_type'] === '') return 'an empty artifact_type';
    const strange = otherThanMade(data, one);
    if (strange !== undefined) return strange;
    if (bytes !== undefined && typeof mimeType === 'string' && isMimeType(mimeType) && data['mime_type'] !== mimeType)
      return `mime_type ${brief(data['mime_type'])} for ${mimeType}`;
    return untimely(data, one, view);
  },
);

/** What its maker said of it, where the host tells it at all; and whose it is. */
function otherThanMade(data: JsonObject, { artifact }: Assessed): string | undefined {
  const { maker, bytes, data: made } = artifact ?? {};
  if (maker === undefined || made === undefined) return undefined;
  const due: JsonObject = {
    artifact_type: made['artifact_type'] ?? null,
    name: made['name'] ?? null,
    run_id: maker.runId,
    runner_id: maker.runnerId,
    conversation_id: maker.submission?.event['conversation_id'] ?? null,
    sha256: bytes === undefined ? null : createHash('sha256').update(bytes).digest('hex'),
  };
  const field = Object.keys(due).find(
    (name) => (data[name] ?? null) !== null && due[name] !== null && data[name] !== due[name],
  );
  return field === undefined ? undefined : `${field} ${brief(data[field])} for ${brief(due[field])}`;
}

/** Times are epoch seconds: made while the case went on, and gone when its maker said so. */
function untimely(data: JsonObject, { artifact, reply }: Assessed, { epoch, head }: HostCase): string | undefined {
  const { created_at: created, expires_at: expires } = data;
  const from = epoch - head.grace;
  const until = epoch + reply!.at + head.grace;
  // Whole seconds may lie before the moment that they stand for.
  if (typeof created === 'number' && !(created * 1000 > from - 1000 && created * 1000 <= until))
    return `created_at ${created}, in a case from ${from / 1000} to ${until / 1000}`;
  const due = artifact?.expiresAt;
  if (due !== undefined && !(typeof expires === 'number' && Math.abs(expires - due) <= 1))
    return `expires_at ${brief(expires)} for ${due}`;
  return undefined;
}

const bytesOf = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : '', 'base64');

/** Exactly the bytes at that offset: all that were asked for, or fewer up to the host's cap, and has_more as it is. */
const range = answer(
  'v1/8/answer-artifact-range',
  'artifact_read',
  'exactly the bytes of the range',
  (data, one, view) => {
    const unfit = ArtifactReadResult(data, '');
    if (unfit !== undefined) return unfit;
    const whole = one.artifact?.bytes;
    if (whole === undefined || typeof data['file_key'] === 'string') return undefined;
    const { offset, length, limit } = one.call.data;
    const from = typeof offset === 'number' ? offset : 0;
    const asked = length ?? limit;
    const got = bytesOf(data['content_base64']);
    if (!whole.subarray(from, from + got.length).equals(got)) return `other bytes than those at ${from}`;
    if (typeof asked === 'number' && got.length > asked) return `${got.length} bytes for a length of ${asked}`;
    const wanted = typeof asked === 'number' ? Math.max(0, Math.min(asked, whole.length - from)) : undefined;
    if (wanted !== undefined && wanted > 0 && got.length === 0) return `no bytes where ${wanted} are`;
    const cap = limitOf(view.limits, 'artifact_read_bytes');
    if (wanted !== undefined && cap !== undefined && wanted <= cap && got.length < wanted)
      return `${got.length} bytes where ${wanted} are, and ${cap} may be read`;
    const more = from + got.length < whole.length && got.length > 0;
    const past = got.length === 0 && from >= whole.length;
    if (typeof data['has_more'] === 'boolean' && data['has_more'] !== more && (got.length > 0 || past))
      return `has_more ${data['has_more']} after byte ${from + got.length} of ${whole.length}`;
    return misplaced(data, { offset: from, length: got.length, size_bytes: whole.length }, whole.length);
  },
);

/** What an answer tells of its range, where it does. Past the end an offset may be told as the end. */
function misplaced(data: JsonObject, due: Readonly<Record<string, number>>, end: number): string | undefined {
  const field = Object.keys(due).find((name) => {
    const told = data[name];
    return typeof told === 'number' && told !== due[name] && !(name === 'offset' && due[name]! > end && told === end);
  });
  return field === undefined ? undefined : `${field} ${brief(data[field])} for ${due[field]}`;
}

function* stream(view: HostCase): Iterable<Finding> {
  for (const one of assess(view)) {
    if (one.action !== 'artifact_open_stream' || !one.ok || one.wrongs.length > 0) continue;
    const pieces = one.call.replies.filter(({ end, data }) => !end || data['content_base64'] !== undefined);
    const ended = one.call.replies.some(({ end }) => end);
    if (!ended && view.end?.how !== 'done') continue;
    const unfit = pieces
      .map(({ data }, index) => ArtifactStreamChunk(data, `piece ${index}`))
      .find((wrong) => wrong !== undefined);
    const joined = Buffer.concat(pieces.map(({ data }) => bytesOf(data['content_base64'])));
    const whole = one.artifact?.bytes;
    let at = 0;
    const offsets = pieces.map(({ data }) => {
      const from = at;
      at += bytesOf(data['content_base64']).length;
      return { told: data['offset'], from };
    });
    const astray = offsets.find(({ told, from }) => typeof told === 'number' && told !== from);
    const other =
      whole !== undefined && !joined.equals(whole)
        ? `${joined.length} bytes that are not the ${whole.length} of the artifact`
        : undefined;
    yield verdict(
      one,
      'the whole artifact in pieces, then the end',
      unfit ??
        other ??
        (astray && `offset ${brief(astray.told)} of the piece at ${astray.from}`) ??
        (ended ? undefined : 'no end came'),
    );
  }
}

/** Every `artifact.created` of a case, with the looks at artifacts after it. */
function* created(view: HostCase): Iterable<{
  readonly n: number;
  readonly data: JsonObject;
  readonly value: JsonObject;
  readonly looks: readonly Look[];
}> {
  for (const run of view.runs)
    for (const { n, value } of run.pushed) {
      if (!isObject(value) || value['type'] !== 'artifact.created' || !isObject(value['data'])) continue;
      const looks = view.observations
        .map((observation) => shownBy(view, observation))
        .flatMap((shown) =>
          shown.n > n && shown.artifacts !== undefined ? [{ n: shown.n, artifacts: shown.artifacts }] : [],
        );
      if (looks.length > 0) yield { n, data: value['data'], value, looks };
    }
}
interface Look {
  readonly n: number;
  readonly artifacts: readonly JsonObject[];
}

const isIt = (shown: JsonObject, data: JsonObject): boolean =>
  typeof data['artifact_id'] === 'string'
    ? shown['artifact_id'] === data['artifact_id']
    : typeof data['name'] === 'string' && shown['name'] === data['name'];

function* sizeLimit(view: HostCase): Iterable<Finding> {
  const limit = limitOf(view.limits, 'result_bytes') ?? IMMODEST_BYTES;
  for (const { n, data, value, looks } of created(view)) {
    const size = bytesOf(data['content_base64']).length;
    const whole = jsonBytes(value);
    if (whole <= limit || size === 0) continue;
    const look = looks.find(({ artifacts }) =>
      artifacts.some((shown) => isIt(shown, data) && (shown['size_bytes'] ?? size) === size),
    );
    yield look === undefined
      ? kept([n, looks[0]!.n])
      : broken([n, look.n], {
          expected: `an artifact of ${size} bytes not to be stored: its result has ${whole} bytes, the limit is ${limit}`,
          found: 'artifacts shows it whole',
        });
  }
}

function* mime(view: HostCase): Iterable<Finding> {
  for (const { n, data, looks } of created(view)) {
    const type = data['mime_type'];
    if (typeof type !== 'string' || isMimeType(type)) continue;
    const shown = looks.find(({ artifacts }) =>
      artifacts.some((one) => (isIt(one, data) && one['mime_type'] === type) || typeof one['artifact_id'] !== 'string'),
    );
    const told = assess(view).find(
      (one) => one.action === 'artifact_metadata' && one.ok && one.call.n > n && one.reply?.data['mime_type'] === type,
    );
    yield shown === undefined && told === undefined
      ? kept([n, looks[0]!.n])
      : broken([n, shown?.n ?? told!.reply!.n], {
          expected: `no artifact with the MIME type ${brief(type)}`,
          found: 'it is stored as given',
        });
  }
}

/** After its expiry an artifact has no bytes for anyone; before it, it had. */
function* expiry(view: HostCase): Iterable<Finding> {
  const all = assess(view);
  for (const one of all) {
    if (!READS.has(one.action) || !one.wrongs.includes('expired') || one.reply === undefined) continue;
    const late = one.call.at + view.epoch - (one.artifact?.expiresAt ?? 0) * 1000;
    if (late <= view.head.grace) continue;
    const bytes = bytesIn(one);
    if (bytes > 0)
      yield broken(proofOf(one), {
        expected: `no bytes: the artifact expired ${Math.round(late)} ms before`,
        found: `${bytes} bytes`,
      });
    else if (wasThere(all, one)) yield kept(proofOf(one));
  }
}

const READS: ReadonlySet<string> = new Set(['artifact_read', 'artifact_open_stream']);
const bytesIn = ({ call }: Assessed): number =>
  call.replies.reduce((sum, { data }) => sum + bytesOf(data['content_base64']).length, 0);

/** It was read before it expired: only then does a refusal tell anything. */
const wasThere = (all: readonly Assessed[], one: Assessed): boolean =>
  all.some(
    (other) =>
      READS.has(other.action) &&
      other.ok &&
      bytesIn(other) > 0 &&
      other.call.n < one.call.n &&
      other.call.data['artifact_id'] === one.call.data['artifact_id'],
  );

function* resultsFirst(view: HostCase): Iterable<Finding> {
  for (const one of assess(view)) {
    const { action, wrongs, doubts, reply, busy, ok } = one;
    if (action !== 'artifact_metadata' || wrongs.length > 0 || doubts.some((doubt) => doubt !== SAME_BREATH)) continue;
    if (doubts.length === 0 || reply === undefined || (busy && !ok)) continue;
    yield hold(ok, proofOf(one), () => ({
      expected: 'the artifact that the run made just before it asked: artifact.created came first, on the same link',
      found: brief(reply.data),
    }));
  }
}

export const artifactJudges: readonly Judge<HostCase>[] = [
  judge<HostCase>('v1/8/results-before-calls', resultsFirst),
  metadata,
  range,
  judge<HostCase>('v1/8/answer-artifact-stream', stream),
  judge<HostCase>('v1/8/artifact-size-limit', sizeLimit),
  judge<HostCase>('v1/8/artifact-mime-checked', mime),
  judge<HostCase>('v1/8/artifact-expiry', expiry),
];
