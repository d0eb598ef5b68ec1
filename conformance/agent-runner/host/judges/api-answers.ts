// Every judge of the area `api-answers`: what each call of §8 gives back.
import type { Judge } from '../../../judging/judge.ts';
import type { HostCase } from '../view.ts';
import { artifactJudges } from './api-answers-artifacts.ts';
import { pullJudges } from './api-answers-pull.ts';
import { storeJudges } from './api-answers-store.ts';

export const apiAnswersJudges: readonly Judge<HostCase>[] = [...pullJudges, ...artifactJudges, ...storeJudges];
