// HOST_SDK §4.2: bindings that are none.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { HOST_PARTS } from '../reference-host/parts.ts';
import { type Change, mutant } from './mutant.ts';

const { readBinding } = HOST_PARTS;

/** Reads a binding with what it cannot read left out or made up. */
const mending = (mend: (binding: JsonObject) => JsonObject): Change => ({
  readBinding: (value) => {
    const read = readBinding(value);
    return 'problem' in read ? readBinding(mend(isObject(value) ? value : {})) : read;
  },
});

/** Takes whatever comes for a binding. */
export const anyBinding: Change = mending(({ binding_id: id, runner_id: runner }) => ({
  binding_id: String(id ?? 'none'),
  runner_id: typeof runner === 'string' ? runner : 'plugin:acme/probe/main',
}));

const dropping = (...names: readonly string[]): Change =>
  mending((binding) => Object.fromEntries(Object.entries(binding).filter(([name]) => !names.includes(name))));

export const bindingMutants = [
  mutant(
    'any-binding',
    'Runs an event under whatever comes for a binding.',
    'host-4/malformed-binding-refused',
    anyBinding,
  ),
  mutant(
    'policies-guessed',
    'Goes by the default where it cannot read a policy of a binding.',
    'host-4/malformed-binding-refused',
    dropping('resource_policy', 'state_policy', 'delivery_policy'),
  ),
  mutant(
    'enabled-guessed',
    'Takes a binding for enabled when it cannot tell.',
    'host-4/malformed-binding-refused',
    dropping('enabled'),
  ),
  mutant(
    'unknown-scopes-skipped',
    'Passes over state scopes that do not exist instead of refusing the binding.',
    'host-4/malformed-binding-refused',
    mending((binding) => {
      const policy = isObject(binding['state_policy']) ? binding['state_policy'] : {};
      return { ...binding, state_policy: { ...policy, state_scopes: ['conversation'] } };
    }),
  ),
  mutant(
    'binding-id-made-up',
    'Makes up an id for a binding that has none.',
    'host-4/malformed-binding-refused',
    mending((binding) => ({ ...binding, binding_id: String(binding['binding_id'] ?? 'none') })),
  ),
  mutant(
    'binding-fault-untold',
    'Refuses a malformed binding without saying what is wrong with it.',
    'host-4/malformed-binding-told',
    {
      readBinding: (value) => {
        const read = readBinding(value);
        return 'problem' in read ? { problem: '' } : read;
      },
    },
  ),
];
