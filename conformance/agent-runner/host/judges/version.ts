// §3: version negotiation at discovery, and the tolerance that lets a minor add fields.
import { isObject, sameJson } from '../../../../common/json.ts';
import { broken, type Finding, hold, judge, kept, open } from '../../../judging/judge.ts';
import { apiOf } from '../../oracle/calls.ts';
import { CAPABILITIES, CONTEXT_POLICY, type Offered, offeredIn, PERMISSIONS } from '../../oracle/manifest.ts';
import { textOf } from '../../oracle/payload.ts';
import { MAJOR, type Negotiated, negotiate } from '../../oracle/version.ts';
import { artifactShown, brief, inTelemetry, messagesOf, sameContent, stateValue } from '../effects.ts';
import { type Folded, foldAll } from '../folded.ts';
import { overviews, warningText } from '../shown.ts';
import { streams, surfaceStreams } from '../surface.ts';
import type { Discovery, HostCase } from '../view.ts';

interface Entry {
  readonly discovery: Discovery;
  readonly offered: Offered;
  readonly negotiated: Negotiated;
  readonly proof: readonly number[];
}

/** Every entry that the host was offered by a discovery of its own, beside what it answered to it. */
export function entriesOf(view: HostCase): readonly Entry[] {
  const known = memo.get(view);
  if (known !== undefined) return known;
  const entries = readEntries(view);
  memo.set(view, entries);
  return entries;
}
const memo = new WeakMap<HostCase, readonly Entry[]>();

function readEntries(view: HostCase): readonly Entry[] {
  return view.discoveries.flatMap((discovery) => {
    const answer = discovery.listing?.answer;
    if (discovery.reply === undefined || answer?.code !== 0 || discovery.listing!.n < discovery.n) return [];
    const all = offeredIn(answer.data) ?? [];
    const proof = [answer.n, discovery.reply.n];
    return all.map((offered) => ({ discovery, offered, negotiated: negotiate(offered, all), proof }));
  });
}

/** A host that lists nothing leaves nothing out for its version: a compatible neighbour must be there. */
export const listsOthers = (view: HostCase, { discovery }: Entry): boolean =>
  entriesOf(view).some((other) => other.discovery === discovery && other.negotiated === 'listed' && lists(other));

const lists = ({ discovery, offered }: Entry): boolean => discovery.listed?.includes(offered.id ?? '') === true;
const shown = ({ discovery }: Entry): string =>
  discovery.listed === undefined ? `an error: ${discovery.reply?.message}` : `runners [${discovery.listed.join(', ')}]`;

function* listed(view: HostCase, wanted: (entry: Entry) => boolean): Iterable<Finding> {
  for (const discovery of view.discoveries)
    if (discovery.reply === undefined) yield open(discovery.n, 'driver_discover was not answered');
  for (const entry of entriesOf(view))
    if (entry.negotiated === 'listed' && wanted(entry) && !besideBroken(view, entry))
      yield hold(lists(entry), entry.proof, () => ({
        expected: `${entry.offered.id} is offered`,
        found: shown(entry),
      }));
}

/** What a broken entry does to its neighbours is another clause's. */
const besideBroken = (view: HostCase, { discovery }: Entry): boolean =>
  entriesOf(view).some((other) => other.discovery === discovery && other.negotiated === 'broken');

const KNOWN: Readonly<Record<string, ReadonlySet<string>>> = {
  capabilities: new Set(CAPABILITIES),
  permissions: new Set(Object.keys(PERMISSIONS)),
  context: new Set(CONTEXT_POLICY),
};
const FIELDS: ReadonlySet<string> = new Set(
  'id name label description protocol_version capabilities permissions context config_schema metadata'.split(' '),
);

const WRAPPER: ReadonlySet<string> = new Set(['plugin_author', 'plugin_name', 'runner_name', 'manifest']);

/** Fields that this revision does not name. */
function addedTo({ entry, ...parts }: Offered): readonly string[] {
  const outer = isObject(entry) ? entry : {};
  const holder = isObject(outer['manifest']) ? outer['manifest'] : outer;
  const around = holder === outer ? [] : Object.keys(outer).filter((key) => !WRAPPER.has(key) && !FIELDS.has(key));
  const inner = (['capabilities', 'permissions', 'context'] as const).flatMap((part) =>
    Object.keys(parts[part]).filter((key) => !KNOWN[part]!.has(key)),
  );
  return [...around, ...Object.keys(holder).filter((key) => !FIELDS.has(key)), ...inner];
}

/** A manifest that a host may have left out for nothing but its version. */
const isPlain = (offered: Offered): boolean => addedTo(offered).length === 0;

/** What the host complained about in its answer to a discovery, and later on. */
export const warningsAfter = (view: HostCase, discovery: Discovery): readonly string[] => [
  ...discovery.warnings.map(warningText),
  ...overviews(view)
    .filter(({ n }) => n > discovery.n)
    .flatMap((one) => one.warnings ?? []),
];

