// Every judge of the area `authorization`: who may call what (§5.8, §6, §8), how a refusal reads (§9), what is written down (§11).
import type { Judge } from '../../../judging/judge.ts';
import type { HostCase } from '../view.ts';
import { auditJudges } from './authorization-audit.ts';
import { errorJudges } from './authorization-errors.ts';
import { grantJudges } from './authorization-grants.ts';
import { limitJudges } from './authorization-limits.ts';
import { refusalJudges } from './authorization-refusals.ts';

export const authorizationJudges: readonly Judge<HostCase>[] = [
  ...grantJudges,
  ...refusalJudges,
  ...limitJudges,
  ...errorJudges,
  ...auditJudges,
];
