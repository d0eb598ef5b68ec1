// The ArtifactStore's door: what becomes an artifact, and who may see it (§8; AGENT_CONTEXT §4.4).
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../common/json.ts';
import { fromBase64, type Moved } from './gateway.ts';
import type { Objection, Result } from './results.ts';
import type { RunStart, StoredArtifact } from './shapes.ts';

const MIME = /^[^\s/]+\/[^\s/]+(; .*)?$/;

/** An artifact made by a runner. Its id is its own, or one that the host gives. */
export function artifactOf({ data }: Result, run: RunStart, id: string, now: number): StoredArtifact | Objection {
  const { artifact_type, mime_type = null, name = null, content_base64, metadata = {}, expires_at } = data;
  if (artifact_type === '') return { code: 'result_malformed', message: 'An artifact has no type.' };
  if (typeof mime_type === 'string' && !MIME.test(mime_type))
    return { code: 'artifact_mime', message: 'The MIME type of an artifact is malformed.' };
  const bytes = typeof content_base64 === 'string' ? fromBase64(content_base64) : null;
  if (bytes === undefined) return { code: 'artifact_content', message: 'The content of an artifact is no base64.' };
  return {
    ...stored(run, bytes, now),
    artifact_id: id,
    artifact_type: artifact_type as string,
    mime_type: mime_type as string | null,
    name: name as string | null,
    source: 'runner',
    run_id: run.run_id,
    runner_id: run.runner_id,
    expires_at: typeof expires_at === 'number' ? expires_at * 1000 : null,
    metadata: metadata as JsonObject,
  };
}

/** An artifact that came with an event. */
export const givenArtifact = (moved: Moved, run: RunStart, now: number): StoredArtifact => ({
  ...stored(run, moved.content, now),
  artifact_id: moved.artifact_id,
  artifact_type: moved.artifact_type,
  mime_type: moved.mime_type,
  name: moved.name,
  source: 'event',
  run_id: run.run_id,
  runner_id: null,
  expires_at: null,
  metadata: {},
});

const stored = (run: RunStart, bytes: Buffer | null, now: number) => ({
  binding_id: run.binding_id,
  scope: run.scope,
  created_at: now,
  size_bytes: bytes === null ? null : bytes.length,
  sha256: bytes === null ? null : createHash('sha256').update(bytes).digest('hex'),
  content: bytes === null ? '' : bytes.toString('base64'),
});

/**
 * An artifact is seen by the run that made it or was given it, and by later runs of its conversation: all of them where it
 * came with an event, those of the same binding where a runner made it. Never past its time.
 */
export const mayReadArtifact = (artifact: StoredArtifact, run: RunStart, now: number): boolean =>
  (artifact.expires_at === null || now < artifact.expires_at) &&
  (artifact.run_id === run.run_id ||
    (run.scope.conversation_id !== null &&
      artifact.scope.conversation_id === run.scope.conversation_id &&
      (artifact.source === 'event' || artifact.binding_id === run.binding_id)));

export const metadataOf = (artifact: StoredArtifact): JsonObject => {
  const { content: _bytes, scope, binding_id: _binding, created_at, expires_at, ...rest } = artifact;
  return {
    ...rest,
    conversation_id: scope.conversation_id,
    created_at: created_at / 1000,
    expires_at: expires_at === null ? null : expires_at / 1000,
  };
};
