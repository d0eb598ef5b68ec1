// §4, §5: the facts that a payload names have the types of its class. Payloads are open: what a class does not name is not looked at.
import type { JsonObject } from '../../../common/json.ts';
import * as validators from '../../../schemas/agent-runtime/0.3.9/validators.js';
import { catalogue } from '../catalogue.ts';
import { type RuntimeEvent, snake } from '../event.ts';
import type { Book } from './book.ts';

type Guard = (value: unknown) => boolean;

const guards = new Map<string, { readonly fits: Guard; readonly model: string }>(
  [...catalogue].map(([type, { payload }]) => [
    type,
    { fits: (validators as unknown as Record<string, Guard>)[`is${payload}`]!, model: payload },
  ]),
);

export function payloadJudges(page: Book['page']) {
  const typed = page('ar/4/payload-typed');
  return (event: RuntimeEvent, place: number): void => {
    const guard = guards.get(event.type);
    if (guard === undefined) return;
    const payload = snaked(event.payload);
    if (guard.fits(payload)) typed.kept();
    else typed.broken([place], `a payload of ${event.type} as ${guard.model} has it`, words(guard.model, payload));
  };
}

function words(model: string, payload: JsonObject): string {
  const [first] = validators.check(model as Parameters<typeof validators.check>[0], payload);
  return first === undefined ? 'another type' : `${first.path}: ${first.found}, where ${first.expected} is expected`;
}

const names = new Map<string, string>();

/** The payload with its own fields as the prose spells them; the very same object where they already are. */
function snaked(payload: JsonObject): JsonObject {
  for (const name in payload) {
    if (spelled(name) !== name) {
      return Object.fromEntries(Object.entries(payload).map(([key, value]) => [spelled(key), value]));
    }
  }
  return payload;
}

function spelled(name: string): string {
  let known = names.get(name);
  if (known === undefined) {
    known = snake(name);
    if (names.size < 10_000) names.set(name, known);
  }
  return known;
}
