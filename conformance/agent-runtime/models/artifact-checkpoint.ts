// artifact_checkpoint_summary: references to artifacts, never their bytes. A count that nobody gave is `unknown`, not nought.
import { defineModel, keep, keepIn, known, values } from './model.ts';

const ARTIFACTS = 200;
const VERSIONS = 20;

interface Artifact {
  artifactId: string;
  taskId: string | undefined;
  turnId: string | undefined;
  versions: string[];
  versionCount: number;
  readRef: string | undefined;
  previewRef: string | undefined;
  diffRef: string | undefined;
  mediaType: string | undefined;
  issues: number | undefined;
}

export interface ArtifactState {
  artifacts: Map<string, Artifact>;
  count: number;
}

export const artifactCheckpoint = defineModel({
  name: 'artifact_checkpoint_summary',
  initial: (): ArtifactState => ({ artifacts: new Map(), count: 0 }),
  on: {
    'artifact.changed': (state, event) => {
      const artifactId = event.id('artifactId');
      if (artifactId === undefined) return;
      if (!state.artifacts.has(artifactId)) {
        state.count++;
        const fresh: Artifact = {
          artifactId,
          taskId: undefined,
          turnId: undefined,
          versions: [],
          versionCount: 0,
          readRef: undefined,
          previewRef: undefined,
          diffRef: undefined,
          mediaType: undefined,
          issues: undefined,
        };
        keepIn(state.artifacts, artifactId, fresh, ARTIFACTS);
      }
      const artifact = state.artifacts.get(artifactId)!;
      artifact.taskId = event.taskId ?? artifact.taskId;
      artifact.turnId = event.turnId ?? artifact.turnId;
      artifact.readRef = event.text('readRef') ?? artifact.readRef;
      artifact.previewRef = event.text('previewRef') ?? artifact.previewRef;
      artifact.diffRef = event.text('diffRef') ?? artifact.diffRef;
      artifact.mediaType = event.text('mediaType') ?? artifact.mediaType;
      artifact.issues = event.number('validationIssues') ?? artifact.issues;
      const version = event.text('versionId');
      if (version === undefined || artifact.versions.includes(version)) return;
      artifact.versionCount++;
      keep(artifact.versions, version, VERSIONS);
    },
  },
  show: (state, fresh) => ({
    status: state.count === 0 ? 'unknown' : 'known',
    artifacts: values(state.artifacts).map((artifact) => ({
      artifact_id: artifact.artifactId,
      task_id: known(artifact.taskId),
      turn_id: known(artifact.turnId),
      versions: artifact.versions,
      version_count: artifact.versionCount,
      read_ref: known(artifact.readRef),
      preview_ref: known(artifact.previewRef),
      diff_ref: known(artifact.diffRef),
      media_type: known(artifact.mediaType),
      validation_issues: known(artifact.issues),
    })),
    artifact_count: state.count,
    truncated: state.count > state.artifacts.size,
    freshness: fresh,
  }),
});
