// The same script in several processes, each with its share of the work; what they send comes back as it is done.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';

const SHARE = 'RUNCERT_PROOF_SHARE';

/** In a child: does the at-th piece of work belong to it? Undefined in the parent. */
export function ownShare(): ((at: number) => boolean) | undefined {
  const share = process.env[SHARE];
  if (share === undefined) return undefined;
  const [index = 0, of = 1] = share.split('/').map(Number);
  return (at) => at % of === index;
}

export const send = (result: unknown): void => void process.send?.(result);

/** Starts this very script once a core, with the same arguments. */
export async function inProcesses<Result>(script: string, told: (result: Result) => void): Promise<void> {
  const of = availableParallelism();
  await Promise.all(
    Array.from({ length: of }, (_, index) => {
      const child = fork(script, process.argv.slice(2), { env: { ...process.env, [SHARE]: `${index}/${of}` } });
      child.on('message', (result) => told(result as Result));
      return new Promise<void>((resolve, reject) => {
        child.on('error', reject);
        child.on('exit', (code, signal) =>
          code === 0 ? resolve() : reject(new Error(`a process of the proof ended with ${signal ?? code}`)),
        );
      });
    }),
  );
}
