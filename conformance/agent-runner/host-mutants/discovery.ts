// §3, §4: version negotiation and discovery.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import type { Answer } from '../../wire/peer.ts';
import type { Descriptor, Problem } from '../reference-host/discovery.ts';
import { HOST_PARTS } from '../reference-host/parts.ts';
import type { LeftOut, Listing } from '../reference-host/registry.ts';
import { type Change, context, inContext, memberOf, mutant } from './mutant.ts';

const { readEntry, checkPayload, readResult } = HOST_PARTS;

/** The manifest in an entry, however it is wrapped. */
const manifestIn = (entry: JsonValue | undefined): JsonObject =>
  isObject(entry) ? (isObject(entry['manifest']) ? entry['manifest'] : entry) : {};

/** Refuses entries that it has no reason to refuse. */
const refusing = (wrongly: (manifest: JsonObject) => boolean): Change => ({
  readEntry: (entry) => {
    const read = readEntry(entry);
    return 'problem' in read || !wrongly(manifestIn(entry)) ? read : { problem: 'not to our liking', id: read.id };
  },
});

const silentOf = (...codes: readonly LeftOut['code'][]): Change => ({
  settleListing: ({ runners, leftOut }) => ({ runners, leftOut: leftOut.filter(({ code }) => !codes.includes(code)) }),
});

const KNOWN_FIELDS = new Set(['id', 'name', 'label', 'description', 'protocol_version', 'capabilities', 'permissions']);
for (const field of ['context', 'config_schema', 'metadata']) KNOWN_FIELDS.add(field);

/** A runner made of whatever could be read. */
function bravely(entry: JsonValue | undefined): Descriptor | Problem {
  const read = readEntry(entry);
  if (!('problem' in read)) return read;
  const lean = { name: 'default', label: {}, capabilities: {}, permissions: {}, context: {} };
  const id = manifestIn(entry)['id'] ?? read.id;
  return typeof id === 'string' ? { ...(readEntry({ ...lean, id: 'plugin:a/b/c' }) as Descriptor), id } : read;
}

const envelope = new Set(['run_id', 'type', 'data', 'sequence', 'timestamp']);

