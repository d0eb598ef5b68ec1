// AgentRunContext: our validator beside typia, Ajv, TypeBox, zod and valibot, on the same values in the same run.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { Compile } from 'typebox/schema';
import * as v from 'valibot';
import { z } from 'zod';
import { agentRunContext, nearMiss } from '../schemas/agent-runner/2026-06-03/arbitraries.ts';
import { check, isAgentRunContext, type Shape, shapes } from '../schemas/agent-runner/2026-06-03/validators.js';
import { isAgentRunContext as typia } from './.generated/input.ts';
import { type Contender, limit, measure, table } from './measure.ts';

// 64 contexts of about 5 KB as they come off a wire, and 64 that are wrong in one place.
const bySize = fc
  .sample(agentRunContext({ maxItems: 8 }), { numRuns: 4000, seed: 1 })
  .map((context) => JSON.stringify(context))
  .sort((a, b) => Math.abs(a.length - 5000) - Math.abs(b.length - 5000));
const varied = bySize.slice(0, 64).map((text) => JSON.parse(text) as unknown);
// Traffic of one host has one shape; the same context 64 times is the case that compilers like best.
const uniform = varied.map(() => JSON.parse(bySize[0] as string) as unknown);
const invalid = fc
  .sample(nearMiss('AgentRunContext'), { numRuns: 64, seed: 2 })
  .map(({ value }) => JSON.parse(JSON.stringify(value)) as unknown);
console.log(
  `mean size of the valid ones: ${Math.round(bySize.slice(0, 64).reduce((sum, text) => sum + text.length, 0) / 64)} bytes`,
);

const schema = JSON.parse(
  readFileSync(new URL('../schemas/agent-runner/2026-06-03/protocol.schema.json', import.meta.url), 'utf8'),
) as object;
const ajv = new Ajv2020({ strict: true, ownProperties: true }).compile({ ...schema, $ref: '#/$defs/AgentRunContext' });
const typebox = Compile({ ...schema, $ref: '#/$defs/AgentRunContext' } as never) as unknown as {
  Check(value: unknown): boolean;
};
const zodSchema = zodOf({ ref: 'AgentRunContext' });
const valibotSchema = valibotOf({ ref: 'AgentRunContext' });

const tests: [string, (value: unknown) => boolean][] = [
  ['runcert is', isAgentRunContext],
  ['runcert check (errors)', (value) => check('AgentRunContext', value).length === 0],
  ['typia 12 is', typia as (value: unknown) => boolean],
  ['ajv 8', (value) => ajv(value) as boolean],
  ['typebox 1.4 compiled', (value) => typebox.Check(value)],
  ['zod 4 safeParse', (value) => zodSchema.safeParse(value).success],
  ['valibot 1.5 is', (value) => v.is(valibotSchema, value)],
];
for (const [name, test] of tests) {
  if (!varied.every(test)) throw new Error(`${name} refuses a valid context`);
  const accepted = invalid.filter(test).length;
  if (accepted > 0) console.log(`  (${name} accepts ${accepted} of ${invalid.length} invalid contexts)`);
}

const over = (values: readonly unknown[]): Contender[] =>
  tests.map(([name, test]) => ({
    name,
    operations: values.length,
    run: () => values.reduce<number>((sum, value) => sum + Number(test(value)), 0),
  }));
const onValid = measure(over(uniform));
const onVaried = measure(over(varied));
const onInvalid = measure(over(invalid));
table('valid contexts of one shape', onValid, 'runcert is');
table('valid contexts, every one of another shape', onVaried, 'runcert is');
table('invalid contexts', onInvalid, 'runcert is');
const rate = (name: string): number => onValid.find((one) => one.name.startsWith(name))?.rate ?? 0;
console.log();
limit(
  'typia / runcert on valid contexts, at most 1.25',
  rate('typia') / rate('runcert is'),
  rate('typia') / rate('runcert is') <= 1.25,
);
limit(
  'runcert / zod on valid contexts, at least 6',
  rate('runcert is') / rate('zod'),
  rate('runcert is') / rate('zod') >= 6,
);