/** Does this warning name the runner, by id or by plugin and name? */
export const names = (warning: string, { id, plugin, name }: Offered): boolean =>
  (id !== undefined && warning.includes(id)) ||
  (plugin !== undefined && name !== undefined && warning.includes(plugin) && warning.includes(name));

export const versionJudges = [
  judge<HostCase>('v1/3/version-1-accepted', (view) =>
    listed(view, ({ offered }) => offered.version === MAJOR && isPlain(offered)),
  ),
  judge<HostCase>('v1/3/version-absent-is-1', (view) =>
    listed(view, ({ offered }) => offered.version === undefined && isPlain(offered)),
  ),
  judge<HostCase>('v1/3/host-reads-added-manifest-fields', (view) =>
    listed(view, ({ offered }) => addedTo(offered).length > 0),
  ),

  judge<HostCase>('v1/3/incompatible-left-out', function* (view) {
    for (const entry of entriesOf(view))
      if (entry.negotiated === 'incompatible' && (lists(entry) || listsOthers(view, entry)))
        yield hold(!lists(entry), entry.proof, () => ({
          expected: `${entry.offered.id} (protocol_version ${JSON.stringify(entry.offered.version)}) is left out`,
          found: shown(entry),
        }));
  }),

  judge<HostCase>('v1/3/incompatible-warned', function* (view) {
    for (const entry of entriesOf(view)) {
      if (entry.negotiated !== 'incompatible' || entry.discovery.listed === undefined) continue;
      const warnings = warningsAfter(view, entry.discovery);
      yield hold(
        warnings.some((warning) => names(warning, entry.offered)),
        entry.proof,
        () => ({
          expected: `a warning that names ${entry.offered.id}`,
          found: warnings.length === 0 ? 'no warning' : brief(warnings.join(' · '), 200),
        }),
      );
    }
  }),

  judge<HostCase>('v1/3/incompatible-not-run', function* (view) {
    for (const submission of view.submissions) {
      if (submission.reply === undefined) continue;
      const id = submission.binding['runner_id'];
      const last = view.listings.findLast(
        ({ answer }) => answer !== undefined && answer.n < submission.n && answer.code === 0,
      );
      const all = last === undefined ? [] : (offeredIn(last.answer!.data) ?? []);
      const offered = all.find((one) => one.id === id);
      if (offered === undefined || negotiate(offered, all) !== 'incompatible') continue;
      // A run whose submission was refused belongs to none; the runner may also have come back compatible later.
      const run =
        submission.run ?? view.runs.find((one) => !one.submission && one.n > submission.n && one.runnerId === id);
      // A host that runs nothing at all has not refused it for its version.
      if (view.runs.length === 0) continue;
      yield hold(run === undefined, [submission.n, ...(run ? [run.n] : [])], {
        expected: `${id}, of another major version, is never run`,
        found: `run_agent for ${id}`,
      });
    }
  }),

  judge<HostCase>('v1/3/neighbours-kept', function* (view) {
    for (const discovery of view.discoveries) {
      const entries = entriesOf(view).filter((entry) => entry.discovery === discovery);
      if (!entries.some(({ negotiated }) => negotiated === 'incompatible')) continue;
      for (const entry of entries)
        if (entry.negotiated === 'listed' && isPlain(entry.offered))
          yield hold(lists(entry), entry.proof, {
            expected: `${entry.offered.id} stays beside the incompatible runner`,
            found: shown(entry),
          });
    }
  }),

  judge<HostCase>('v1/3/host-declares-major', function* ({ runs }) {
    for (const { n, context } of runs) {
      const runtime = isObject(context['runtime']) ? context['runtime'] : {};
      const version = runtime['protocol_version'];
      yield hold(version === undefined || version === MAJOR, n, () => ({
        expected: `runtime.protocol_version "${MAJOR}"`,
        found: JSON.stringify(version) ?? 'nothing',
      }));
    }
  }),

  judge<HostCase>('v1/3/host-reads-added-result-fields', function* (view) {
    for (const folded of foldAll(view)) {
      const { settled, run } = folded;
      if (settled === undefined) continue;
      for (const item of folded.items) {
        if (!folded.counts(item) || addedToResult(item.type, item.value).length === 0) continue;
        const words = { expected: `${item.type} with unknown fields has its usual effect`, found: 'no effect' };
        const deliveries = messagesOf(settled, folded);
        if (item.kind === 'message' && deliveries !== undefined)
          yield hold(
            deliveries.some(({ content }) => sameContent(content, item.content)),
            [item.n, settled.n],
            words,
          );
        if (item.kind === 'delta' && deliveries !== undefined && streams(view, folded) && surfaceStreams(folded)) {
          const deltas = deliveries.filter(({ kind }) => kind === 'delta').map(({ content }) => textOf(content));
          yield hold(
            [...deltas, deltas.join('')].some((text) => text.includes(textOf(item.content))),
            [item.n, settled.n],
            words,
          );
        }
        if ((item.kind === 'tool' || item.kind === 'action') && settled.telemetry !== undefined) {
          const data = Object.fromEntries(
            Object.entries(item.data).filter(([key]) => PAYLOAD[item.type]!.includes(key)),
          );
          yield hold(inTelemetry(settled, { ...item, data }, run.runId), [item.n, settled.n], words);
        }
        if (item.kind === 'artifact' && settled.artifacts !== undefined && view.runs[0] === run)
          yield hold(artifactShown(settled, item) === true, [item.n, settled.n], words);
        if (
          item.kind === 'completed' &&
          settled.status !== undefined &&
          !folded.stream.shaky &&
          !takesIdAgain(view, folded)
        )
          yield hold(settled.status === 'completed', [item.n, settled.n], () => ({
            ...words,
            found: `status ${JSON.stringify(settled.status)}`,
          }));
        if (item.ruling?.ruling === 'stored' && settled.state !== undefined && lastWrite(folded.items, item)) {
          const { scope, key, value } = item.ruling;
          if (view.runs.length === 1 && !run.calls.some(({ action }) => action.startsWith('state_')))
            yield hold(sameJson(stateValue(settled, scope, key), value), [item.n, settled.n], words);
        }
      }
    }
  }),

  judge<HostCase>('v1/3/host-reads-added-call-fields', function* ({ runs }) {
    for (const { calls } of runs) {
      for (const call of calls) {
        const api = apiOf(call.action);
        if (api === undefined) continue;
        const fields = new Set([
          'run_id',
          'caller_plugin_identity',
          ...Object.keys(api.required),
          ...Object.keys(api.optional),
        ]);
        if (Object.keys(call.data).every((key) => fields.has(key))) continue;
        const plain = Object.fromEntries(Object.entries(call.data).filter(([key]) => fields.has(key)));
        const twin = calls.find((other) => other.action === call.action && sameJson(other.data, plain));
        if (twin?.reply?.code !== 0) continue;
        const proof = [twin.n, call.n, ...(call.reply ? [call.reply.n] : [])];
        if (call.reply === undefined) yield open(proof, `${call.action} was not answered`);
        else if (call.reply.code === 0) yield kept(proof);
        else
          yield broken(proof, {
            expected: `${call.action} with unknown fields is answered as without them`,
            found: `an error: ${brief(call.reply.message)}`,
          });
      }
    }
  }),
];

