// artifacts.metadata, artifacts.read_range, artifacts.open_stream (§8; AGENT_CONTEXT §4.4).
import type { JsonObject } from '../../../../common/json.ts';
import { mayReadArtifact, metadataOf } from '../artifacts.ts';
import type { HostLimits } from '../limits.ts';
import { deny } from '../refusal.ts';
import type { StoredArtifact } from '../shapes.ts';
import { type ApiAction, argumentsOf, type CallScene, type Checked } from './action.ts';

const artifacts =
  (operation: string) =>
  (_data: JsonObject, { session }: CallScene): Checked =>
    session.grants.artifacts.includes(operation) ? undefined : deny('unauthorized');

/** An artifact out of scope, one past its time and one that never was look the same from here. */
function inScope({ artifact_id }: JsonObject, { memory, session, now }: CallScene): Checked {
  const artifact = memory.artifacts.get(artifact_id as string);
  return artifact !== undefined && mayReadArtifact(artifact, session.run, now) ? undefined : deny('not_found');
}

const find = ({ artifact_id }: JsonObject, { memory }: CallScene): StoredArtifact =>
  memory.artifacts.get(artifact_id as string)!;

const metadata: ApiAction = {
  api: 'artifacts.metadata',
  resource: ({ artifact_id }) => artifact_id,
  checkArguments: argumentsOf('ArtifactMetadataRequest'),
  checkGrant: artifacts('metadata'),
  checkScope: inScope,
  perform: (data, scene) => ({ data: metadataOf(find(data, scene)) }),
};

const DEFAULT_LENGTH = 65_536;

const read: ApiAction = {
  api: 'artifacts.read_range',
  resource: ({ artifact_id }) => artifact_id,
  checkArguments: argumentsOf('ArtifactReadRequest'),
  checkGrant: artifacts('read'),
  checkScope: inScope,
  checkSize: (data, { limits }) =>
    lengthOf(data, limits) > limits.artifact_read_bytes ? deny('payload_too_large') : undefined,
  perform: (data, scene) => {
    const { artifact_id, mime_type, content } = find(data, scene);
    const bytes = Buffer.from(content, 'base64');
    const offset = (data['offset'] as number | null | undefined) ?? 0;
    const range = bytes.subarray(offset, offset + lengthOf(data, scene.limits));
    return {
      data: {
        artifact_id,
        offset,
        length: range.length,
        mime_type,
        size_bytes: bytes.length,
        content_base64: range.toString('base64'),
        has_more: offset + range.length < bytes.length,
      },
    };
  },
};

/** `limit` is the SDK's name for `length`. */
const lengthOf = ({ length, limit }: JsonObject, limits: HostLimits): number =>
  ((length ?? limit) as number | null | undefined) ?? Math.min(DEFAULT_LENGTH, limits.artifact_read_bytes);

const openStream: ApiAction = {
  api: 'artifacts.open_stream',
  streams: true,
  resource: ({ artifact_id }) => artifact_id,
  checkArguments: argumentsOf('ArtifactOpenStreamRequest'),
  checkGrant: artifacts('read'),
  checkScope: inScope,
  perform: (data, scene) => {
    const { artifact_id, content } = find(data, scene);
    const bytes = Buffer.from(content, 'base64');
    const size = scene.limits.artifact_read_bytes;
    const pieces = Array.from({ length: Math.max(1, Math.ceil(bytes.length / size)) }, (_, index) => index * size);
    return {
      stream: pieces.map((offset) => ({
        artifact_id,
        offset,
        content_base64: bytes.subarray(offset, offset + size).toString('base64'),
      })),
    };
  },
};

export const artifactActions: Readonly<Record<string, ApiAction>> = {
  artifact_metadata: metadata,
  artifact_read: read,
  artifact_open_stream: openStream,
};
