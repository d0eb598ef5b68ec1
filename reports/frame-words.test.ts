import { expect, test } from 'vitest';
import { requestDetail, resultDetail } from './frame-words.ts';

test.each([
  ['run_agent', { context: { run_id: 'run-0' } }, 'run-0'],
  ['driver_submit', { event: { event_type: 'message.received' } }, 'message.received'],
  ['cancel_run', { run_id: 'run-1', reason: 'user' }, 'run-1'],
  ['call_tool', { run_id: 'run-1', tool_name: 'search' }, 'search'],
  ['state_set', { scope: 'actor', key: 'mood', value: 1 }, 'actor/mood'],
  ['get_plugin_storage', { key: 'k' }, 'k'],
  ['history_page', { conversation_id: null, limit: 3 }, undefined],
  ['call_tool', null, undefined],
  ['run_agent', { context: 'not an object' }, undefined],
])('%s of %j is about %s', (action, data, words) => {
  expect(requestDetail(action, data)).toBe(words);
});

test.each([
  [{ type: 'message.completed', data: { message: { role: 'assistant', content: 'hi\n' } } }, '"hi\\n"'],
  [{ type: 'message.delta', data: { chunk: { content: 'h' } } }, '"h"'],
  [{ type: 'run.failed', data: { code: 'cancelled', message: 'm' } }, 'cancelled'],
  [{ type: 'state.updated', data: { scope: 'runner', key: 'n', value: 2 } }, 'runner/n'],
  [{ type: 'tool.call.started', data: { tool_name: 'search' } }, 'search'],
  [{ type: 'run.completed' }, undefined],
])('%j carries %s', (result, words) => {
  expect(resultDetail(result)).toBe(words);
});
