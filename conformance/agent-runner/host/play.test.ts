import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../common/json.ts';
import { VirtualClock } from '../../driving/clock.ts';
import type { RecordingHead } from '../../recording/fact.ts';
import { CaseRecorder } from '../../recording/recorder.ts';
import { memoryLink } from '../../wire/link.ts';
import { Peer } from '../../wire/peer.ts';
import { assembleHost } from './assemble.ts';
import { playHost } from './play.ts';
import { answerOf, type HostStimulus, repeat, runOf, type Script, selfRun } from './stimulus.ts';

const head: RecordingHead = {
  recording: 'runcert',
  version: 1,
  protocol: 'agent-runner',
  revision: '2026-06-03',
  party: 'host',
  target: { kind: 'test', name: 'toy', declared: {}, traits: [] },
  grace: 1000,
  clock: 'virtual',
};

/** A host that keeps no rule but answers: enough to see what the player does. */
function toyHost(peer: Peer): void {
  const status = new Map<string, string>();
  let count = 0;
  peer
    .handle('driver_discover', async () => {
      const { data } = await peer.call('list_agent_runners', {});
      const runners = (data['runners'] as readonly JsonObject[] | undefined) ?? [];
      return { runners: runners.map((runner) => runner['id'] as string), warnings: [] };
    })
    .handle('driver_submit', ({ event }) => {
      const run_id = `run-${++count}`;
      status.set(run_id, 'running');
      const context = { run_id, event: event as JsonObject, runtime: { deadline_at: 1780444801.5 } };
      void (async () => {
        for await (const answer of peer.stream('run_agent', { runner_id: 'plugin:a/b/c', context }))
          if (answer.code !== 0) status.set(run_id, 'failed');
        if (status.get(run_id) === 'running') status.set(run_id, 'completed');
      })();
      return { run_id };
    })
    .handle('driver_cancel', async ({ run_id }) => {
      await peer.call('cancel_run', { run_id, reason: 'x' });
      return {};
    })
    .handle('driver_observe', ({ run_id }) => ({ status: status.get(String(run_id)) ?? null }))
    .handleOther((action, data) => ({ action, next_cursor: String(data['n'] ?? '1'), has_more: true, n: 2 }));
}

async function play(stimulus: HostStimulus, timeLimit = 60_000) {
  const clock = new VirtualClock();
  const recorder = new CaseRecorder(clock);
  recorder.add({ fact: 'case', id: '1', area: 'test', epoch: clock.now(), stimulus });
  const [near, far] = memoryLink();
  toyHost(new Peer(far, { clock }));
  const peer = new Peer(near, {
    clock,
    watch: { sent: (frame) => recorder.sent(frame), received: (frame) => recorder.received(frame) },
  });
  const limit = new AbortController();
  const info = { kind: 'test', seat: 'host' as const, name: 'toy', declared: {}, traits: [] };
  const session = { info, peer, reset: async () => true, close: async () => {} };
  const did = (what: string, detail?: unknown): void => void recorder.add({ fact: 'did', what, detail });
  await clock.run(async () => {
    const stop = new AbortController();
    void clock.sleep(timeLimit, stop.signal).then(() => limit.abort());
    await playHost(stimulus, { session, clock, grace: 1000, signal: limit.signal, did });
    stop.abort();
  });
  recorder.add({ fact: 'end', how: 'done' });
  return assembleHost(head, recorder.facts);
}

const offers = [{ data: { runners: [{ id: 'plugin:a/b/c' }] } }];
const submit = (script: Script) => ({ do: 'submit' as const, event: { event_id: 'e' }, binding: {}, script });
const once = (beats: Script['beats'], cancelled?: Script['beats']): HostStimulus => ({
  offers,
  steps: [{ do: 'discover' }, submit({ beats, ...(cancelled && { cancelled }) }), { do: 'settle', run: 0 }],
});

