// A thread that judges blocks of a recording, one after another.
import { parentPort } from 'node:worker_threads';
import { type ExitCode, RuncertError } from '../common/error.ts';
import { type JudgedBlock, judgeBlock } from './judging/block.ts';
import type { Block } from './recording/blocks.ts';
import { suiteFor } from './suites.ts';

export interface Work {
  readonly block: Block;
  readonly clauses: readonly string[];
}

/** Errors lose their class between threads. */
export type Answer =
  | { readonly judged: JudgedBlock }
  | {
      readonly refused: {
        readonly code: `RUNCERT_${string}`;
        readonly message: string;
        readonly place: string | undefined;
        readonly remedy: string | undefined;
        readonly exit: ExitCode;
      };
    }
  | { readonly fault: string };

let last: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (work: Work) => {
  last = last.then(async () => parentPort?.postMessage(await answer(work)));
});

async function answer({ block, clauses }: Work): Promise<Answer> {
  try {
    const { party, revision } = block.head;
    return { judged: judgeBlock(await suiteFor(party, revision), block, clauses) };
  } catch (error) {
    if (!(error instanceof RuncertError)) return { fault: (error as Error).stack ?? String(error) };
    const { code, message, place, remedy, exit } = error;
    return { refused: { code, message, place, remedy, exit } };
  }
}