export const discoveryMutants = [
  mutant(
    'first-manifest-stays',
    'Goes by the first manifest of a runner that it was ever told.',
    ['4.4/within-manifest-models', '4.4/within-manifest-tools'],
    () => {
      const first = new Map<string, Descriptor>();
      return {
        settleListing: ({ runners, leftOut }) => {
          for (const [id, runner] of runners) if (!first.has(id)) first.set(id, runner);
          return { runners: new Map([...runners].map(([id, runner]) => [id, first.get(id) ?? runner])), leftOut };
        },
      };
    },
  ),
  mutant(
    'version-1-refused',
    'Leaves out runners that say protocol_version "1".',
    '3/version-1-accepted',
    refusing(({ protocol_version: version }) => version === '1'),
  ),
  mutant(
    'version-absent-refused',
    'Leaves out runners that do not name their protocol version.',
    '3/version-absent-is-1',
    refusing(({ protocol_version: version }) => version === undefined),
  ),
  mutant('any-version', 'Offers runners of every protocol version.', '3/incompatible-left-out', {
    acceptProtocolVersion: () => true,
  }),
  mutant('version-by-prefix', 'Takes every protocol version that begins with 1.', '3/incompatible-left-out', {
    acceptProtocolVersion: (version) => version.startsWith('1'),
  }),
  mutant('version-empty', 'Takes an empty protocol version for "1".', '3/incompatible-left-out', {
    acceptProtocolVersion: (version) => version === '1' || version === '',
  }),
  mutant(
    'version-unwarned',
    'Leaves out runners of another version without a word.',
    '3/incompatible-warned',
    silentOf('runner_version'),
  ),
  mutant(
    'incompatible-run',
    'Hides runners of another version from the list, but runs them when a binding asks.',
    '3/incompatible-not-run',
    () => {
      const other: LeftOut[] = [];
      return {
        acceptProtocolVersion: () => true,
        settleListing: ({ runners, leftOut }) => {
          for (const [id, { protocol_version: version }] of runners)
            if (version !== '1')
              other.push({ run_id: null, runner_id: id, code: 'runner_version', message: `${id} is not compatible` });
          return { runners, leftOut: [...leftOut, ...other] };
        },
        idsOf: (runners) =>
          [...runners].filter(([, { protocol_version: version }]) => version === '1').map(([id]) => id),
      };
    },
  ),
  mutant(
    'one-bad-apple',
    'Offers nothing at all when one runner of the answer is of another version.',
    '3/neighbours-kept',
    {
      settleListing: (listing: Listing) =>
        listing.leftOut.some(({ code }) => code === 'runner_version') ? { ...listing, runners: new Map() } : listing,
    },
  ),
  mutant(
    'host-major-2',
    'Calls itself version 2 of the protocol.',
    '3/host-declares-major',
    inContext('runtime', () => ({ protocol_version: '2' })),
  ),
  mutant(
    'manifest-strict',
    'Leaves out manifests with fields that it does not know.',
    '3/host-reads-added-manifest-fields',
    refusing(
      (manifest) =>
        Object.keys(manifest).some((field) => !KNOWN_FIELDS.has(field)) ||
        Object.keys(memberOf(manifest, 'capabilities')).includes('extra'),
    ),
  ),
  mutant('result-strict', 'Drops results with fields that it does not know.', '3/host-reads-added-result-fields', {
    readResult: (value) =>
      Object.keys(value).some((field) => !envelope.has(field))
        ? { code: 'result_malformed', message: 'A result with fields of its own.' }
        : readResult(value),
  }),
  mutant(
    'payload-strict',
    'Drops message results whose payload has fields that it does not know.',
    '3/host-reads-added-result-fields',
    {
      checkPayload: (result) =>
        result.type === 'message.completed' && Object.keys(result.data).some((field) => field !== 'message')
          ? { code: 'result_malformed', message: 'A payload with fields of its own.' }
          : checkPayload(result),
    },
  ),
  mutant('call-strict', 'Refuses calls with fields that it does not know.', '3/host-reads-added-call-fields', {
    answer: (action, data, scene) =>
      Object.keys(data).some((field) => !CALL_FIELDS.has(field))
        ? { code: 'invalid_argument' }
        : HOST_PARTS.answer(action, data, scene),
  }),
  mutant(
    'never-asks',
    'Answers discovery from a list of its own and never asks the Runtime.',
    '4.1/host-asks-runtime',
    {
      askForRunners: async () => ({ code: 0, message: 'success', data: { runners: [] } }),
    },
  ),
  mutant(
    'asks-with-payload',
    'Tells the Runtime about its bindings when it asks for runners.',
    '4.1/host-asks-without-payload',
    {
      listRequest: () => ({ bindings: [] }),
    },
  ),
  mutant(
    'broken-entry-throws',
    'Fails the whole discovery over an entry that is no object or has no id.',
    '4.1/broken-entry-left-out',
    {
      readEntry: (entry) => {
        const read = readEntry(entry);
        if ('problem' in read && read.id === undefined) throw new Error('cannot read an entry');
        return read;
      },
    },
  ),
  mutant(
    'broken-entry-listed',
    'Offers runners whose manifest is broken, as long as they have an id.',
    '4.1/broken-entry-left-out',
    { readEntry: bravely },
  ),
  mutant(
    'broken-entry-unwarned',
    'Leaves out broken entries without a word.',
    '4.1/broken-entry-warned',
    silentOf('runner_broken'),
  ),
  mutant(
    'failed-listing-final',
    'Does not ask a Runtime again that failed to list its runners once.',
    '4.1/failed-listing-survived',
    () => {
      let failed: Answer | undefined;
      return {
        askForRunners: async (ask, data) => {
          if (failed !== undefined) return failed;
          const answer = await HOST_PARTS.askForRunners(ask, data);
          if (answer.code !== 0) failed = answer;
          return answer;
        },
      };
    },
  ),
  mutant(
    'failed-listing-hangs',
    'Waits for ever when the Runtime answers without a list.',
    '4.1/failed-listing-survived',
    {
      askForRunners: async (ask, data) => {
        const answer = await HOST_PARTS.askForRunners(ask, data);
        return answer.code === 0 && Array.isArray(answer.data['runners']) ? answer : new Promise<Answer>(() => {});
      },
    },
  ),
  mutant(
    'failed-listing-made-up',
    'Offers a runner of its own when the Runtime fails to list any.',
    '4.1/failed-listing-survived',
    {
      idsOf: (runners) => (runners.size === 0 ? ['plugin:langbot/local-agent/default'] : [...runners.keys()]),
    },
  ),
  mutant(
    'failed-listing-untold',
    'Takes a Runtime that fails to list its runners for one that has none.',
    '4.1/failed-listing-told',
    silentOf('runners_unknown'),
  ),
  mutant(
    'metadata-decides',
    'Leaves out runners whose metadata is not empty.',
    '4.2/metadata-not-core',
    refusing(({ metadata }) => isObject(metadata) && Object.keys(metadata).length > 0),
  ),
  mutant(
    'metadata-in-context',
    'Lets the length of the metadata of a runner show in its context.',
    '4.2/metadata-not-core',
    () => {
      const sizes = new Map<string, number>();
      return {
        readEntry: (entry) => {
          const read = readEntry(entry);
          if (!('problem' in read)) sizes.set(read.id, JSON.stringify(manifestIn(entry)['metadata'] ?? {}).length);
          return read;
        },
        ...context((whole, { run }) => ({ ...whole, metadata: { size: sizes.get(run.runner_id) ?? 0 } })),
      };
    },
  ),
];

/** Every field that some call of the specification has. */
const CALL_FIELDS = new Set(
  (
    'run_id caller_plugin_identity llm_model_uuid messages funcs extra_args timeout remove_think rerank_model_uuid query documents ' +
    'top_k tool_name parameters kb_id query_text filters conversation_id before_cursor after_cursor limit direction ' +
    'include_artifacts event_id event_types artifact_id offset length scope key value value_base64 prefix owner_type owner ' +
    'action target payload'
  ).split(' '),
);
