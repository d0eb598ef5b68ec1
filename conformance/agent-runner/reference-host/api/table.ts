// Every Host API action by its name on the wire.
import type { ApiAction } from './action.ts';
import { artifactActions } from './artifacts.ts';
import { eventActions } from './events.ts';
import { historyActions } from './history.ts';
import { modelActions } from './models.ts';
import { platformActions } from './platform.ts';
import { stateActions } from './state.ts';
import { storageActions } from './storage.ts';
import { toolActions } from './tools.ts';

export const API_ACTIONS: Readonly<Record<string, ApiAction>> = {
  ...modelActions,
  ...toolActions,
  ...historyActions,
  ...eventActions,
  ...artifactActions,
  ...stateActions,
  ...storageActions,
  ...platformActions,
};
