// A runner that hands every message to an HTTP service, as runners of external platforms do.
// In a project of your own the first line is: import { defineRunner } from 'runcert';
import { defineRunner } from '../../index.ts';

interface Settings {
  readonly baseUrl: string;
  /** Milliseconds to wait for the service; the deadline of the run ends it sooner. */
  readonly timeout: number;
}

const failed = (code: string, message: string, retryable: boolean) => ({
  type: 'run.failed',
  data: { code, message, retryable },
});

/** Pieces of at most `limit` bytes of UTF-8, never through a character. */
function pieces(text: string, limit: number): string[] {
  const all: string[] = [];
  let piece = '';
  for (const character of text) {
    if (Buffer.byteLength(piece + character) > limit && piece !== '') {
      all.push(piece);
      piece = '';
    }
    if (Buffer.byteLength(character) <= limit) piece += character;
  }
  return piece === '' ? all : [...all, piece];
}

export const httpRunner = ({ baseUrl, timeout }: Settings) =>
  defineRunner({
    // It waits on the network, so it cannot run on virtual time.
    time: 'real',
    manifest: {
      id: 'plugin:example/http/default',
      name: 'default',
      label: { en_US: 'HTTP service' },
      capabilities: { interrupt: true, stateful_session: true },
      permissions: {},
      context: {},
    },
    async *run(context, { signal }) {
      const {
        input,
        delivery,
        state,
        context: access,
      } = context as unknown as {
        readonly input: { readonly text?: string | null };
        readonly delivery: { readonly max_message_size?: number | null };
        readonly state?: { readonly conversation?: Record<string, unknown> };
        readonly context?: { readonly available_apis?: { readonly state?: boolean } };
      };
      if (!input.text) return yield { type: 'run.completed', data: {} };
      let answer: { text: string; conversation: string };
      try {
        const response = await fetch(`${baseUrl}/chat`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            text: input.text,
            conversation: state?.conversation?.['external.conversation_id'] ?? null,
          }),
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
        });
        if (!response.ok)
          return yield failed('http.status', `the service answered ${response.status}`, response.status >= 500);
        answer = (await response.json()) as typeof answer;
        signal.throwIfAborted();
      } catch (error) {
        if (signal.reason === 'deadline_exceeded') return yield failed('deadline_exceeded', 'no time left', true);
        if (signal.aborted) return yield failed('cancelled', String(signal.reason), false);
        return yield failed('http.error', String(error), true);
      }
      for (const content of pieces(answer.text, delivery.max_message_size ?? Number.POSITIVE_INFINITY))
        yield { type: 'message.completed', data: { message: { role: 'assistant', content } } };
      if (access?.available_apis?.state)
        yield {
          type: 'state.updated',
          data: { scope: 'conversation', key: 'external.conversation_id', value: answer.conversation },
        };
      yield { type: 'run.completed', data: { finish_reason: 'stop' } };
    },
  });

export default httpRunner({ baseUrl: process.env['HTTP_RUNNER_URL'] ?? 'http://127.0.0.1:8080', timeout: 30_000 });
