// What a real host of the day did, where Runcert blamed it for too much. Each case is a recording of the reference host, rewritten to that.
import { beforeAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '../../../common/json.ts';
import { Pilot } from '../../driving/pilot.ts';
import { judgeCase } from '../../judging/tally.ts';
import type { Fact, RecordingHead } from '../../recording/fact.ts';
import { binding, event, manifest, offer } from './areas/kit.ts';
import type { HostStimulus, Script } from './stimulus.ts';
import { selfRun } from './stimulus.ts';
import { hostSuite } from './suite.ts';

let head: RecordingHead;
let play: (stimulus: HostStimulus) => Promise<readonly Fact[]>;
beforeAll(async () => {
  const pilot = new Pilot({ suite: hostSuite, target: hostSuite.reference(), grace: 1000, seed: 1 });
  await pilot.meet();
  head = pilot.head();
  play = (stimulus) => pilot.play(hostSuite.areas[0]!, stimulus, 'real');
  return () => pilot.close();
});

const turn = (
  beats: Script['beats'],
  change: JsonObject = {},
  meanwhile: HostStimulus['steps'] = [],
): HostStimulus => ({
  offers: [offer(manifest())],
  steps: [
    { do: 'discover' },
    { do: 'submit', event: event(1, change), binding: binding(), script: { beats } },
    { do: 'reach', run: 0 },
    ...meanwhile,
    { do: 'settle', run: 0 },
    { do: 'observe', run: 0 },
    { do: 'observe' },
  ],
});
const say = (type: string, data: JsonObject = {}) => ({ say: { run_id: selfRun, type, data } });
const made = { artifact_id: 'made', artifact_type: 'file', content_base64: 'aGk=' };

/** The same facts, with the data of each frame of the host that this is about changed; null leaves a frame alone. */
const rewritten = (
  facts: readonly Fact[],
  change: (frame: JsonObject, asked: JsonObject | undefined) => JsonObject | null,
): readonly Fact[] => {
  const asked = new Map<unknown, JsonObject>();
  return facts.map((fact) => {
    if (fact.fact === 'sent' && isObject(fact.frame) && 'action' in fact.frame)
      asked.set(fact.frame['seq_id'], fact.frame);
    if (fact.fact !== 'received' || !isObject(fact.frame)) return fact;
    const isAnswer = 'code' in fact.frame;
    const frame = change(fact.frame, isAnswer ? asked.get(fact.frame['seq_id']) : undefined);
    return frame === null ? fact : { ...fact, frame };
  });
};

const kinds = (facts: readonly Fact[], clause: string): readonly string[] =>
  (judgeCase(hostSuite, head, facts, new Set([clause])).get(clause) ?? []).map(({ kind }) => kind);

describe('a host as real ones are', () => {
  it('may ask for a runner by plugin and name alone: one clause minds, all others judge as before', async () => {
    const facts = await play(
      turn([
        { call: 'invoke_llm', data: { run_id: selfRun, llm_model_uuid: 'model-1', messages: [] } },
        say('state.updated', { scope: 'runner', key: 'k', value: '⟦s⟧' }),
        say('run.completed'),
      ]),
    );
    const nameless = rewritten(facts, (frame) => {
      if (frame['action'] !== 'run_agent' || !isObject(frame['data'])) return null;
      const { runner_id: _, ...data } = frame['data'];
      return { ...frame, data };
    });
    const tell = (of: readonly Fact[]) =>
      [...judgeCase(hostSuite, head, of)].map(([clause, found]) => [clause, found.map(({ kind }) => kind)]);
    expect(kinds(nameless, 'v1/5.1/request-shape')).toEqual(['broken']);
    const others = ([clause]: readonly unknown[]) => clause !== 'v1/5.1/request-shape';
    expect(tell(nameless).filter(others)).toEqual(tell(facts).filter(others));
  });

  it('has cancelled nothing where it cannot cancel and says so', async () => {
    const facts = await play(
      turn([{ wait: 9000 }, say('run.completed')], {}, [
        { do: 'cancel', run: 0 },
        { do: 'wait', ms: 200, graces: 1 },
        { do: 'observe', run: 0 },
        { do: 'observe' },
      ]),
    );
    expect(kinds(facts, 'v1/10/cancel-ends-run')).toEqual(['kept']);
    const declined = rewritten(facts, (frame, asked) => {
      if (asked?.['action'] === 'driver_hello' && isObject(frame['data'])) {
        const features = (frame['data']['features'] as string[]).filter((feature) => feature !== 'cancel');
        return { ...frame, data: { ...frame['data'], features } };
      }
      return asked?.['action'] === 'driver_cancel' ? { ...frame, code: 1, message: 'ValueError: cannot cancel' } : null;
    });
    for (const clause of ['cancel-ends-run', 'cancel-passed-on', 'no-delivery-after-cancel', 'unregistered-cancelled'])
      expect([clause, kinds(declined, `v1/10/${clause}`)]).toEqual([clause, []]);
  });

  it('may take the end of a stream for completion: no unknown type is to blame for that', async () => {
    const facts = await play(turn([say('run.finished', { text: '⟦u⟧' })]));
    const completed = rewritten(facts, (frame, asked) =>
      asked?.['action'] === 'driver_observe' && isObject(frame['data']) && frame['data']['status'] === 'failed'
        ? { ...frame, data: { ...frame['data'], status: 'completed' } }
        : null,
    );
    expect(kinds(completed, 'v1/7.2/no-terminal-is-failure')).toContain('broken');
    expect(kinds(completed, 'v1/7.2/unknown-type-ignored')).toEqual(['kept']);
  });

  it('may tell bot and workspace beside a conversation that there is not', async () => {
    const facts = await play(turn([say('run.completed')], { conversation_id: null }));
    const moved = (metadata: JsonObject) =>
      rewritten(facts, (frame) => {
        if (frame['action'] !== 'run_agent' || !isObject(frame['data'])) return null;
        const context = frame['data']['context'] as JsonObject;
        const runtime = { ...(context['runtime'] as JsonObject), metadata };
        return { ...frame, data: { ...frame['data'], context: { ...context, conversation: null, runtime } } };
      });
    const { bot_id, workspace_id } = event(1);
    expect(kinds(moved({ bot_id, workspace_id } as JsonObject), 'v1/5.5/bot-workspace-inlined')).toEqual(['kept']);
    expect(kinds(moved({}), 'v1/5.5/bot-workspace-inlined')).toEqual(['broken']);
  });

  it('may answer a call before it has stored the result just ahead of it, and not later', async () => {
    const refusing = async (wait: number) =>
      rewritten(
        await play(
          turn([
            say('artifact.created', made),
            { wait },
            { call: 'artifact_metadata', data: { run_id: selfRun, artifact_id: 'made' } },
            say('run.completed'),
          ]),
        ),
        (frame, asked) =>
          asked?.['action'] === 'artifact_metadata'
            ? { ...frame, code: 1, message: 'Artifact made not found', data: {} }
            : null,
      );
    const [atOnce, later] = [await refusing(0), await refusing(2000)];
    for (const clause of ['v1/7.2/artifact-stored', 'v1/5.8/api-flag-true-works']) {
      expect([clause, kinds(atOnce, clause)]).not.toEqual([clause, expect.arrayContaining(['broken'])]);
      expect([clause, kinds(later, clause)]).toEqual([clause, expect.arrayContaining(['broken'])]);
    }
  });

  it('is asked for a range by either name', async () => {
    const facts = await play(
      turn([
        say('artifact.created', made),
        { call: 'artifact_read', data: { run_id: selfRun, artifact_id: 'made', offset: 0, length: 1 } },
        say('run.completed'),
      ]),
    );
    const asked = facts.flatMap((fact) =>
      fact.fact === 'sent' && isObject(fact.frame) && fact.frame['action'] === 'artifact_read'
        ? [fact.frame['data']]
        : [],
    );
    expect(asked).toEqual([expect.objectContaining({ length: 1, limit: 1 })]);
  });
});
