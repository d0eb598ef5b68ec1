import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../common/json.ts';
import type { Answer } from '../../wire/peer.ts';
import { manifest, message, RUNNER, result, say, withHost } from './trial-world.ts';

const dir = mkdtempSync(join(tmpdir(), 'runcert-host-'));
afterAll(() => rmSync(dir, { recursive: true }));

const errorOf = ({ data }: Answer): string => String((data['error'] as JsonObject | undefined)?.['code']);
const llm = { llm_model_uuid: 'model-echo', messages: [{ role: 'user', content: 'x' }] };

describe('a whole run', () => {
  it('goes from event to context to results to what is shown', async () => {
    await withHost(async ({ run, observe, drive }) => {
      expect(await drive('driver_discover')).toEqual({ runners: [RUNNER], warnings: [] });
      let seen: JsonObject = {};
      const answers: Answer[] = [];
      const id = await run(async function* (context, api) {
        seen = context;
        yield result(context, 'message.delta', { chunk: { role: 'assistant', content: 'hel' } });
        answers.push(await api('invoke_llm', llm));
        yield result(context, 'state.updated', { scope: 'conversation', key: 'k', value: { n: 1 } });
        yield result(context, 'tool.call.started', { tool_call_id: '1', tool_name: 't' });
        yield result(context, 'new.type', { message: { role: 'assistant', content: 'no' } });
        yield result(context, 'artifact.created', {
          artifact_type: 'file',
          artifact_id: 'a1',
          content_base64: 'aGVsbG8=',
        });
        answers.push(await api('artifact_read', { artifact_id: 'a1', offset: 1, length: 3 }));
        yield message(context, 'hello');
        yield result(context, 'run.completed');
        yield message(context, 'too late');
      });
      expect(seen).toMatchObject({
        run_id: id,
        event: { event_id: 'e1' },
        input: { text: 'hello' },
        context: { has_history_before: false, available_apis: { history_page: true, state: true } },
        runtime: { protocol_version: '1' },
      });
      expect(seen).not.toHaveProperty('messages');
      expect(answers.map(({ data }) => data)).toMatchObject([
        { message: { content: 'That is all that this model ever says.' } },
        { content_base64: Buffer.from('ell').toString('base64'), has_more: true },
      ]);
      const shown = await observe(id);
      expect(shown).toMatchObject({
        status: 'completed',
        deliveries: [
          { kind: 'delta', content: 'hel' },
          { kind: 'message', content: 'hello', conversation_id: 'c1' },
        ],
        state: [{ scope: 'conversation', key: 'k', value: { n: 1 } }],
        transcript: [
          { role: 'user', content: 'hello', event_id: 'e1' },
          { role: 'assistant', content: 'hello' },
        ],
        artifacts: [{ artifact_id: 'a1', size_bytes: 5 }],
        audit: [
          { run_id: id, runner_id: RUNNER, action: 'invoke_llm', resource: 'model-echo', result: 'ok' },
          { action: 'artifact_read', resource: 'a1', result: 'ok' },
        ],
        telemetry: [{ type: 'tool.call.started' }],
        active_runs: [],
      });
      expect(JSON.stringify(shown['warnings'])).toContain('new.type');
    });
  });
});

describe('discovery', () => {
  it('reads manifests and wrappers, and leaves out what it cannot use, each with a warning of its own', async () => {
    const { id: _id, name: _name, ...plain } = manifest();
    const runners = [
      manifest(),
      manifest({ id: 'plugin:a/two/default', protocol_version: '2' }),
      manifest({ id: 'no id' }),
      null as unknown as JsonObject,
      { plugin_author: 'w', plugin_name: 'rap', runner_name: 'per', manifest: plain },
      {
        plugin_author: 'y',
        plugin_name: 'a',
        runner_name: 'ml',
        manifest: { kind: 'AgentRunner', metadata: { label: { en_US: 'Y' } }, spec: {} },
      },
    ];
    await withHost(
      async ({ drive }) => {
        const found = await drive('driver_discover');
        expect(found['runners']).toEqual([RUNNER, 'plugin:w/rap/per', 'plugin:y/a/ml']);
        expect(found['warnings']).toHaveLength(3);
      },
      { runners },
    );
  });
});

