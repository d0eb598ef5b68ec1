// Every judge of the area `api-answers`: what each call of §8 gives back.
import type { Judge } from '../../../judging/judge.ts';
import type { HostCase } from '../view.ts';
import { artifactJudges } from './api-answers-artifacts.ts';
import { eventJudges } from './api-answers-events.ts';
import { historyJudges } from './api-answers-history.ts';
import { modelJudges } from './api-answers-models.ts';
import { storeJudges } from './api-answers-store.ts';

export const apiAnswersJudges: readonly Judge<HostCase>[] = [
  ...modelJudges,
  ...historyJudges,
  ...eventJudges,
  ...artifactJudges,
  ...storeJudges,
];
