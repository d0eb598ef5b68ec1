// `runcert/types`: the models of the newest AgentRunner revision.
export type * from './schemas/agent-runner/2026-06-03/types.ts';
