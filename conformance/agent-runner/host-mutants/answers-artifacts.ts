// §8: hosts that keep or give artifacts wrongly: their metadata, ranges, streams, size, type and expiry.
import { HOST_PARTS } from '../reference-host/parts.ts';
import { deny } from '../reference-host/refusal.ts';
import { actions, answers, mutant } from './mutant.ts';

const { artifactOf, checkSize } = HOST_PARTS;

export const artifactMutants = [
  mutant(
    'metadata-in-milliseconds',
    'Tells the times of an artifact in milliseconds.',
    '8/answer-artifact-metadata',
    answers(['artifact_metadata'], (data) => ({ ...data, created_at: Number(data['created_at']) * 1000 })),
  ),
  mutant(
    'full-read-refused',
    'Refuses reads as long as the cap.',
    '8/answer-artifact-range',
    actions(['artifact_read'], () => ({
      checkSize: ({ length }, { limits }) =>
        Number(length) >= limits.artifact_read_bytes ? deny('payload_too_large') : undefined,
    })),
  ),
  mutant(
    'metadata-wrong-size',
    'Answers a wrong size of an artifact.',
    '8/answer-artifact-metadata',
    answers(['artifact_metadata'], (data) => ({ ...data, size_bytes: Number(data['size_bytes'] ?? 0) + 1 })),
  ),
  mutant(
    'metadata-no-mime',
    'Forgets the MIME type of an artifact.',
    '8/answer-artifact-metadata',
    answers(['artifact_metadata'], (data) => ({ ...data, mime_type: null })),
  ),
  mutant(
    'call-overtakes-result',
    'Answers a call before it has taken the results that came just before it.',
    '8/results-before-calls',
    { hearsFirst: () => Promise.resolve() },
  ),
  mutant(
    'range-from-start',
    'Reads every range from the start.',
    '8/answer-artifact-range',
    actions(['artifact_read'], ({ perform }) => ({ perform: (data, scene) => perform({ ...data, offset: 0 }, scene) })),
  ),
  mutant(
    'range-has-more',
    'Always says that there is more of an artifact.',
    '8/answer-artifact-range',
    answers(['artifact_read'], (data) => ({ ...data, has_more: true })),
  ),
  mutant(
    'stream-cut',
    'Leaves the last byte of a streamed artifact out.',
    '8/answer-artifact-stream',
    actions(['artifact_open_stream'], ({ perform }) => ({
      perform: (data, scene) => {
        const stream = perform(data, scene).stream ?? [];
        const last = stream.at(-1)!;
        const bytes = Buffer.from(String(last['content_base64']), 'base64').subarray(0, -1);
        return { stream: [...stream.slice(0, -1), { ...last, content_base64: bytes.toString('base64') }] };
      },
    })),
  ),
  mutant('artifact-any-size', 'Stores artifacts of any size.', '8/artifact-size-limit', {
    checkSize: (value, limits) => (value['type'] === 'artifact.created' ? undefined : checkSize(value, limits)),
  }),
  mutant('artifact-any-mime', 'Stores whatever a runner calls a MIME type.', '8/artifact-mime-checked', {
    artifactOf: (result, run, id, now) => {
      const { mime_type: mime = null, ...data } = result.data;
      const artifact = artifactOf({ ...result, data }, run, id, now);
      return 'artifact_id' in artifact ? { ...artifact, mime_type: mime as string | null } : artifact;
    },
  }),
  mutant(
    'artifact-for-ever',
    'Reads artifacts that have expired.',
    '8/artifact-expiry',
    actions('artifacts.', ({ checkScope }) => ({
      checkScope: (data, scene) => checkScope?.(data, { ...scene, now: 0 }),
    })),
  ),
  mutant(
    'artifact-stream-for-ever',
    'Streams artifacts that have expired.',
    '8/artifact-expiry',
    actions(['artifact_open_stream'], ({ checkScope }) => ({
      checkScope: (data, scene) => checkScope?.(data, { ...scene, now: 0 }),
    })),
  ),
];