describe('the end of a run', () => {
  it('comes once: by its terminal result, a broken or silent stream, the deadline or a cancel', async () => {
    await withHost(async ({ run, observe, drive, clock, cancelled }) => {
      const status = async (id: string): Promise<unknown> => (await observe(id))['status'];
      const done = await run(say('hi'));
      const none = await run(async function* (context) {
        yield message(context, 'hi');
      });
      const broken = await run(async function* () {
        yield* [];
        throw new Error('oops');
      });
      const slow = await run(
        async function* (context) {
          await clock.sleep(10_000);
          yield message(context, 'late');
        },
        { binding: { runner_config: { timeout: 2 } }, wait: 3000 },
      );
      const stopped = await run(
        async function* (context) {
          await clock.sleep(10_000);
          yield message(context, 'late');
        },
        { wait: false },
      );
      await drive('driver_cancel', { run_id: stopped, reason: 'enough' });
      await drive('driver_cancel', { run_id: done });
      await clock.sleep(20_000);
      expect(await Promise.all([done, none, broken, slow, stopped].map(status))).toEqual([
        'completed',
        'failed',
        'failed',
        'timeout',
        'cancelled',
      ]);
      expect(cancelled).toMatchObject([
        { run_id: slow, reason: 'deadline exceeded' },
        { run_id: stopped, reason: 'enough' },
      ]);
      expect((await observe())['active_runs']).toEqual([]);
      expect((await observe(slow))['deliveries']).toEqual([]);
    });
  });

  it('is the end of a runner that floods, and of it alone', async () => {
    await withHost(
      async ({ run, observe, clock }) => {
        const flood = await run(
          async function* (context) {
            for (let n = 0; n < 5000; n++)
              yield result(context, 'tool.call.started', { tool_call_id: '1', tool_name: 't' });
          },
          { wait: false },
        );
        const quiet = await run(say('still here'));
        await clock.sleep(10);
        expect(await observe(flood)).toMatchObject({ status: 'failed', failure: { code: 'runner.flood' } });
        expect(await observe(quiet)).toMatchObject({ status: 'completed', deliveries: [{ content: 'still here' }] });
      },
      { limits: { run_results: 500 } },
    );
  });
});

describe('results', () => {
  it('are left out with a warning when malformed, foreign, too large, repeated or beyond what the run may', async () => {
    await withHost(
      async ({ run, observe }) => {
        const bad: JsonObject[] = [
          {},
          { type: 'message.completed', run_id: 'another', data: { message: { role: 'a', content: 'foreign' } } },
          { type: 'message.completed', data: { message: { role: 'a', content: 'no run' } } },
        ];
        const id = await run(async function* (context) {
          yield* bad;
          yield 5 as unknown as JsonObject;
          yield result(context, 'message.completed', { message: 'text' });
          yield message(context, 'x'.repeat(5000));
          yield message(context, 'once', { sequence: 1 });
          yield message(context, 'twice', { sequence: 1 });
          for (const [scope, key, value] of [
            ['subject', 'k', 1],
            ['workspace', 'k', 1],
            ['conversation', '', 1],
            ['conversation', '😀😀😀😀😀', 1],
            ['conversation', 'k', 'ü'.repeat(20)],
            ['conversation', 'k', undefined],
          ] as const)
            yield result(context, 'state.updated', { scope, key, value });
          yield result(context, 'state.updated', { scope: 'conversation', key: '😀😀😀😀', value: 'ok' });
          yield result(context, 'artifact.created', { artifact_type: 'x', mime_type: 'no slash' });
          yield result(context, 'run.failed', { code: 'x', error: 'because' });
        });
        const shown = await observe(id);
        expect(shown).toMatchObject({
          status: 'failed',
          failure: { code: 'x', message: 'because' },
          deliveries: [{ content: 'once' }],
          state: [{ key: '😀😀😀😀', value: 'ok' }],
          artifacts: [],
        });
        expect(shown['warnings']).toHaveLength(14);
      },
      { limits: { result_bytes: 4000, state_key_chars: 4, state_value_bytes: 30 } },
    );
  });

  it('reach the surface in pieces that fit it', async () => {
    await withHost(async ({ run, observe }) => {
      const id = await run(say('aüb'), { event: { delivery: { surface: 'sms', max_message_size: 2 } } });
      expect((await observe(id))['deliveries']).toMatchObject([{ content: 'a' }, { content: 'ü' }, { content: 'b' }]);
    });
  });
});

