// The thirteen read models, by name.
import { artifactCheckpoint } from './artifact-checkpoint.ts';
import { channelSummary } from './channel-summary.ts';
import { contextBoundary } from './context-boundary.ts';
import { evidenceSummary } from './evidence-summary.ts';
import { executionEnvironment } from './execution-environment.ts';
import type { ReadModel } from './model.ts';
import { permissionSandbox } from './permission-sandbox.ts';
import { queue } from './queue.ts';
import { routingLimit } from './routing-limit.ts';
import { sessionSnapshot } from './session-snapshot.ts';
import { subagentJob } from './subagent-job.ts';
import { taskSnapshot } from './task-snapshot.ts';
import { threadRead } from './thread-read.ts';
import { toolInventory } from './tool-inventory.ts';

export const readModels = [
  sessionSnapshot,
  threadRead,
  toolInventory,
  queue,
  taskSnapshot,
  contextBoundary,
  artifactCheckpoint,
  evidenceSummary,
  permissionSandbox,
  executionEnvironment,
  routingLimit,
  subagentJob,
  channelSummary,
] as unknown as readonly ReadModel[];
