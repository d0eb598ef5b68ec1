// The smallest honest runner: it says what it heard. Try it with
//   npx runcert certify runner --module examples/echo-runner.ts
// In a project of your own, import from 'runcert'.
import { defineRunner } from '../index.ts';

export default defineRunner({
  manifest: {
    id: 'plugin:acme/echo/default',
    name: 'default',
    label: { en_US: 'Echo' },
    protocol_version: '1',
    capabilities: {},
    permissions: {},
    context: {},
  },
  async *run(context) {
    const { text } = (context['input'] ?? {}) as { text?: string };
    yield { type: 'run.completed', data: { message: { role: 'assistant', content: text ?? '' } } };
  },
});
