// §4, §5: the facts that a payload names have the types of its class. Payloads are open: what a class does not name is not looked at.
import type { JsonObject } from '../../../common/json.ts';
import * as validators from '../../../schemas/agent-runtime/0.3.9/validators.js';
import { catalogue } from '../catalogue.ts';
import { type RuntimeEvent, snake } from '../event.ts';
import type { Book } from './book.ts';

/** Does the value have one of these kinds? Lists and objects of something in particular are left to the validator. */
interface Kinds {
  readonly string: boolean;
  readonly number: boolean;
  readonly boolean: boolean;
  readonly integer: boolean;
  readonly any: boolean;
  /** A list or a map of anything. */
  readonly list: boolean;
  readonly map: boolean;
}

type Model = Parameters<typeof validators.check>[0];

/** A payload model: its fields in both spellings, so that one look at each field that is there is enough, and its whole check. */
export interface PayloadFields {
  readonly model: Model;
  readonly kinds: ReadonlyMap<string, Kinds>;
  readonly holds: (payload: unknown) => boolean;
}

const guards = validators as unknown as Readonly<Record<string, (value: unknown) => boolean>>;

export const payloadFields: ReadonlyMap<string, PayloadFields> = new Map(
  [...catalogue].map(([type, { payload }]) => [type, fieldsOf(payload)]),
);

function fieldsOf(model: string): PayloadFields {
  const definition = (
    validators.shapes as unknown as Record<
      string,
      { readonly fields?: Readonly<Record<string, { readonly type: validators.Shape }>> }
    >
  )[model];
  const fields = new Map<string, Kinds>();
  for (const [name, { type }] of Object.entries(definition?.fields ?? {})) {
    fields.set(name, kindsOf(type));
    fields.set(camel(name), kindsOf(type));
  }
  return { model: model as Model, kinds: fields, holds: guards[`is${model}`]! };
}

function kindsOf(shape: validators.Shape): Kinds {
  const shapes = typeof shape === 'object' && 'anyOf' in shape ? shape.anyOf : [shape];
  const plain = (kind: string): boolean => shapes.some((one) => one === kind);
  return {
    string: plain('string'),
    number: plain('number'),
    boolean: plain('boolean'),
    integer: plain('integer'),
    any: plain('any'),
    list: shapes.some((one) => typeof one === 'object' && 'list' in one && one.list === 'any'),
    map: shapes.some((one) => typeof one === 'object' && 'map' in one && one.map === 'any'),
  };
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The quick answer for most values; the rest is for the validator. */
function surely(kinds: Kinds, value: unknown): boolean {
  if (kinds.any || value === null) return true;
  switch (typeof value) {
    case 'string':
      return kinds.string;
    case 'number':
      return kinds.number || (kinds.integer && Number.isInteger(value));
    case 'boolean':
      return kinds.boolean;
    default:
      return Array.isArray(value) ? kinds.list : kinds.map;
  }
}

export function payloadJudges(page: Book['page']) {
  const typed = page('ar/4/payload-typed');
  return (event: RuntimeEvent, place: number, fields: PayloadFields): void => {
    const { type, payload } = event;
    for (const name in payload) {
      const kinds = fields.kinds.get(name);
      if (kinds === undefined || surely(kinds, payload[name])) continue;
      const { model, holds } = fields;
      const spelled = event.camel ? snaked(payload) : payload;
      if (holds(spelled)) break;
      const [wrong] = validators.check(model, spelled);
      if (wrong === undefined) break;
      typed.broken(
        [place],
        `a payload of ${type} as ${model} has it`,
        `${wrong.path}: ${wrong.found}, where ${wrong.expected} is expected`,
      );
      return;
    }
    typed.kept();
  };
}

const snaked = (payload: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(payload).map(([name, value]) => [snake(name), value]));
