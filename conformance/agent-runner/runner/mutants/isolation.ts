// Runs that get into each other's way.
import type { Mutant } from '../../../driving/suite.ts';
import type { Results, Run } from '../../reference-runner/parts.ts';
import { referenceParts } from '../../reference-runner/reference.ts';
import { mutant } from './mutant.ts';

/** A few turns of the promise queue and no time at all: only a run that begins in just these is in the way. */
async function moment(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await undefined;
}

export const isolationMutants: readonly Mutant[] = [
  mutant('shared-memory', ['context-1/runs-kept-apart'], 'Keeps what it gathered in one place for all runs.', () => {
    let last: Awaited<ReturnType<typeof referenceParts.gather>> | undefined;
    return {
      gather: async (run) => {
        const gathered = await referenceParts.gather(run);
        const mixed = last ?? gathered;
        last = gathered;
        return { ...mixed, tools: gathered.tools };
      },
    };
  }),
  mutant(
    'last-run-wins',
    ['context-1/streams-kept-apart', '7.1/run-id-echoed'],
    'Stamps results with the run that started last.',
    () => {
      let latest = '';
      return {
        async *behave(run): Results {
          latest = run.context.run_id;
          yield* referenceParts.behave(run);
        },
        seal: (context, result, sequence) => ({
          ...referenceParts.seal(context, result, sequence),
          run_id: latest || context.run_id,
        }),
      };
    },
  ),
  mutant(
    'calls-under-last-run',
    ['context-1/streams-kept-apart'],
    'Makes its calls under the run that started last.',
    () => {
      let latest = '';
      return {
        async *behave(run): Results {
          latest = run.context.run_id;
          yield* referenceParts.behave(run);
        },
        request: (context, action, data) => ({
          ...referenceParts.request(context, action, data),
          run_id: latest || context.run_id,
        }),
      };
    },
  ),
  mutant(
    'run-overtaken-in-an-await',
    ['context-1/runs-kept-apart'],
    'Waits a moment before it gathers, and then gathers for the run that began in just that moment.',
    () => {
      let latest: Run | undefined;
      let begun = 0;
      return {
        async *behave(run): Results {
          latest = run;
          begun++;
          yield* referenceParts.behave(run);
        },
        gather: async (run) => {
          const before = begun;
          await moment();
          if (before === begun || latest === undefined) return referenceParts.gather(run);
          return { ...(await referenceParts.gather(latest)), tools: [] };
        },
      };
    },
  ),
  mutant('one-at-a-time', ['context-1/runs-concurrent'], 'Starts a run only when the one before is over.', () => {
    let before: Promise<void> = Promise.resolve();
    return {
      async *behave(run): Results {
        const mine = before;
        let release: () => void = () => {};
        before = new Promise((resolve) => {
          release = resolve;
        });
        run.signal.addEventListener('abort', () => release(), { once: true });
        await mine;
        yield* referenceParts.behave(run);
      },
    };
  }),
];
