// §8: answers that fit their model, and tell something that is not so.
import { HOST_PARTS } from '../reference-host/parts.ts';
import { actions, answers, type Change, listOf, mutant } from './mutant.ts';

const { ownersOf } = HOST_PARTS;

/** Takes no notice of how many items a page shall have. */
const anyLimit = (action: string): Change =>
  actions([action], ({ perform }) => ({ perform: (data, scene) => perform({ ...data, limit: 1000 }, scene) }));

/** Keeps values under keys that are not quite those that were given. */
const keyed = (family: string, change: (key: string) => string): Change =>
  actions(family, ({ checkScope, perform }) => {
    const bent = (data: Parameters<typeof perform>[0]) =>
      typeof data['key'] === 'string' ? { ...data, key: change(data['key']) } : data;
    return {
      ...(checkScope && { checkScope: (data, scene) => checkScope(bent(data), scene) }),
      perform: (data, scene) => perform(bent(data), scene),
    };
  });

export const untrueMutants = [
  mutant(
    'metadata-wrong-hash',
    'Answers another hash than that of the artifact.',
    '8/answer-artifact-metadata',
    answers(['artifact_metadata'], (data) => ({ ...data, sha256: '0'.repeat(64) })),
  ),
  mutant(
    'metadata-of-one-type',
    'Says of every artifact that it is of one type.',
    '8/answer-artifact-metadata',
    answers(['artifact_metadata'], (data) => ({ ...data, artifact_type: 'blob' })),
  ),
  mutant(
    'range-length-as-asked',
    'Tells the length that was asked for instead of that of its answer.',
    '8/answer-artifact-range',
    answers(['artifact_read'], (data, { length }) => ({ ...data, length: length ?? data['length'] ?? null })),
  ),
  mutant(
    'range-offset-untold',
    'Says of every range that it begins at the start.',
    '8/answer-artifact-range',
    answers(['artifact_read'], (data) => ({ ...data, offset: 0 })),
  ),
  mutant(
    'range-without-end',
    'Says past the end of an artifact that there is more.',
    '8/answer-artifact-range',
    answers(['artifact_read'], (data) => ({ ...data, has_more: data['length'] === 0 ? true : data['has_more']! })),
  ),
  mutant(
    'range-by-halves',
    'Reads half of what is asked for, though it may read it all.',
    '8/answer-artifact-range',
    actions(['artifact_read'], ({ perform }) => ({
      perform: ({ length, ...data }, scene) =>
        perform({ ...data, length: typeof length === 'number' ? Math.ceil(length / 2) : (length ?? null) }, scene),
    })),
  ),
  mutant(
    'pieces-all-at-the-start',
    'Says of every piece of an artifact that it begins at the start.',
    '8/answer-artifact-stream',
    actions(['artifact_open_stream'], ({ perform }) => ({
      perform: (data, scene) => ({
        stream: (perform(data, scene).stream ?? []).map((piece) => ({ ...piece, offset: 0 })),
      }),
    })),
  ),
  mutant(
    'history-any-limit',
    'Answers more history than was asked for.',
    '8/answer-history-page',
    anyLimit('history_page'),
  ),
  mutant('events-any-limit', 'Answers more events than were asked for.', '8/answer-event-page', anyLimit('event_page')),
  mutant(
    'history-words-changed',
    'Answers other words than were said.',
    '8/answer-history-page',
    answers(['history_page'], (data) => ({
      ...data,
      items: listOf(data, 'items').map((item) => ({ ...item, content: `${String(item['content'])}!` })),
    })),
  ),
  mutant(
    'history-roles-swapped',
    'Takes what the user said for what the runner said.',
    '8/answer-history-page',
    answers(['history_page'], (data) => ({
      ...data,
      items: listOf(data, 'items').map((item) => ({ ...item, role: item['role'] === 'user' ? 'assistant' : 'user' })),
    })),
  ),
  mutant(
    'search-words-changed',
    'Finds what was said, and answers it with more to it.',
    '8/answer-history-search',
    answers(['history_search'], (data) => ({
      ...data,
      items: listOf(data, 'items').map((item) => ({ ...item, content: `${String(item['content'])}!` })),
    })),
  ),
  mutant(
    'state-keys-folded',
    'Takes no notice of capitals in the keys of state.',
    '8/answer-state',
    keyed('state.', (key) => key.toLowerCase()),
  ),
  mutant(
    'storage-keys-trimmed',
    'Takes no notice of blanks at the ends of the keys of storage.',
    '8/answer-storage',
    keyed('storage.', (key) => key.trim()),
  ),
  mutant(
    'storage-keys-normalised',
    'Writes accents its own way in the keys of storage.',
    '8/answer-storage',
    keyed('storage.', (key) => key.normalize('NFC')),
  ),
  mutant('storage-per-run', 'Keeps the storage of every run apart.', '8/answer-storage', () => {
    let runs = 0;
    return {
      ownersOf: (owning) => {
        const owners = ownersOf(owning);
        runs++;
        const { plugin, workspace, binding } = owners.storage;
        const own = (owner: string): string => JSON.stringify([owner, runs]);
        return { ...owners, storage: { plugin: own(plugin), workspace: own(workspace), binding: own(binding) } };
      },
    };
  }),
];
