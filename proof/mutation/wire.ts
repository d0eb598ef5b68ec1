// Trials for the wire: conformance runs across links in this process that pass the real codecs, on virtual time.
// Honest far ends must be heard without a word of complaint; saboteurs must be told of in the recording, and harm no more than they must.
import type { JsonObject } from '../../common/json.ts';
import { hostSuite } from '../../conformance/agent-runner/host/suite.ts';
import { serveHost } from '../../conformance/agent-runner/reference-host/serve.ts';
import { serveRunner } from '../../conformance/agent-runner/reference-runner/target.ts';
import { runnerSuite } from '../../conformance/agent-runner/runner/suite.ts';
import { type Driven, type DriveOptions, drive } from '../../conformance/driving/drive.ts';
import type { Suite } from '../../conformance/driving/suite.ts';
import type { Fact } from '../../conformance/recording/fact.ts';
import { hostSeat } from '../../conformance/targets/host.ts';
import { type InProcessOptions, inProcessTarget } from '../../conformance/targets/in-process.ts';
import { pluginSeat } from '../../conformance/targets/plugin.ts';
import { runtimeSeat } from '../../conformance/targets/runtime.ts';
import type { Target } from '../../conformance/targets/target.ts';
import { bySchedule } from '../../conformance/wire/interleaving.ts';
import { memoryLink } from '../../conformance/wire/link.ts';
import { chunksOf, pipes, type Writer } from './pipes.ts';
import { type Saboteur, saboteurs, writerOf } from './saboteurs.ts';
import { SEED, type Trial, type Tried } from './trial.ts';

type Links = NonNullable<InProcessOptions['links']>;

const plugin = (links: Links): Target =>
  inProcessTarget(pluginSeat('module'), {
    kind: 'reference',
    links,
    play: (peer, { clock }) => serveRunner(peer, { clock, seat: 'plugin' }),
  });
const runtime = (links: Links): Target =>
  inProcessTarget(runtimeSeat, {
    kind: 'reference',
    links,
    play: (peer, { clock }) => serveRunner(peer, { clock, seat: 'runtime' }),
  });
const host = (links: Links): Target =>
  inProcessTarget(hostSeat(), {
    kind: 'reference',
    links,
    serve: (link, { clock }) => {
      const served = serveHost(link, { clock });
      return () => served.host.close();
    },
  });

const CHUNKS = chunksOf(1, 5, 16_384, 2, 100_000);
/** Messages of both directions, held back for these numbers of turns. */
const HELD = [3, 0, 7, 1, 0, 0, 12, 5];
const asA: Writer = (text, write, encode) =>
  encode(text.replace('"prod_mode"', '"registration_capability":"c","prod_mode"')).forEach(write);

/** A Plugin Runtime that lists its runners as those of one generation do. */
const listsAs =
  (dress: (manifest: JsonObject) => JsonObject): Writer =>
  (text, write, encode) => {
    const frame = JSON.parse(text) as { data?: { runners?: readonly JsonObject[] } };
    const runners = frame.data?.runners;
    const told =
      runners === undefined
        ? text
        : JSON.stringify({
            ...frame,
            data: { ...frame.data, runners: runners.map((one) => wrapped(one, dress(one))) },
          });
    encode(told).forEach(write);
  };
function wrapped({ id }: JsonObject, manifest: JsonObject): JsonObject {
  const [plugin_author, plugin_name, runner_name] = String(id).replace('plugin:', '').split('/') as [
    string,
    string,
    string,
  ];
  return { plugin_author, plugin_name, runner_name, manifest };
}
const ofS = ({ label, config_schema, ...spec }: JsonObject): JsonObject => ({
  kind: 'AgentRunner',
  metadata: { name: spec['name'], label },
  spec: { ...spec, config: config_schema },
});
const ofA = ({ capabilities, ...manifest }: JsonObject): JsonObject => ({
  ...manifest,
  capabilities: { ...(capabilities as JsonObject), interactions: false },
});

const LINKS: Readonly<Record<string, Links>> = {
  memory: memoryLink,
  held: () => {
    const ends = memoryLink();
    ends[0].interleave(bySchedule(HELD), () => undefined);
    return ends;
  },
  lines: () => pipes({ codec: 'lines', chunking: CHUNKS }),
  socket: () => pipes({ codec: 'pieces' }),
  'socket-J': () => pipes({ codec: 'pieces', generation: 'J' }),
  'socket-A': () => pipes({ codec: 'pieces', generation: 'A', far: asA }),
  'runtime-S': () => pipes({ codec: 'pieces', generation: 'S', far: listsAs(ofS) }),
  'runtime-J': () => pipes({ codec: 'pieces', generation: 'J', far: listsAs((manifest) => manifest) }),
  'runtime-A': () => pipes({ codec: 'pieces', generation: 'A', far: listsAs(ofA) }),
};

