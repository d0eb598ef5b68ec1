// §3, §4: what a target says about its runners.
import { isObject } from '../../../../common/json.ts';
import { type Finding, hold, type Judge, judge, open } from '../../../judging/judge.ts';
import { listAt, objectAt } from '../grants.ts';
import { declaredRunners, type RunnerEntry } from '../manifests.ts';
import { misfit } from '../models.ts';
import type { Discovery, RunnerCase } from '../view.ts';

const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
const answered = ({ discoveries }: RunnerCase): readonly Discovery[] =>
  discoveries.filter(({ answered: mark, code }) => mark !== undefined && code === 0);
const proofOf = ({ n, answered: mark }: Discovery): number => mark?.n ?? n;
const ids = (entries: readonly RunnerEntry[]): string[] => entries.map(({ manifest }) => String(manifest['id'])).sort();

/** A judge that looks at each manifest of each discovery. */
const eachManifest = (
  clause: string,
  look: (entry: RunnerEntry, proof: number, discovery: Discovery) => Iterable<Finding>,
): Judge<RunnerCase> =>
  judge(clause, function* (view) {
    for (const discovery of answered(view))
      for (const entry of discovery.entries) yield* look(entry, proofOf(discovery), discovery);
  });

export const discoveryJudges: readonly Judge<RunnerCase>[] = [
  judge('v1/4.1/runtime-lists-runners', function* (view) {
    for (const discovery of listings(view)) {
      if (discovery.answered === undefined) {
        yield open(discovery.n, 'list_agent_runners was not answered');
        continue;
      }
      const runners = discovery.data['runners'];
      const strange = Array.isArray(runners) ? runners.find((entry) => !isEntry(entry)) : undefined;
      yield hold(discovery.code === 0 && Array.isArray(runners) && strange === undefined, proofOf(discovery), () => ({
        expected:
          'runners, a list of manifests, or of wrappers with plugin_author, plugin_name, runner_name and manifest',
        found: discovery.code === 0 ? show(strange ?? runners) : `an error: ${discovery.code}`,
      }));
    }
  }),

  judge('v1/4.1/runtime-needs-no-payload', function* (view) {
    for (const discovery of listings(view)) {
      if (Object.keys(discovery.asked).length > 0) continue;
      const words = {
        expected: 'an answer to a request whose data is {}',
        found: discovery.answered ? 'code 1' : 'none',
      };
      if (discovery.answered === undefined && view.end?.how === 'died') yield open(discovery.n, 'the target died');
      else yield hold(discovery.answered !== undefined && discovery.code === 0, proofOf(discovery), words);
    }
  }),

  eachManifest('v1/3/runner-declares-major', function* ({ manifest }, proof) {
    const version = manifest['protocol_version'];
    yield hold(version === undefined || version === '1', proof, () => ({
      expected: 'protocol_version "1", or none',
      found: show(version),
    }));
  }),

  eachManifest('v1/4.2/manifest-valid', function* ({ manifest }, proof) {
    const wrong = misfit('AgentRunnerManifest', manifest, ['id', 'protocol_version', 'capabilities', 'permissions']);
    yield hold(wrong === undefined, proof, {
      expected: 'a manifest that fits AgentRunnerManifest',
      found: wrong ?? '',
    });
  }),

  eachManifest('v1/4.2/id-format', function* ({ manifest, author, plugin, name }, proof, { how }) {
    const id = manifest['id'];
    const wrapped = how === 'list_agent_runners' && manifest['plugin_author'] !== undefined;
    const formed = typeof id === 'string' && /^plugin:[^/\s:]+\/[^/\s]+\/[^/\s]+$/.test(id);
    const agrees = !wrapped || id === `plugin:${author}/${plugin}/${name}`;
    yield hold(formed && agrees, proof, () => ({
      expected: 'an id of the form plugin:author/name/runner',
      found: show(id),
    }));
  }),

  judge('v1/4.2/id-stable', function* (view) {
    // A Runtime that was just started again lists nothing while its plugins come up.
    const listings = answered(view);
    const up = listings.findIndex(({ entries }) => entries.length > 0);
    const seen = listings.slice(Math.max(0, up));
    const declared = ids(declaredRunners(view.head.target.declared));
    for (const [i, discovery] of seen.entries()) {
      const before = i === 0 ? declared : ids(seen[i - 1]!.entries);
      if (i === 0 && declared.length === 0) continue;
      const now = ids(discovery.entries);
      yield hold(
        show(now) === show(before),
        i === 0 ? proofOf(discovery) : [proofOf(seen[i - 1]!), proofOf(discovery)],
        () => ({
          expected: `the same ids as before: ${before.join(', ')}`,
          found: now.join(', '),
        }),
      );
    }
  }),

  judge('v1/4.2/id-unique', function* (view) {
    for (const discovery of answered(view)) {
      const all = ids(discovery.entries);
      if (all.length === 0) continue;
      const twice = all.find((id, i) => all.indexOf(id) !== i);
      yield hold(twice === undefined, proofOf(discovery), { expected: 'ids that differ', found: `${twice} twice` });
    }
  }),

  eachManifest('v1/4.2/name-is-runner-segment', function* ({ manifest }, proof) {
    const { id, name } = manifest;
    if (typeof id !== 'string') return;
    const segment = id.slice(id.lastIndexOf('/') + 1);
    yield hold(name === segment, proof, () => ({ expected: `name "${segment}", as ${id} ends`, found: show(name) }));
  }),

  eachManifest('v1/4.2/config-schema-is-form', function* ({ manifest }, proof) {
    const schema = manifest['config_schema'];
    if (schema === undefined || (Array.isArray(schema) && schema.length === 0)) return;
    const items = listAt(manifest, 'config_schema');
    const names = items.map((item) => item['name']);
    const formed =
      Array.isArray(schema) &&
      items.length === schema.length &&
      items.every(({ type, name }) => [type, name].every((text) => typeof text === 'string' && text !== '')) &&
      new Set(names).size === names.length;
    yield hold(formed, proof, () => ({
      expected: 'form items with a type and a name each, no name twice',
      found: show(schema),
    }));
  }),

  eachManifest('v1/4.3/capabilities-bool', function* ({ manifest }, proof) {
    const capabilities = manifest['capabilities'];
    const bools = isObject(capabilities) && Object.values(capabilities).every((value) => typeof value === 'boolean');
    yield hold(bools, proof, () => ({ expected: 'an object of booleans', found: show(capabilities) }));
  }),

  eachManifest('v1/4.3/state-not-a-capability', function* ({ manifest }, proof) {
    yield hold(!('host_state' in objectAt(manifest, 'capabilities')), proof, () => ({
      expected: 'no capability host_state: permissions.storage tells it',
      found: show(objectAt(manifest, 'capabilities')['host_state']),
    }));
  }),

  eachManifest('v1/4.4/permissions-known', function* ({ manifest }, proof) {
    const wrong = misfit('AgentRunnerPermissions', manifest['permissions'] ?? null);
    yield hold(wrong === undefined, proof, () => ({
      expected: 'lists of operations that the protocol knows',
      found: `${wrong ?? ''} in ${show(manifest['permissions'])}`,
    }));
  }),
];

const listings = ({ discoveries }: RunnerCase): readonly Discovery[] =>
  discoveries.filter(({ how }) => how === 'list_agent_runners');

/** A manifest names itself; a wrapper names plugin and runner and holds a manifest. */
function isEntry(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const wraps = isObject(entry['manifest']);
  const texts = (keys: readonly string[]): boolean => keys.every((key) => typeof entry[key] === 'string');
  return wraps ? texts(['plugin_author', 'plugin_name', 'runner_name']) : texts(['id', 'name']);
}
