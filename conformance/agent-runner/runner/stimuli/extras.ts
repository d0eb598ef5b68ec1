// Unknown fields, put anywhere into a context where the model has named members (§3: optional fields may be added).
import fc from 'fast-check';
import { isObject, type JsonObject } from '../../../../common/json.ts';

type Path = readonly (string | number)[];

/** Where named members stand: the context itself and the models inside it. Free objects take any key, so none is unknown there. */
export function namedObjects(context: JsonObject): Path[] {
  const paths: Path[] = [[]];
  const named = [
    'trigger',
    'event',
    'conversation',
    'actor',
    'subject',
    'input',
    'delivery',
    'resources',
    'context',
    'runtime',
  ];
  for (const key of named) if (isObject(context[key])) paths.push([key]);
  for (const [key, inner] of [
    ['context', 'inline_policy'],
    ['context', 'available_apis'],
    ['event', 'raw_ref'],
    ['resources', 'storage'],
  ] as const) {
    const outer = context[key];
    if (isObject(outer) && isObject(outer[inner])) paths.push([key, inner]);
  }
  const resources = context['resources'];
  if (isObject(resources))
    for (const kind of ['models', 'tools', 'knowledge_bases']) {
      const entries = resources[kind];
      if (Array.isArray(entries)) for (const i of entries.keys()) paths.push(['resources', kind, i]);
    }
  return paths;
}

const names = fc.constantFrom('x_future', 'vendor.thing', 'zusätzlich', '$extension', 'messages2', '__x');
const values = fc.oneof(fc.constant(null), fc.integer(), fc.string({ maxLength: 8 }), fc.constant({ deep: [{}] }));

/** The same context with one or more unknown fields in it. */
export const extrasInto = (context: JsonObject): fc.Arbitrary<JsonObject> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...namedObjects(context)), names, values), {
      minLength: 1,
      maxLength: 6,
      selector: ([path, name]) => `${path.join('/')}/${name}`,
    })
    .map((extras) => extras.reduce((whole, [path, name, value]) => put(whole, path, name, value), context));

/** The same context with an unknown field in every place that there is for one. */
export const extrasEverywhere = (context: JsonObject): JsonObject =>
  namedObjects(context).reduce((whole, path) => put(whole, path, 'x_future', { deep: [1] }), context);

function put(value: JsonObject, [key, ...rest]: Path, name: string, extra: unknown): JsonObject {
  if (key === undefined) return { ...value, [name]: extra as JsonObject };
  const inner = value[key];
  if (Array.isArray(inner)) {
    const [i, ...deeper] = rest as [number, ...Path];
    return { ...value, [key]: inner.with(i, put(inner[i] as JsonObject, deeper, name, extra)) };
  }
  return { ...value, [key]: put(inner as JsonObject, rest, name, extra) };
}