describe('Host API calls', () => {
  it('are refused with the code that fits, change nothing, and are all written down', async () => {
    await withHost(async ({ run, observe, peer }) => {
      const codes: string[] = [];
      const id = await run(async function* (context, api) {
        const calls: readonly (readonly [string, JsonObject])[] = [
          ['state_set', { scope: 'conversation', key: 'k', value: 1 }],
          ['state_set', { scope: 'conversation', key: 'k', value: 2, run_id: null }],
          ['state_set', { scope: 'conversation', key: 'k', value: 2, run_id: 'run-x' }],
          ['state_set', { scope: 'conversation', key: 'k', value: 2, caller_plugin_identity: 'evil/plugin' }],
          ['state_set', { scope: 'conversation', key: 'k', value: 2, caller_plugin_identity: null }],
          ['state_set', { scope: 'conversation', key: 'k' }],
          ['state_set', { scope: 'subject', key: 'k', value: 2 }],
          ['state_set', { scope: 'conversation', key: 'k', value: 'x'.repeat(20_000) }],
          ['invoke_llm', { ...llm, llm_model_uuid: 'model-rank' }],
          ['invoke_llm', { ...llm, llm_model_uuid: 'nobody' }],
          ['call_tool', { tool_name: 'tool-broken', parameters: {} }],
          ['get_workspace_storage', { key: 'k' }],
          ['get_plugin_storage', { key: 'never set' }],
          ['history_page', { conversation_id: 'c2' }],
          ['history_page', { limit: -1 }],
          ['event_get', { event_id: 'never' }],
          ['artifact_read', { artifact_id: 'never' }],
          ['platform_request_action', { action: 'message.edit' }],
          ['set_binary_storage', { owner_type: 'workspace', key: 'k', value_base64: '' }],
          ['set_binary_storage', { owner_type: 'plugin', owner: 'evil/plugin', key: 'k', value_base64: 'aGk=' }],
          ['get_plugin_storage', { key: 'k' }],
        ];
        for (const [action, data] of calls) {
          const answer = await api(action, data);
          codes.push(answer.code === 0 ? 'ok' : errorOf(answer));
        }
        yield result(context, 'run.completed');
      });
      expect(codes).toEqual([
        'ok',
        'unauthorized',
        'unauthorized',
        'unauthorized',
        'unauthorized',
        'invalid_argument',
        'unauthorized',
        'payload_too_large',
        'unauthorized',
        'unauthorized',
        'runtime_error',
        'unauthorized',
        'not_found',
        'unauthorized',
        'invalid_argument',
        'not_found',
        'not_found',
        'unauthorized',
        'unauthorized',
        'ok',
        'ok',
      ]);
      const whole = await observe();
      expect((whole['audit'] as JsonObject[]).map((entry) => entry['result'])).toEqual(codes);
      expect((whole['audit'] as JsonObject[])[2]).toMatchObject({ run_id: 'run-x', runner_id: null });
      expect(whole['state']).toMatchObject([{ key: 'k', value: 1 }]);
      const after = await peer.call('state_get', {
        run_id: id,
        caller_plugin_identity: 'acme/probe',
        scope: 'conversation',
        key: 'k',
      });
      expect(errorOf(after)).toBe('unauthorized');
    });
  });

  it('are bounded by rate and deadline', async () => {
    await withHost(
      async ({ run, clock }) => {
        const codes: string[] = [];
        await run(
          async function* (context, api) {
            const get = async (): Promise<void> => {
              const answer = await api('state_get', { scope: 'conversation', key: 'k' });
              codes.push(answer.code === 0 ? 'ok' : errorOf(answer));
            };
            for (let n = 0; n < 4; n++) await get();
            await clock.sleep(1000);
            await get();
            await clock.sleep(2000);
            await get();
            yield result(context, 'run.completed');
          },
          { binding: { runner_config: { timeout: 2 } }, wait: 4000 },
        );
        expect(codes).toEqual(['ok', 'ok', 'ok', 'rate_limited', 'ok', 'deadline_exceeded']);
      },
      { limits: { calls_per_second: 3 } },
    );
  });

  it('page through history and events, each item once, while more is written', async () => {
    await withHost(
      async ({ run }) => {
        for (let turn = 0; turn < 5; turn++)
          await run(say(`answer ${turn}`), { event: { event_id: `e${turn}`, input: { text: `q${turn}` } } });
        await run(say('elsewhere'), { event: { event_id: 'o', conversation_id: 'c2', input: { text: 'other' } } });
        const walks: Record<string, unknown[]> = {};
        await run(
          async function* (context, api) {
            for (const direction of ['backward', 'forward']) {
              const seen: unknown[] = [];
              let cursor: unknown =
                direction === 'backward' ? (context['context'] as JsonObject)['latest_cursor'] : null;
              for (let more = true; more; ) {
                const field = direction === 'backward' ? 'before_cursor' : 'after_cursor';
                const { data } = await api('history_page', { direction, limit: 3, [field]: cursor as string });
                seen.push(...(data['items'] as JsonObject[]).map(({ content }) => content));
                cursor = data['next_cursor'];
                more = data['has_more'] === true;
                if (seen.length < 4) yield message(context, `written meanwhile, ${direction}`);
              }
              walks[direction] = seen;
            }
            const { data } = await api('history_search', { query: 'ANSWER', top_k: 2 });
            walks['search'] = (data['items'] as JsonObject[]).map(({ content }) => content);
            const events = await api('event_page', { event_types: ['message.received'], limit: 50 });
            walks['events'] = (events.data['items'] as JsonObject[]).map(({ event_id }) => event_id);
            yield result(context, 'run.completed');
          },
          { event: { event_id: 'now', input: { text: 'now' } } },
        );
        const turns = [0, 1, 2, 3, 4].flatMap((turn) => [`q${turn}`, `answer ${turn}`]);
        expect(walks['backward']).toEqual(turns.toReversed());
        expect(walks['forward']).toEqual([
          ...turns,
          'now',
          'written meanwhile, backward',
          'written meanwhile, forward',
        ]);
        expect(walks['search']).toEqual(['answer 4', 'answer 3']);
        expect(walks['events']).toEqual(['now', 'e4', 'e3', 'e2', 'e1', 'e0']);
      },
      { limits: { history_page_items: 4 } },
    );
  });
});

