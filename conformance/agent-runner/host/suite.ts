// The suite for hosts: clauses, stimuli by area, judges, and the reference host to try them on.
import { clauses } from '../../../schemas/agent-runner/2026-06-03/clauses.ts';
import type { Suite } from '../../driving/suite.ts';
import { hostMutants } from '../host-mutants.ts';
import { hostVariants } from '../host-variants.ts';
import { referenceHostTarget } from '../reference-host/target.ts';
import { apiAnswersAreas } from './areas/api-answers.ts';
import { authorizationAreas } from './areas/authorization.ts';
import { context } from './areas/context.ts';
import { deadlineCancel } from './areas/deadline-cancel.ts';
import { discovery } from './areas/discovery.ts';
import { isolation } from './areas/isolation.ts';
import { readModel } from './areas/read-model.ts';
import { resultStream } from './areas/result-stream.ts';
import { stateLimits } from './areas/state-limits.ts';
import { unknownResults } from './areas/unknown-results.ts';
import { versionNegotiation } from './areas/version-negotiation.ts';
import { assembleHost } from './assemble.ts';
import { apiAnswersJudges } from './judges/api-answers.ts';
import { authorizationJudges } from './judges/authorization.ts';
import { bindingJudges } from './judges/bindings.ts';
import { contextEventJudges } from './judges/context-event.ts';
import { contextGrantJudges } from './judges/context-grants.ts';
import { contextHistoryJudges } from './judges/context-history.ts';
import { contextShapeJudges } from './judges/context-shape.ts';
import { deadlineCancelJudges } from './judges/deadline-cancel.ts';
import { deliveryJudges } from './judges/deliveries.ts';
import { discoveryJudges } from './judges/discovery.ts';
import { isolationJudges } from './judges/isolation.ts';
import { isolationScopeJudges } from './judges/isolation-scopes.ts';
import { isolationStorageJudges } from './judges/isolation-storage.ts';
import { readModelLogJudges } from './judges/read-model-log.ts';
import { readModelPageJudges } from './judges/read-model-pages.ts';
import { resultJudges } from './judges/results.ts';
import { runEndJudges } from './judges/run-ends.ts';
import { sessionJudges } from './judges/sessions.ts';
import { stateLimitJudges } from './judges/state-limits.ts';
import { unknownResultJudges } from './judges/unknown-results.ts';
import { versionJudges } from './judges/version.ts';
import type { HostCase } from './view.ts';

export const hostSuite: Suite<HostCase> = {
  protocol: 'agent-runner',
  revision: '2026-06-03',
  party: 'host',
  clauses: clauses.filter(({ party }) => party === 'host'),
  areas: [
    versionNegotiation,
    discovery,
    resultStream,
    unknownResults,
    stateLimits,
    deadlineCancel,
    context,
    readModel,
    isolation,
    ...authorizationAreas,
    ...apiAnswersAreas,
  ],
  judges: [
    ...versionJudges,
    ...discoveryJudges,
    ...resultJudges,
    ...deliveryJudges,
    ...runEndJudges,
    ...unknownResultJudges,
    ...stateLimitJudges,
    ...deadlineCancelJudges,
    ...sessionJudges,
    ...contextShapeJudges,
    ...contextHistoryJudges,
    ...contextEventJudges,
    ...contextGrantJudges,
    ...readModelLogJudges,
    ...readModelPageJudges,
    ...isolationScopeJudges,
    ...isolationStorageJudges,
    ...bindingJudges,
    ...isolationJudges,
    ...authorizationJudges,
    ...apiAnswersJudges,
  ],
  assemble: assembleHost,
  reference: () => referenceHostTarget(),
  mutants: hostMutants,
  variants: hostVariants,
};
