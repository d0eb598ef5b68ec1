// §3: fields that a newer minor adds, borne in one place and tripped over in another.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { HOST_PARTS } from '../reference-host/parts.ts';
import { actions, type Change, memberOf, mutant } from './mutant.ts';

/** Takes results of a type only where these are all the fields of their payload, or of one member of it. */
const strictIn = (type: string, fields: string, member?: string): Change => {
  const known = fields.split(' ');
  const read = (data: JsonObject): JsonObject => (member === undefined ? data : memberOf(data, member));
  return {
    checkPayload: (result) =>
      result.type === type && Object.keys(read(result.data)).some((field) => !known.includes(field))
        ? { code: 'result_malformed', message: 'A payload with fields of its own.' }
        : HOST_PARTS.checkPayload(result),
  };
};

/** Every field that some call of these families has. */
const CALL_FIELDS = new Set(
  (
    'run_id caller_plugin_identity llm_model_uuid messages funcs extra_args timeout rerank_model_uuid query documents top_k ' +
    'tool_name parameters kb_id query_text filters artifact_id offset length action target payload'
  ).split(' '),
);

export const strictnessMutants = [
  ...(
    [
      ['message.delta', 'chunk'],
      ['tool.call.completed', 'tool_call_id tool_name result error'],
      ['action.requested', 'action target payload'],
    ] as const
  ).map(([type, fields]) =>
    mutant(
      `strict-${type.replaceAll('.', '-')}`,
      `Drops a ${type} with fields that it does not know.`,
      '3/host-reads-added-result-fields',
      strictIn(type, fields),
    ),
  ),
  mutant(
    'strict-messages',
    'Drops a message.completed whose message has fields that it does not know.',
    '3/host-reads-added-result-fields',
    strictIn('message.completed', 'role content', 'message'),
  ),
  ...['models', 'tools', 'knowledge', 'artifacts', 'platform'].map((family) =>
    mutant(
      `strict-calls-${family}`,
      `Refuses ${family} calls with fields that it does not know.`,
      '3/host-reads-added-call-fields',
      actions(`${family}.`, ({ checkArguments }) => ({
        checkArguments: (data) =>
          Object.keys(data).some((field) => !CALL_FIELDS.has(field))
            ? { code: 'invalid_argument' }
            : checkArguments(data),
      })),
    ),
  ),
  mutant(
    'strict-wrappers',
    'Leaves out entries in the SDK’s form with fields that it does not know beside the manifest.',
    '3/host-reads-added-manifest-fields',
    {
      readEntry: (entry) => {
        const read = HOST_PARTS.readEntry(entry);
        const known = ['plugin_author', 'plugin_name', 'runner_name', 'manifest'];
        const added =
          isObject(entry) && 'plugin_author' in entry && Object.keys(entry).some((one) => !known.includes(one));
        return added && !('problem' in read) ? { problem: 'fields of its own', id: read.id } : read;
      },
    },
  ),
];
