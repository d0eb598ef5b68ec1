// Walks the way to a target step by step and stops at the first that fails, with what to do about it.
import pc from 'picocolors';
import { EXIT, RuncertError } from '../common/error.ts';
import { realClock, VirtualClock } from '../conformance/driving/clock.ts';
import { blotter } from '../conformance/recording/blot.ts';
import { CaseRecorder } from '../conformance/recording/recorder.ts';
import { TargetFailure } from '../conformance/targets/failure.ts';
import type { Target, TargetInfo } from '../conformance/targets/target.ts';
import { tryOneRun } from '../conformance/targets/trial.ts';
import { printJson } from './show.ts';
import { untilInterrupted } from './signals.ts';
import { type Party, partyOf, type TargetFlags, targetOf } from './target.ts';

export interface DoctorFlags extends TargetFlags {
  readonly json?: boolean;
}

type StepName = 'start' | 'connect' | 'handshake' | 'discover' | 'run';
const STEPS: readonly StepName[] = ['start', 'connect', 'handshake', 'discover', 'run'];

interface Diagnosis {
  readonly ok: boolean;
  readonly steps: { readonly step: StepName; readonly ok: boolean; readonly detail: string }[];
  readonly failure?: { readonly code: string; readonly expected: string; readonly came: string; readonly try: string };
  readonly target?: TargetInfo;
}

export async function diagnose(party: Party | undefined, flags: DoctorFlags): Promise<void> {
  const target = await targetOf(flags, party ?? (await partyOf(flags)) ?? 'runner');
  const interrupted = untilInterrupted();
  const tell = flags.json ? () => {} : sayStep;
  const diagnosis = await examine(target, tell, interrupted.signal);
  interrupted.done();
  if (flags.json) printJson(diagnosis);
  else conclude(diagnosis);
  process.exitCode = diagnosis.ok ? EXIT.conformant : EXIT.inconclusive;
}

async function examine(target: Target, tell: typeof sayStep, signal: AbortSignal): Promise<Diagnosis> {
  const clock = target.time === 'virtual' ? new VirtualClock() : realClock;
  const recorder = new CaseRecorder(clock, { blot: blotter(target.secrets ?? []) });
  const steps: Diagnosis['steps'] = [];
  const done = (step: StepName, ok: boolean, detail: string): void => {
    steps.push({ step, ok, detail });
    tell(step, ok, detail);
  };
  const work = async (): Promise<Diagnosis> => {
    const session = await target.open({
      clock,
      grace: 1000,
      recorder: () => recorder,
      signal,
      step: (step, detail) => done(step, true, detail),
    });
    try {
      const trial = await tryOneRun(session, clock);
      done('run', trial.ok, trial.ok ? trial.detail : trial.came);
      if (trial.ok) return { ok: true, steps, target: session.info };
      const { expected, came, remedy } = trial;
      return {
        ok: false,
        steps,
        target: session.info,
        failure: { code: 'RUNCERT_TARGET_RUN', expected, came, try: remedy },
      };
    } finally {
      await session.close();
    }
  };
  try {
    return await (clock instanceof VirtualClock ? clock.run(work) : work());
  } catch (error) {
    if (!(error instanceof RuncertError) || error.exit !== EXIT.inconclusive) throw error;
    const step = STEPS.find((name) => name === error.place) ?? 'connect';
    const { expected, came } =
      error instanceof TargetFailure ? error : { expected: 'a connection', came: error.message };
    done(step, false, came);
    return { ok: false, steps, failure: { code: error.code, expected, came, try: error.remedy ?? '' } };
  }
}

function sayStep(step: StepName, ok: boolean, detail: string): void {
  const mark = ok ? pc.green('✓') : pc.red('✗');
  process.stdout.write(`${mark} ${step.padEnd(9)} ${ok ? detail : ''}`.trimEnd().concat('\n'));
}

function conclude({ failure, target }: Diagnosis): void {
  if (failure !== undefined) {
    process.stdout.write(
      `  expected  ${failure.expected}\n  came      ${failure.came}\n  try       ${failure.try}\n  [${failure.code}]\n`,
    );
    return;
  }
  if (target === undefined) return;
  process.stdout.write(`\n${target.name} ${target.version ?? ''}`.trimEnd().concat(`, reached as ${target.kind}\n`));
  process.stdout.write(`declares: ${target.traits.join(', ') || 'nothing'}\n`);
}
