// Runs that outlive their deadline or are cancelled at any point, by runners that heed it or not; and what is left afterwards.
import fc from 'fast-check';
import { say } from '../say.ts';
import { type Beat, type HostStimulus, runOf, type Script, type Step, selfRun } from '../stimulus.ts';
import { AUTHOR, binding, declaredBy, event, hostArea, manifest, marked, offer, settle, submit } from './kit.ts';

/** Seconds that a run gets: enough for something to be surely in time. */
const LIMIT = 2.5;
const timed = binding({ runner_config: { timeout: LIMIT } });
const free = binding();

const get = { call: 'state_get', data: { run_id: selfRun, scope: 'conversation', key: 'key' } } as const;
const live: readonly Beat[] = [get, say.message(marked('live')), say.state('conversation', 'key', marked('kept'))];
const tooLate: readonly Beat[] = [
  say.message(marked('late-message')),
  say.delta(marked('late-delta')),
  say.state('conversation', 'key', marked('late-state')),
  say.artifact({ artifact_type: 'file', artifact_id: marked('late-artifact'), name: 'late' }),
  say.completed(),
];
const pastDeadline: Beat = { deadline: 300, graces: 1 };
/** Long past any cancel of these stimuli. */
const pastCancel: Beat = { wait: 800, graces: 2 };

const after = (run: number): readonly Step[] => [
  { do: 'observe', run },
  { do: 'observe' },
  {
    do: 'call',
    call: 'state_get',
    data: { run_id: runOf(run), scope: 'conversation', key: 'key' },
    as: `${AUTHOR}/probe`,
  },
  { do: 'call', call: 'event_page', data: { run_id: runOf(run), limit: 1 }, as: `${AUTHOR}/probe` },
];
const passed: Step = { do: 'wait', ms: 200, graces: 1 };
const pastLimit: Step = { do: 'wait', ms: LIMIT * 1000 + 400, graces: 1 };

const stage = (steps: readonly Step[], cancelRun?: HostStimulus['cancelRun']): HostStimulus => ({
  offers: [offer(manifest())],
  steps: [{ do: 'discover' }, ...steps],
  ...(cancelRun === undefined ? {} : { cancelRun }),
});

const run = (script: Script, bound = free, number = 1): Step =>
  submit(event(number, { conversation_id: `conversation-${number}` }), bound, script);

/** A run against its deadline, looked at once that is past. */
const overtime = (beats: readonly Beat[], cancelled?: readonly Beat[]): HostStimulus =>
  stage([
    run({ beats: [...beats], ...(cancelled ? { cancelled: [...cancelled] } : {}) }, timed),
    pastLimit,
    ...after(0),
    { do: 'wait', ms: 500 },
    ...after(0),
  ]);

interface Cancel {
  readonly wait: number;
  readonly graces?: number;
  readonly reason?: string;
}

/** A run that is cancelled after a while, and looked at when that must have worked, and again when the script is played. */
const cancelAt = (script: Script, cancels: readonly Cancel[], how?: HostStimulus['cancelRun']): HostStimulus =>
  stage(
    [
      run(script),
      { do: 'reach', run: 0 },
      ...cancels.flatMap(({ wait, graces = 0, reason }): Step[] => [
        { do: 'wait', ms: wait, graces },
        { do: 'cancel', run: 0, ...(reason === undefined ? {} : { reason }) },
      ]),
      passed,
      ...after(0),
      { do: 'wait', ms: 800 },
      { do: 'observe', run: 0 },
    ],
    how,
  );

const heeding: Script = { beats: [...live, { end: 'silence' }], cancelled: [say.failed('cancelled', 'as you wish')] };
const deaf: Script = { beats: [...live, pastCancel, ...tooLate] };
const stubborn: Script = { beats: [...live, { end: 'silence' }], cancelled: [pastCancel, ...tooLate] };
const eager: Script = { beats: [...live, { end: 'silence' }], cancelled: [say.completed()] };

/** A run that ends by itself, looked at when its session must be gone. */
const ends = (beats: readonly Beat[]): HostStimulus =>
  stage([run({ beats: [...beats] }), settle(0), passed, ...after(0)]);