/** An artifact under an id that an earlier run has used may be refused, and the run with it. */
const takesIdAgain = (view: HostCase, { run, items }: Folded): boolean =>
  items.some(
    ({ kind, data }) =>
      kind === 'artifact' &&
      data['artifact_id'] != null &&
      foldAll(view).some(
        (other) => other.run.n < run.n && other.items.some((one) => one.data['artifact_id'] === data['artifact_id']),
      ),
  );

const ENVELOPE: ReadonlySet<string> = new Set(['run_id', 'type', 'data', 'sequence', 'timestamp']);
const PAYLOAD: Readonly<Record<string, readonly string[]>> = {
  'message.delta': ['chunk'],
  'message.completed': ['message'],
  'tool.call.started': ['tool_call_id', 'tool_name', 'parameters'],
  'tool.call.completed': ['tool_call_id', 'tool_name', 'result', 'error'],
  'action.requested': ['action', 'target', 'payload'],
  'artifact.created': [
    ...['artifact_type', 'artifact_id', 'mime_type', 'name', 'size_bytes', 'sha256', 'content_base64'],
    ...['expires_at', 'metadata'],
  ],
  'state.updated': ['scope', 'key', 'value'],
  'run.completed': ['finish_reason', 'message'],
};

const MESSAGE: ReadonlySet<string> = new Set(
  'role name content tool_calls tool_call_id all_content is_final msg_sequence'.split(' '),
);

function addedToResult(type: string, value: unknown): readonly string[] {
  const result = isObject(value) ? value : {};
  const data = isObject(result['data']) ? result['data'] : {};
  const said = type === 'message.delta' ? data['chunk'] : data['message'];
  return [
    ...Object.keys(result).filter((key) => !ENVELOPE.has(key)),
    ...Object.keys(data).filter((key) => PAYLOAD[type] !== undefined && !PAYLOAD[type].includes(key)),
    ...Object.keys(isObject(said) ? said : {}).filter((key) => !MESSAGE.has(key)),
  ];
}

/** Is this the last update of its key in the stream, stored or not? */
const lastWrite = (
  items: readonly { readonly n: number; readonly type: string; readonly data: unknown }[],
  item: { readonly n: number; readonly data: unknown },
): boolean => {
  const key = isObject(item.data) ? item.data['key'] : undefined;
  return !items.some(
    (other) => other.n > item.n && other.type === 'state.updated' && isObject(other.data) && other.data['key'] === key,
  );
};
