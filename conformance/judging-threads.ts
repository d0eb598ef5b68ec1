// Threads that judge a large recording together. They run what is built: sources alone have no threads.
import { Worker } from 'node:worker_threads';
import { RuncertError } from '../common/error.ts';
import type { JudgedBlock } from './judging/block.ts';
import type { Crew } from './judging/recorded.ts';
import type { Answer, Work } from './judging-thread.ts';

/** Blocks that wait at each thread while it judges another: none has to wait for its next one. */
const AT_HAND = 3;
/** What a thread parses is garbage a case later: with room for it, the collector finds little that is still alive. */
const YOUNG_MB = 64;

interface Thread {
  readonly worker: Worker;
  /** Who waits for the answers, in the order of the questions. */
  readonly waiting: { resolve(judged: JudgedBlock): void; reject(error: Error): void }[];
  broken: Error | undefined;
}

/** Starts the threads; `close` ends them, whatever they are at. */
export function judgingThreads(count: number): Crew & { close(): Promise<void> } {
  const threads = Array.from({ length: count }, start);
  return {
    room: count * AT_HAND,
    judge: (block, clauses) =>
      new Promise((resolve, reject) => {
        const idlest = threads.reduce((best, one) => (one.waiting.length < best.waiting.length ? one : best));
        if (idlest.broken !== undefined) return reject(idlest.broken);
        idlest.waiting.push({ resolve, reject });
        const work: Work = { block, clauses };
        idlest.worker.postMessage(work, [block.bytes.buffer]);
      }),
    close: async () => {
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

function start(): Thread {
  const worker = new Worker(new URL('./judging-thread.js', import.meta.url), {
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const waiting: Thread['waiting'] = [];
  const thread: Thread = { worker, waiting, broken: undefined };
  worker.on('message', (answer: Answer) => {
    const asker = waiting.shift();
    if ('judged' in answer) asker?.resolve(answer.judged);
    else asker?.reject('refused' in answer ? refusal(answer.refused) : fault(answer.fault));
  });
  worker.on('error', (error) => {
    thread.broken = error as Error;
    for (const asker of waiting.splice(0)) asker.reject(thread.broken);
  });
  return thread;
}

const refusal = ({ code, message, ...details }: Extract<Answer, { refused: unknown }>['refused']): RuncertError => {
  const { place, remedy, exit } = details;
  return new RuncertError(code, message, {
    exit,
    ...(place === undefined ? {} : { place }),
    ...(remedy === undefined ? {} : { remedy }),
  });
};

function fault(stack: string): Error {
  const error = new Error('a thread failed');
  error.stack = stack;
  return error;
}