export const deadlineCancel = hostArea({
  id: 'deadline-cancel',
  runs: 200,
  corners: (info) => [
    // A host that restarts in the middle of a run ends it all the same.
    ...(declaredBy(info).features.includes('restart')
      ? [
          stage([
            run({ beats: [...live, pastDeadline, ...tooLate, { end: 'silence' }] }, timed),
            { do: 'reach', run: 0 },
            { do: 'wait', ms: 100 },
            { do: 'restart' },
            ...after(0),
            pastLimit,
            ...after(0),
          ]),
        ]
      : []),
    overtime([...live, { end: 'silence' }]),
    overtime([{ end: 'silence' }]),
    overtime([...live, pastDeadline, ...tooLate]),
    overtime([...live, pastDeadline, ...tooLate, { end: 'silence' }]),
    overtime([...live, { end: 'silence' }], [pastDeadline, ...tooLate]),
    overtime([...live, { deadline: 0, graces: -2 }, say.completed(), pastDeadline, ...tooLate]),
    // The deadline is that of the whole run: saying something shortly before it puts nothing off.
    overtime([...live, { deadline: 300, graces: -1 }, say.message(marked('shortly')), { end: 'silence' }]),
    stage([run({ beats: [...live, say.completed()] }, timed), settle(0), passed, ...after(0)]),
    // Another run of the same conversation goes on.
    stage([
      run(heeding),
      run({ beats: [{ wait: 300, graces: 2 }, say.message(marked('spared')), say.completed()] }),
      { do: 'reach', run: 1 },
      { do: 'wait', ms: 50 },
      { do: 'cancel', run: 0 },
      passed,
      ...after(0),
      settle(1),
    ]),
    stage([
      run({ beats: [...live, { wait: 400, graces: 2 }, get, say.completed()] }),
      { do: 'reach', run: 0 },
      { do: 'wait', ms: 100 },
      { do: 'observe' },
      settle(0),
      passed,
      ...after(0),
    ]),
    ...[heeding, deaf, stubborn, eager].flatMap((script) => [
      cancelAt(script, [{ wait: 100, graces: 1 }]),
      cancelAt(script, [{ wait: 0 }]),
    ]),
    cancelAt(heeding, [{ wait: 100, graces: 1 }], 'unknown'),
    cancelAt(deaf, [{ wait: 100, graces: 1 }], 'silence'),
    cancelAt(deaf, [
      { wait: 100, graces: 1 },
      { wait: 100, graces: 1 },
    ]),
    stage([
      run({ beats: [...live, say.completed()] }),
      settle(0),
      passed,
      { do: 'cancel', run: 0 },
      passed,
      ...after(0),
    ]),
    stage([
      run({ beats: [...live, say.failed('runner.error', 'broke')] }),
      settle(0),
      passed,
      { do: 'cancel', run: 0 },
      passed,
      ...after(0),
    ]),
    stage([
      run({ beats: [{ wait: 300 }, say.message(marked('m')), say.completed()] }),
      { do: 'reach', run: 0 },
      { do: 'cancel', run: 9 },
      settle(0),
      passed,
      ...after(0),
    ]),
    // No number of seconds above 0: how long these may take is the host's affair.
    stage(
      [0, -5, null].flatMap((timeout, index) => [
        run({ beats: [{ wait: 20 }, ...live, say.completed()] }, binding({ runner_config: { timeout } }), index + 1),
        settle(index),
      ]),
    ),
    // One run is cancelled, and one runs out of time, beside another that goes on to its end.
    ...[true, false].map((cancels) =>
      stage([
        run({ beats: [...live, { end: 'silence' }] }, cancels ? free : timed, 1),
        run(
          {
            beats: [
              ...live,
              { wait: LIMIT * 1000 + 800, graces: 1 },
              get,
              say.message(marked('other')),
              say.completed(),
            ],
          },
          free,
          2,
        ),
        { do: 'reach', run: 1 },
        ...(cancels ? [{ do: 'cancel', run: 0 } as const] : []),
        pastLimit,
        ...after(0),
        settle(1, 10_000),
      ]),
    ),
    ends([...live, say.completed()]),
    ends([...live, say.failed('runner.error', 'broke')]),
    ends([...live, { end: 'error', message: 'RuntimeError: broke off' }]),
    ends([...live]),
    ends([]),
  ],
  stimulus: () =>
    fc.oneof(
      fc
        .record({
          before: fc.subarray([...live]),
          at: fc.integer({ min: -2500, max: 2500 }),
          graces: fc.integer({ min: -1, max: 1 }),
          late: fc.subarray([...tooLate]),
          silent: fc.boolean(),
          deadlines: fc.integer({ min: 1, max: 2 }),
        })
        .map(({ before, at, graces, late, silent, deadlines }) => {
          const beats: Beat[] = [
            ...before,
            { deadline: at, graces },
            ...late,
            ...(silent ? [{ end: 'silence' as const }] : []),
          ];
          const runs = Array.from({ length: deadlines }, (_, index) => run({ beats }, timed, index + 1));
          return stage([...runs, pastLimit, ...after(0), { do: 'wait', ms: 3000 }, { do: 'observe', run: 0 }]);
        }),
      fc
        .record({
          script: fc.constantFrom(heeding, deaf, stubborn, eager, { beats: [...live, say.completed()] }),
          cancels: fc.array(
            fc.record({
              wait: fc.integer({ min: 0, max: 1500 }),
              graces: fc.nat(1),
              reason: fc.string({ maxLength: 8 }),
            }),
            { minLength: 1, maxLength: 3 },
          ),
          how: fc.constantFrom(undefined, undefined, 'unknown' as const, 'silence' as const),
        })
        .map(({ script, cancels, how }) => cancelAt(script, cancels, how)),
      // A run that is over, and a run that never was, cancelled while another goes on.
      fc
        .record({
          end: fc.constantFrom(say.completed(), say.failed('x', 'y')),
          stranger: fc.boolean(),
          again: fc.nat(2),
        })
        .map(({ end, stranger, again }) => {
          const other = run({ beats: [{ wait: 600 }, say.message(marked('other')), say.completed()] }, free, 2);
          const cancels = Array.from({ length: again + 1 }, (): Step => ({ do: 'cancel', run: stranger ? 9 : 0 }));
          return stage([
            run({ beats: [...live, end] }),
            settle(0),
            other,
            { do: 'reach', run: 1 },
            ...cancels,
            settle(1),
            { do: 'observe', run: 0 },
          ]);
        }),
      fc
        .subarray([...live, ...tooLate.slice(0, 3)])
        .chain((beats) =>
          fc
            .constantFrom<readonly Beat[]>([say.completed()], [say.failed('x', 'y')], [], [{ end: 'error' }])
            .map((end) => ends([...beats, ...end])),
        ),
    ),
});
