// What stimuli are made of: sound runners, bindings and events, texts that tell where they came from, and small steps.
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { isObject, type JsonObject, type JsonValue } from '../../../../common/json.ts';
import type { Area } from '../../../driving/suite.ts';
import type { TargetInfo } from '../../../targets/target.ts';
import { CAPABILITIES, CONTEXT_POLICY, PERMISSIONS } from '../../oracle/manifest.ts';
import { playHost } from '../play.ts';
import { say } from '../say.ts';
import { type Beat, HostStimulus, type Script, type Step } from '../stimulus.ts';

const check = Compile(HostStimulus);

export interface HostArea {
  readonly id: string;
  readonly runs: number;
  readonly corners?: (info: TargetInfo) => readonly HostStimulus[];
  readonly stimulus: (info: TargetInfo) => fc.Arbitrary<HostStimulus>;
}

/** An area whose stimuli are played as a host is. */
export const hostArea = ({ id, runs, corners, stimulus }: HostArea): Area => ({
  id,
  runs,
  stimulus,
  ...(corners === undefined ? {} : { corners }),
  play: (one, stage) => playHost(one as HostStimulus, stage),
  valid: (one) => check.Check(one),
});

/** Texts of a few characters, some of them of two, three and four bytes. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc
    .array(fc.constantFrom('a', 'ß', '你', '好', '🤖', '\n', '"', '\\', ' ', 'é', '\u0000', '‏'), { maxLength: 8 })
    .map((all) => all.join('')),
);

/** A text that no other has within a case, so that wherever it shows up it is known where it came from. */
export const marked = (tag: string, rest = ''): string => `⟦${tag}⟧${rest}`;

/** Any JSON, small. */
/** The name of a field that nobody knows. Made once: building it from its pattern is dear. */
export const addedName: fc.Arbitrary<string> = fc.stringMatching(/^x_[a-z]{1,5}$/);

export const json: fc.Arbitrary<JsonValue> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => withoutMagic(value) as JsonValue);

/** A member named `__proto__` means something else in some readers, and `$…` something else to the player. */
function withoutMagic(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMagic);
  if (!isObject(value)) return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__proto__' && !key.startsWith('$'))
      .map(([key, member]) => [key, withoutMagic(member)]),
  );
}

/** Limits, inventory and features that the host declared. */
export const declaredBy = (info: TargetInfo) => ({
  limits: part(info, 'limits'),
  inventory: part(info, 'inventory'),
  features: Array.isArray(info.declared['features']) ? info.declared['features'].map(String) : [],
});
const part = (info: TargetInfo, name: string): JsonObject => {
  const value = info.declared[name];
  return isObject(value) ? value : {};
};

export const AUTHOR = 'acme';
export const idOf = (name = 'main', plugin = 'probe'): string => `plugin:${AUTHOR}/${plugin}/${name}`;

const all = (names: readonly string[], value: boolean): JsonObject =>
  Object.fromEntries(names.map((name) => [name, value]));

export const FULL_PERMISSIONS: JsonObject = { ...PERMISSIONS, platform_api: ['message.edit'] };

/** A sound manifest that can and asks for everything, unless told otherwise. */
export const manifest = (name = 'main', change: JsonObject = {}, plugin = 'probe'): JsonObject => ({
  id: idOf(name, plugin),
  name,
  label: { en_US: `Runner ${name}` },
  description: { en_US: 'A runner that Runcert plays.' },
  protocol_version: '1',
  capabilities: { ...all(CAPABILITIES, true) },
  permissions: FULL_PERMISSIONS,
  context: { ...all(CONTEXT_POLICY, true) },
  config_schema: [],
  metadata: {},
  ...change,
});

/** The same runner as the SDK lists it. */
export const wrapper = (manifest: JsonObject): JsonObject => {
  const [author, plugin, name] = String(manifest['id']).replace('plugin:', '').split('/');
  return { plugin_author: author, plugin_name: plugin, runner_name: name, manifest };
};

export const offer = (...runners: readonly unknown[]) => ({ data: { runners: [...runners] } });

/** A binding that allows everything, unless told otherwise. */
export const binding = (change: JsonObject = {}): JsonObject => ({
  binding_id: 'binding-1',
  scope: { scope_type: 'global', scope_id: null },
  event_types: [],
  runner_id: idOf(),
  runner_config: {},
  resource_policy: OPEN_POLICY,
  state_policy: { enable_state: true, state_scopes: ['conversation', 'actor', 'subject', 'runner'] },
  delivery_policy: { enable_streaming: true, enable_reply: true, max_message_size: null },
  enabled: true,
  ...change,
});

export const OPEN_POLICY: JsonObject = {
  allowed_model_uuids: null,
  allowed_tool_names: null,
  allowed_kb_uuids: null,
  allow_plugin_storage: true,
  allow_workspace_storage: true,
  allow_binding_storage: true,
  allowed_conversation_ids: [],
  allowed_platform_actions: [],
  approved_platform_actions: [],
};

/** A message in a conversation, said by somebody, unless told otherwise. Its number makes it unlike all others. */
export const event = (number: number, change: JsonObject = {}): JsonObject => ({
  event_id: `event-${number}`,
  event_type: 'message.received',
  event_time: 1_780_444_800 + number,
  source: 'platform',
  bot_id: 'bot-1',
  workspace_id: 'workspace-1',
  conversation_id: 'conversation-1',
  thread_id: null,
  actor: { actor_type: 'user', actor_id: 'actor-1', actor_name: 'Ada', metadata: {} },
  subject: { subject_type: 'message', subject_id: 'subject-1', data: {} },
  input: { text: marked(`in${number}`, 'what was said'), contents: [], attachments: [] },
  delivery: delivery(),
  raw_ref: null,
  data: {},
  ...change,
});

export const delivery = (change: JsonObject = {}): JsonObject => ({
  surface: 'chat',
  reply_target: { message_id: 'message-1' },
  supports_streaming: true,
  supports_edit: true,
  supports_reaction: false,
  max_message_size: null,
  platform_capabilities: {},
  ...change,
});

export const submit = (event: JsonObject, binding: JsonObject, script: Script | readonly Beat[]): Step => ({
  do: 'submit',
  event,
  binding,
  script: 'beats' in script ? script : { beats: [...script] },
});

export const settle = (run: number, within?: number): Step =>
  within === undefined ? { do: 'settle', run } : { do: 'settle', run, within };

/** The shortest honest run. */
export const quiet = (words: string): readonly Beat[] => [say.message(words), say.completed()];

/** One runner, found, then these steps, then a look at everything. */
export const scene = (
  steps: readonly Step[],
  runners: readonly unknown[] = [manifest()],
  look = true,
): HostStimulus => ({
  offers: [offer(...runners)],
  steps: [{ do: 'discover' }, ...steps, ...(look ? [{ do: 'observe' as const }] : [])],
});

/** One run from beginning to end. */
export const oneRun = (
  beats: readonly Beat[],
  of: { event?: JsonObject; binding?: JsonObject; runner?: JsonObject } = {},
) => scene([submit(of.event ?? event(1), of.binding ?? binding(), beats), settle(0)], [of.runner ?? manifest()]);
