// Every judge of runners, their SDK and their Plugin Runtime.
import type { Judge } from '../../../judging/judge.ts';
import type { RunnerCase } from '../view.ts';
import { authorizationJudges } from './authorization.ts';
import { cancelJudges } from './cancel.ts';
import { deadlineJudges } from './deadline.ts';
import { discoveryJudges } from './discovery.ts';
import { isolationJudges } from './isolation.ts';
import { pagingJudges } from './paging.ts';
import { payloadJudges } from './payloads.ts';
import { stateJudges } from './state.ts';
import { streamJudges } from './stream.ts';
import { toleranceJudges } from './tolerance.ts';

export const runnerJudges: readonly Judge<RunnerCase>[] = [
  ...discoveryJudges,
  ...toleranceJudges,
  ...streamJudges,
  ...payloadJudges,
  ...stateJudges,
  ...authorizationJudges,
  ...deadlineJudges,
  ...cancelJudges,
  ...isolationJudges,
  ...pagingJudges,
];
