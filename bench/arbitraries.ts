// How many AgentRunContexts a second, beside fc.record over the same fields; and that every one of them is valid.
import * as fc from 'fast-check';
import { agentRunContext, nearMiss, valid } from '../schemas/agent-runner/2026-06-03/arbitraries.ts';
import type { ModelName } from '../schemas/agent-runner/2026-06-03/types.ts';
import { isAgentRunContext, shapes } from '../schemas/agent-runner/2026-06-03/validators.js';
import { limit, measure, table } from './measure.ts';

const BATCH = 100;
let seed = 0;
const sampled = (arbitrary: fc.Arbitrary<unknown>) => (): number =>
  fc.sample(arbitrary, { numRuns: BATCH, seed: seed++ }).length;

/** The context as a user of fast-check would write it by hand: records of the same models, through fc's own record. */
const definition = shapes.AgentRunContext;
const fields = 'fields' in definition ? definition.fields : {};
const handWritten = fc.record(
  Object.fromEntries(
    Object.entries(fields).map(([name, { type }]) => [
      name,
      typeof type === 'object' && 'ref' in type ? valid(type.ref as ModelName) : fc.jsonValue({ maxDepth: 2 }),
    ]),
  ),
  {
    requiredKeys: Object.entries(fields)
      .filter(([, field]) => field.required)
      .map(([name]) => name),
  },
);

const contexts = fc.sample(agentRunContext(), { numRuns: 3000, seed: 1 });
const bytes = contexts.reduce((sum, context) => sum + JSON.stringify(context).length, 0);
console.log(
  `${contexts.filter(isAgentRunContext).length} of ${contexts.length} valid, ${Math.round(bytes / contexts.length)} bytes each`,
);
const measured = measure(
  [
    { name: 'agentRunContext', operations: BATCH, run: sampled(agentRunContext()) },
    { name: 'fc.record of the same', operations: BATCH, run: sampled(handWritten) },
    { name: 'nearMiss', operations: BATCH, run: sampled(nearMiss('AgentRunContext')) },
  ],
  7,
  400,
);
table('values', measured, 'fc.record of the same');
const rate = measured[0]?.rate ?? 0;
limit('valid AgentRunContexts a second, at least 1500', rate, rate >= 1500 && contexts.every(isAgentRunContext));
