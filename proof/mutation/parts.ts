// What is mutated, part by part, and where its trials stand.

export interface Part {
  readonly id: string;
  /** What a reader of the figures is told. */
  readonly what: string;
  /** Globs of the code that is mutated. */
  readonly mutate: readonly string[];
  /** The share that must be killed, equivalent mutants left out. */
  readonly goal: number;
}

const RUNNER = 'conformance/agent-runner';

export const PARTS: readonly Part[] = [
  {
    id: 'host',
    what: 'the reference host, by the conformance run for hosts',
    // medium.ts ties the host to a disk, which a run in this process passes by; target.ts and trial-world.ts only set it up.
    mutate: [`${RUNNER}/reference-host/**/*.ts`, `!${RUNNER}/reference-host/{target,trial-world,stores/medium}.ts`],
    goal: 90,
  },
  {
    id: 'runner',
    what: 'the reference runner, by the conformance run for runners',
    mutate: [`${RUNNER}/reference-runner/**/*.ts`, `!${RUNNER}/reference-runner/target.ts`],
    goal: 90,
  },
];