/** Areas whose messages are large, many, late or cut off. */
const HONEST: readonly (readonly [
  seat: string,
  (links: Links) => Target,
  suite: Suite,
  links: string,
  areas: readonly string[],
])[] = [
  ['runtime', runtime, runnerSuite as Suite, 'memory', ['deadline-cancel', 'isolation']],
  ['runtime', runtime, runnerSuite as Suite, 'held', ['deadline-cancel']],
  ['runtime', runtime, runnerSuite as Suite, 'runtime-S', ['discovery']],
  ['runtime', runtime, runnerSuite as Suite, 'runtime-J', ['discovery']],
  ['runtime', runtime, runnerSuite as Suite, 'runtime-A', ['discovery']],
  ['plugin', plugin, runnerSuite as Suite, 'lines', ['result-stream']],
  ['plugin', plugin, runnerSuite as Suite, 'socket-J', ['result-stream']],
  ['plugin', plugin, runnerSuite as Suite, 'socket-A', ['result-stream']],
  ['host', host, hostSuite as Suite, 'lines', ['result-stream']],
  ['host', host, hostSuite as Suite, 'socket', ['context']],
  ['host', host, hostSuite as Suite, 'memory', ['deadline-cancel']],
];

export const wireTrials = (): Trial[] => [
  ...saboteurs.map((saboteur) => ({ id: `hostile/${saboteur.id}`, run: () => trySaboteur(saboteur) })),
  ...HONEST.flatMap(([seat, target, suite, links, areas]) =>
    areas.map((area) => ({
      id: `${seat}-on-${links}/${area}`,
      run: () => tryHonest(suite, area, target(LINKS[links]!)),
    })),
  ),
];

async function tryHonest(suite: Suite, area: string, target: Target): Promise<Tried> {
  const { outcome, told } = await listen(suite, area, target, { beyond: 2 });
  const failed = outcome.clauses.find(({ verdict }) => verdict === 'fail');
  const wrong =
    failed === undefined
      ? told
          .flat()
          .find(([kind]) => kind !== 'answer')
          ?.join(': ')
      : `${failed.id}: expected ${failed.expected}, found ${failed.found}`;
  return {
    ...(wrong === undefined ? {} : { broken: wrong }),
    // What the far side turned out to be counts as well.
    decided: [
      ...outcome.target.traits,
      ...outcome.clauses.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id),
    ],
  };
}

async function trySaboteur(saboteur: Saboteur): Promise<Tried> {
  const links: Links = () =>
    pipes({
      codec: saboteur.codec,
      ...(saboteur.generation === undefined ? {} : { generation: saboteur.generation }),
      far: writerOf(saboteur),
    });
  const { outcome, told, ends } = await listen(runnerSuite as Suite, 'result-stream', plugin(links), { runs: 1 });
  const failed = outcome.clauses.find(({ verdict }) => verdict === 'fail');
  const [all = []] = told;
  const differs = saboteur.told.findIndex(
    ([code, words], at) => all[at]?.[0] !== code || !all[at]?.[1]?.startsWith(words),
  );
  const wrong =
    differs !== -1 || all.length !== saboteur.told.length
      ? `told ${JSON.stringify(all.slice(-4))}`
      : (ends[0] === 'died') !== (saboteur.ends === 'died')
        ? `the case ended as ${ends[0]}`
        : saboteur.ends === undefined && failed !== undefined
          ? `${failed.id}: found ${failed.found}`
          : saboteur.ends === 'judged' && failed === undefined
            ? 'no clause failed'
            : undefined;
  return wrong === undefined ? { decided: [] } : { broken: wrong, decided: [] };
}

interface Heard extends Pick<Driven, 'outcome'> {
  /** Case by case: faults, noise and error answers of the harness, by kind and words. */
  readonly told: readonly (readonly (readonly string[])[])[];
  readonly ends: readonly (string | undefined)[];
}

async function listen(suite: Suite, id: string, target: Target, options: Partial<DriveOptions>): Promise<Heard> {
  const areas = suite.areas.filter((area) => area.id === id);
  const told: (readonly (readonly string[])[])[] = [];
  const ends: (string | undefined)[] = [];
  const { outcome } = await drive(
    { ...suite, areas },
    target,
    { seed: SEED, version: 'proof', shrinkPlays: 0, ...options },
    {
      case: (facts) => {
        told.push(facts.flatMap(wordsOf));
        ends.push(facts.find((fact) => fact.fact === 'end')?.how);
      },
    },
  );
  return { outcome, told, ends };
}

function wordsOf(fact: Fact): readonly (readonly string[])[] {
  if (fact.fact === 'fault') return [[fact.code, fact.message]];
  if (fact.fact === 'noise') return [['noise', fact.text]];
  if (fact.fact === 'sent' && fact.frame['code'] === 1) return [['answer', String(fact.frame['message'])]];
  return [];
}
