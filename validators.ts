// `runcert/validators`: validators of the newest AgentRunner revision.
export * from './schemas/agent-runner/2026-06-03/validators.js';
