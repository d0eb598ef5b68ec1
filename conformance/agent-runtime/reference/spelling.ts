// An event as the published schemas spell it: camel case in the envelope and one level into the payload.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { fieldOf } from '../event.ts';

export function camelled(event: JsonObject): JsonObject {
  const spell = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [camel(key), value]));
  return { ...spell(event), payload: isObject(event['payload']) ? spell(event['payload']) : event['payload'] };
}

const camel = (name: string): string => {
  const spelled = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return fieldOf(spelled).snake === name ? spelled : name;
};
