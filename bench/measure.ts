// Contenders in one process, turn by turn, so that a noisy machine is noisy for all of them; what counts is the ratio.

export interface Contender {
  readonly name: string;
  /** Does its work once over all inputs; returns a number, so that nothing is optimised away. */
  readonly run: () => number;
  /** Operations in one run. */
  readonly operations: number;
}

export interface Measured {
  readonly name: string;
  /** Median operations a second. */
  readonly rate: number;
}

/** `rounds` turns of `ms` each for every contender. */
export function measure(contenders: readonly Contender[], rounds = 9, ms = 150): Measured[] {
  const rates = new Map(contenders.map(({ name }): [string, number[]] => [name, []]));
  for (const { run } of contenders) for (let i = 0; i < 50; i++) run();
  for (let round = 0; round < rounds; round++) {
    for (const { name, run, operations } of contenders) {
      const started = performance.now();
      let runs = 0;
      let elapsed = 0;
      for (; elapsed < ms; elapsed = performance.now() - started, runs++) run();
      rates.get(name)?.push((runs * operations * 1000) / elapsed);
    }
  }
  return contenders.map(({ name }) => ({ name, rate: median(rates.get(name) ?? []) }));
}

export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

export function table(title: string, measured: readonly Measured[], against: string): void {
  const base = measured.find(({ name }) => name === against)?.rate ?? 1;
  console.log(`\n${title}`);
  for (const { name, rate } of measured)
    console.log(
      `  ${name.padEnd(28)} ${Math.round(rate).toLocaleString('en').padStart(12)} /s   ${(rate / base).toFixed(2)} × ${against}`,
    );
}

/** A limit on a ratio: told either way, and the exit code says whether it held. */
export function limit(what: string, ratio: number, holds: boolean): void {
  console.log(`${holds ? '✓' : '✗'} ${what}: ${ratio.toFixed(2)}`);
  if (!holds) process.exitCode = 1;
}