describe('what is kept', () => {
  it.each([undefined, join(dir, 'kept')])('outlives a restart, torn or not (storage: %s)', async (storage) => {
    await withHost(
      async ({ run, observe, drive, clock }) => {
        await run(async function* (context, api) {
          yield result(context, 'state.updated', { scope: 'actor', key: 'k', value: [1] });
          yield result(context, 'artifact.created', { artifact_type: 'file', content_base64: 'aGk=' });
          await api('set_plugin_storage', { key: 's', value_base64: 'aGk=' });
          yield message(context, 'hello');
          yield result(context, 'run.completed');
        });
        const before = await observe();
        await drive('driver_restart');
        expect(await observe()).toEqual(before);
        await drive('driver_restart', { torn: true });
        expect(await observe()).toEqual(before);
        let next: JsonObject = {};
        const hanging = await run(
          async function* (context) {
            next = context;
            await clock.sleep(60_000);
            yield message(context, 'after the restart');
          },
          { event: { event_id: 'e2' } },
        );
        expect(next).toMatchObject({ state: { actor: { k: [1] } }, context: { has_history_before: true } });
        await drive('driver_restart');
        await clock.sleep(70_000);
        expect(await observe(hanging)).toMatchObject({ status: 'failed', deliveries: [], active_runs: [] });
        await drive('driver_reset');
        expect(await observe()).toMatchObject({ events: [], state: [], statuses: {} });
      },
      storage === undefined ? {} : { storage },
    );
  });
});

describe('large payloads', () => {
  it('travel by reference and can be read', async () => {
    const large = 'Größe '.repeat(20_000);
    await withHost(async ({ run, observe }) => {
      let seen: JsonObject = {};
      const read: Answer[] = [];
      const id = await run(
        async function* (context, api) {
          seen = context;
          const [ref] = (context['input'] as { attachments: JsonObject[] }).attachments;
          read.push(await api('artifact_metadata', { artifact_id: ref!['artifact_id'] }));
          yield result(context, 'run.completed');
        },
        { event: { input: { contents: [{ type: 'text', text: large }] }, data: { raw: large, small: 1 } } },
      );
      expect(JSON.stringify(seen).length).toBeLessThan(10_000);
      expect(seen).toMatchObject({ event: { data: { small: 1 } } });
      expect(read[0]!.data).toMatchObject({ mime_type: 'application/json' });
      expect((await observe(id))['artifacts']).toHaveLength(2);
    });
  });
});
