// `runcert/arbitraries`: fast-check arbitraries of the newest AgentRunner revision.
export * from './schemas/agent-runner/2026-06-03/arbitraries.ts';
