// `runcert/api`: the Host API of the newest AgentRunner revision, as data and as an interface, and the tables of its documents.
export * from './schemas/agent-runner/2026-06-03/api.ts';