const onOther = (name: string): number => onVaried.find((one) => one.name.startsWith(name))?.rate ?? 0;
console.log(
  `runcert / zod where every context has another shape: ${(onOther('runcert is') / onOther('zod')).toFixed(2)} (no limit: reading a field then misses the engine's caches, which costs more than the test itself)`,
);

/** The same models for zod, written as a person would: objects that pass over unknown fields. */
function zodOf(shape: Shape, made = new Map<string, z.ZodType>()): z.ZodType {
  if (typeof shape === 'string')
    return {
      any: z.unknown(),
      null: z.null(),
      boolean: z.boolean(),
      string: z.string(),
      integer: z.int(),
      number: z.number(),
    }[shape];
  if ('list' in shape) return z.array(zodOf(shape.list, made));
  if ('map' in shape) return z.record(z.string(), zodOf(shape.map, made));
  if ('enum' in shape) return z.literal(shape.enum as string[]);
  if ('anyOf' in shape) {
    const rest = shape.anyOf.filter((branch) => branch !== 'null');
    const branches = rest.map((branch) => zodOf(branch, made));
    const one = branches.length === 1 ? (branches[0] as z.ZodType) : z.union(branches as [z.ZodType, z.ZodType]);
    return rest.length < shape.anyOf.length ? one.nullable() : one;
  }
  if (!('ref' in shape)) return 'string' in shape ? z.string() : z.number();
  const known = made.get(shape.ref);
  if (known !== undefined) return known;
  const lazy = z.lazy(() => made.get(shape.ref) as z.ZodType);
  made.set(shape.ref, lazy);
  const definition = shapes[shape.ref];
  const type =
    'alias' in definition
      ? zodOf(definition.alias, made)
      : z.object(
          Object.fromEntries(
            'fields' in definition
              ? Object.entries(definition.fields).map(([name, field]) => [
                  name,
                  field.required ? zodOf(field.type, made) : zodOf(field.type, made).optional(),
                ])
              : [],
          ),
        );
  made.set(shape.ref, type);
  return type;
}

/** And for valibot. */
function valibotOf(shape: Shape, made = new Map<string, v.GenericSchema>()): v.GenericSchema {
  if (typeof shape === 'string')
    return {
      any: v.unknown(),
      null: v.null(),
      boolean: v.boolean(),
      string: v.string(),
      integer: v.pipe(v.number(), v.integer()),
      number: v.number(),
    }[shape];
  if ('list' in shape) return v.array(valibotOf(shape.list, made));
  if ('map' in shape) return v.record(v.string(), valibotOf(shape.map, made));
  if ('enum' in shape) return v.picklist(shape.enum as string[]);
  if ('anyOf' in shape) {
    const rest = shape.anyOf.filter((branch) => branch !== 'null');
    const branches = rest.map((branch) => valibotOf(branch, made));
    const one = branches.length === 1 ? (branches[0] as v.GenericSchema) : v.union(branches);
    return rest.length < shape.anyOf.length ? v.nullable(one) : one;
  }
  if (!('ref' in shape)) return 'string' in shape ? v.string() : v.number();
  const known = made.get(shape.ref);
  if (known !== undefined) return known;
  made.set(
    shape.ref,
    v.lazy(() => made.get(shape.ref) as v.GenericSchema),
  );
  const definition = shapes[shape.ref];
  const type =
    'alias' in definition
      ? valibotOf(definition.alias, made)
      : v.object(
          Object.fromEntries(
            'fields' in definition
              ? Object.entries(definition.fields).map(([name, field]) => [
                  name,
                  field.required ? valibotOf(field.type, made) : v.optional(valibotOf(field.type, made)),
                ])
              : [],
          ),
        );
  made.set(shape.ref, type);
  return type;
}
