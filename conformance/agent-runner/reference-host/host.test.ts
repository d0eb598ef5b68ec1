import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../common/json.ts';
import { message, RUNNER, result, withHost } from './trial-world.ts';

describe('a whole run', () => {
  it('goes from event to context to results to what is shown', async () => {
    await withHost(async ({ run, observe, drive }) => {
      expect(await drive('driver_discover')).toEqual({ runners: [RUNNER], warnings: [] });
      let seen: JsonObject = {};
      const id = await run(async function* (context, api) {
        seen = context;
        yield result(context, 'message.delta', { chunk: { role: 'assistant', content: 'hel' } });
        expect(
          (await api('invoke_llm', { llm_model_uuid: 'model-echo', messages: [{ role: 'user', content: 'x' }] })).data,
        ).toMatchObject({ message: { content: 'You said: x' } });
        yield result(context, 'state.updated', { scope: 'conversation', key: 'k', value: { n: 1 } });
        yield result(context, 'tool.call.started', { tool_call_id: '1', tool_name: 't' });
        yield result(context, 'new.type', { message: { role: 'assistant', content: 'no' } });
        yield result(context, 'artifact.created', {
          artifact_type: 'file',
          artifact_id: 'a1',
          content_base64: 'aGVsbG8=',
        });
        expect((await api('artifact_read', { artifact_id: 'a1', offset: 1, length: 3 })).data).toMatchObject({
          content_base64: Buffer.from('ell').toString('base64'),
          has_more: true,
        });
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
