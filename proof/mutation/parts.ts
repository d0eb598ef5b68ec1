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
const RUNTIME = 'conformance/agent-runtime';

export const PARTS: readonly Part[] = [
  {
    id: 'host',
    what: 'the reference host, by the conformance run for hosts',
    // medium.ts ties the host to a disk, which a run in this process passes by; target.ts and trial-world.ts only set it up, and
    // inventory.ts says what stands behind it.
    mutate: [
      `${RUNNER}/reference-host/**/*.ts`,
      `!${RUNNER}/reference-host/{inventory,target,trial-world,stores/medium}.ts`,
    ],
    goal: 90,
  },
  {
    id: 'runner',
    what: 'the reference runner, by the conformance run for runners',
    // container.ts dresses the manifest as the SDK's plugins do; no clause speaks of that dress.
    mutate: [`${RUNNER}/reference-runner/**/*.ts`, `!${RUNNER}/reference-runner/{target,container}.ts`],
    goal: 90,
  },
  {
    id: 'oracle',
    what: 'the oracle, by false alarms over the reference host and by mutants of it that go free',
    mutate: [`${RUNNER}/oracle/*.ts`],
    goal: 85,
  },
  {
    id: 'folds',
    what: 'the folds of the read models, by the conformance run for runtimes',
    mutate: [`${RUNTIME}/models/*.ts`],
    goal: 90,
  },
  {
    id: 'wire',
    what: 'the wire, by conformance runs across its codecs and by far ends that break it',
    // The other files tie links to processes, sockets and real time: a run in this process passes them by.
    mutate: [`conformance/wire/{frame,fragment,generation,lines,link,peer,pieces,queue,requests,text}.ts`],
    goal: 85,
  },
];
