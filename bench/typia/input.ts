// Compiled by typia into .generated/: its validator for the same type.
import typia from 'typia';
import type { AgentRunContext } from '../../schemas/agent-runner/2026-06-03/types.ts';

export const isAgentRunContext = typia.createIs<AgentRunContext>();
