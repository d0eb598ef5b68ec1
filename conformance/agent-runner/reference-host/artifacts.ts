// The ArtifactStore's door: what becomes an artifact, and who may see it (§8; AGENT_CONTEXT §4.4).
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../common/json.ts';
import type { Moved } from './gateway.ts';
import { malformed, type Objection, objection, type Result } from './results.ts';
import type { RunStart, StoredArtifact } from './shapes.ts';

const MIME = /^[^\s/]+\/[^\s/]+(; .*)?$/;

/** An artifact made by a runner. Its id is its own, or one that the host gives. */
export function artifactOf({ data }: Result, run: RunStart, id: string, now: number): StoredArtifact | Objection {
  const { artifact_type, mime_type = null, name = null, content_base64, metadata = {}, expires_at = null } = data;
  if (artifact_type === '') return malformed('An artifact has no type.');
  if (typeof mime_type === 'string' && !MIME.test(mime_type))
    return objection('artifact_mime', 'The MIME type of an artifact is malformed.');
  return {
    ...stored(run, typeof content_base64 === 'string' ? Buffer.from(content_base64, 'base64') : null, now),
    artifact_id: id,
    artifact_type: artifact_type as string,
    mime_type: mime_type as string | null,
    name: name as string | null,
    source: 'runner',
    run_id: run.run_id,
    runner_id: run.runner_id,
    expires_at: expires_at as number | null,
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
  created_at: now / 1000,
  ...(bytes === null ? NOTHING : contentOf(bytes)),
});
const NOTHING = { size_bytes: null, sha256: null, content: '' };
const contentOf = (bytes: Buffer) => ({
  size_bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  content: bytes.toString('base64'),
});

/**
 * An artifact is seen by the run that made it or was given it, and by later runs of its conversation and binding. Never past
 * its time.
 */
export const mayReadArtifact = (artifact: StoredArtifact, run: RunStart, now: number): boolean =>
  (artifact.expires_at === null || now < artifact.expires_at * 1000) &&
  (artifact.run_id === run.run_id ||
    (run.scope.conversation_id !== null &&
      artifact.scope.conversation_id === run.scope.conversation_id &&
      artifact.binding_id === run.binding_id));

export const metadataOf = (artifact: StoredArtifact): JsonObject => {
  const { content: _bytes, scope, binding_id: _binding, ...rest } = artifact;
  return { ...rest, conversation_id: scope.conversation_id };
};
