// AgentRunContext (§5.2) as the runner reads it: by the generated models, so that what is absent has the default of the specification
// and what is unknown does no harm.
import type { JsonObject } from '../../../common/json.ts';
import type { AgentRunContext, AgentRunContextRead } from '../../../schemas/agent-runner/2026-06-03/types.ts';
import { readAgentRunContext } from '../../../schemas/agent-runner/2026-06-03/validators.js';

export type RunContext = AgentRunContextRead;

/** What a manifest asks for, by kind. */
export type Permissions = Readonly<Record<string, readonly string[] | undefined>>;

/** An empty list of operations grants what the manifest asks for; here it is written out. */
export function readContext(raw: JsonObject, permissions: Permissions): RunContext {
  const context = readAgentRunContext(raw as unknown as AgentRunContext);
  for (const kind of ['models', 'tools', 'knowledge_bases'] as const)
    for (const resource of context.resources[kind])
      if (resource.operations.length === 0) resource.operations.push(...((permissions[kind] ?? []) as never[]));
  return context;
}
