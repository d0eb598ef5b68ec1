// §8: hosts that do not do what a runner asks them to: keep state and storage as they are set, carry out platform actions.
import { HOST_PARTS } from '../reference-host/parts.ts';
import { deny } from '../reference-host/refusal.ts';
import { actions, answers, mutant } from './mutant.ts';

export const storeMutants = [
  mutant(
    'negative-refused',
    'Refuses to keep numbers below zero.',
    '8/answer-state',
    actions(['state_set'], ({ checkArguments }) => ({
      checkArguments: (data) => (Number(data['value']) < 0 ? deny('invalid_argument', 'value') : checkArguments(data)),
    })),
  ),
  mutant(
    'set-without-success',
    'Says that a value was not set when it was.',
    '8/answer-state',
    answers(['state_set'], () => ({ success: false })),
  ),
  mutant('action-not-carried-out', 'Answers platform actions and carries none out.', '8/answer-platform', {
    ...actions(['platform_request_action'], ({ perform }) => ({
      perform: (data, scene) => ({ ...perform(data, scene), deliveries: [] }),
    })),
  }),
  mutant(
    'state-get-text',
    'Answers every state value as text.',
    '8/answer-state',
    answers(['state_get'], ({ value }) => ({ value: value == null ? null : JSON.stringify(value) })),
  ),
  mutant(
    'state-delete-idle',
    'Answers that a key was deleted, and keeps it.',
    '8/answer-state',
    actions(['state_delete'], () => ({ perform: () => ({ data: { success: true } }) })),
  ),
  mutant(
    'state-set-idle',
    'Answers that a value was set, and does not set it.',
    '8/answer-state',
    actions(['state_set'], () => ({ perform: () => ({ data: { success: true } }) })),
  ),
  mutant(
    'storage-set-once',
    'Keeps the first value of a storage key.',
    '8/answer-storage',
    actions('storage.set', ({ perform }) => ({
      perform: (data, scene) => {
        const answered = perform(data, scene);
        const { owner = '', key = '' } = answered.storage ?? {};
        return scene.memory.storage.get(owner)?.has(key) ? { data: {} } : answered;
      },
    })),
  ),
  mutant(
    'storage-delete-idle',
    'Answers that a storage key was deleted, and keeps it.',
    '8/answer-storage',
    actions('storage.delete', () => ({ perform: () => ({ data: {} }) })),
  ),
  mutant('storage-areas-mixed', 'Keeps plugin and binding storage in one place.', '8/answer-storage-list', {
    ownersOf: (owning) => {
      const owners = HOST_PARTS.ownersOf(owning);
      return { ...owners, storage: { ...owners.storage, binding: owners.storage.plugin } };
    },
  }),
  mutant(
    'storage-list-all',
    'Lists every key, whatever the prefix.',
    '8/answer-storage-list',
    actions('storage.list', ({ perform }) => ({ perform: (data, scene) => perform({ ...data, prefix: null }, scene) })),
  ),
  mutant(
    'platform-refused',
    'Refuses platform actions that everyone has allowed.',
    '8/answer-platform',
    actions('platform.', () => ({ checkGrant: () => deny('unauthorized') })),
  ),
];