describe('the host player', () => {
  it('plays a script: results, waits, calls, and the end of the stream', async () => {
    const view = await play(
      once([
        { say: { run_id: selfRun, type: 'x' } },
        { wait: 100 },
        { call: 'state_get', data: { run_id: selfRun, key: repeat('é', 3) }, keep: 'k' },
        { say: { type: answerOf('k', 'action') }, times: 2 },
      ]),
    );
    const run = view.runs[0]!;
    expect(run.pushed.map(({ value, at }) => [value, at])).toEqual([
      [{ run_id: 'run-1', type: 'x' }, 0],
      [{ type: 'state_get' }, 100],
      [{ type: 'state_get' }, 100],
    ]);
    expect(run.calls[0]).toMatchObject({ identity: 'a/b', data: { run_id: 'run-1', key: 'ééé' }, reply: { code: 0 } });
    expect(run.end).toMatchObject({ how: 'end' });
    expect(run.submission).toBe(view.submissions[0]);
    expect(run.deadline).toBe(1780444801.5e3 - view.epoch);
    expect(view.discoveries[0]).toMatchObject({ listed: ['plugin:a/b/c'] });
    expect(view.observations.at(-1)?.shown).toEqual({ status: 'completed' });
  });

  it('ends a stream with an error, and goes on late', async () => {
    const view = await play(once([{ end: 'error', message: 'boom' }, { say: { late: true } }]));
    expect(view.runs[0]!.end).toMatchObject({ how: 'error', message: 'boom' });
    expect(view.runs[0]!.pushed).toMatchObject([{ value: { late: true }, late: true }]);
    expect(view.observations.at(-1)?.shown).toEqual({ status: 'failed' });
  });

  it('takes a cancel as the script says, also out of silence', async () => {
    const stimulus = once([{ end: 'silence' }], [{ say: { type: 'run.failed' } }]);
    const steps = [...stimulus.steps.slice(0, 2), { do: 'cancel' as const, run: 0 }, ...stimulus.steps.slice(2)];
    const view = await play({ ...stimulus, steps });
    expect(view.runs[0]).toMatchObject({ cancels: [{ reason: 'x' }], pushed: [{ value: { type: 'run.failed' } }] });
    const deaf = await play({
      ...once([{ wait: 50 }, { say: 1 }]),
      steps: [
        ...once([{ wait: 50 }, { say: 1 }]).steps.slice(0, 2),
        { do: 'cancel', run: 0 },
        { do: 'settle', run: 0 },
      ],
    });
    expect(deaf.runs[0]).toMatchObject({ pushed: [{ value: 1 }] });
  });

  it('waits for points around the deadline', async () => {
    const view = await play(once([{ deadline: -100 }, { say: 1 }, { deadline: 200 }, { say: 2 }]));
    const { deadline, pushed } = view.runs[0]!;
    expect(pushed.map(({ at }) => at - deadline!)).toEqual([-100, 200]);
  });

  it('walks pages, with writes between them, no further than told', async () => {
    const walk = { walk: 'history_page', data: { run_id: selfRun }, from: 'next_cursor', to: 'before_cursor', most: 3 };
    const view = await play(once([{ ...walk, between: [{ say: 'w' }] }]));
    expect(view.runs[0]!.calls.map((call) => call.data['before_cursor'])).toEqual([undefined, '1', '1']);
    expect(view.runs[0]!.pushed).toHaveLength(3);
  });

  it('makes bursts, and calls after the run, by whomever', async () => {
    const stimulus = once([{ call: 'state_get', data: {}, times: 5, as: null }]);
    const after = { do: 'call' as const, call: 'state_get', data: { run_id: runOf(0) }, as: 'evil/plugin' };
    const view = await play({ ...stimulus, steps: [...stimulus.steps, after] });
    expect(view.calls).toHaveLength(6);
    expect(view.calls[0]).toMatchObject({ identity: undefined, runId: undefined });
    expect(view.calls.at(-1)).toMatchObject({ identity: 'evil/plugin', runId: 'run-1' });
  });

  it('ends when the case is out of time, whatever hangs', async () => {
    const view = await play({ ...once([{ end: 'silence' }]), offers: [{ silence: true }] }, 2000);
    expect(view.submissions).toEqual([]);
    const silent = await play(once([{ end: 'silence' }]), 2000);
    expect(silent.runs[0]!.pushed).toEqual([]);
  });
});
