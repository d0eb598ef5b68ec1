// A test runner for StrykerJS whose tests are trials of the conformance suite: the code is loaded once, and mutants are switched on in it,
// so that a mutant costs as little as the stimulus that kills it. No unit test helps.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { INSTRUMENTER_CONSTANTS, type InstrumenterContext } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import type { Original } from './subject.ts';
import { SHOWN, type Trial } from './trial.ts';

/** Where the bundle of the instrumented code stands in Stryker's sandbox. */
const BUNDLE = 'proof/mutation/bundle/subject.js';
/** Where the same bundle stands, of code that is not instrumented: outside the sandbox, as this file does. */
export const ORIGINAL = new URL('../../node_modules/.cache/runcert-original/', import.meta.url);
/** What each trial decides without a mutant; the dry run writes it, and every worker reads it. */
const DECIDED = 'proof/mutation/bundle/decided.json';
/** Which part is mutated: the environment is all that Stryker's workers share with whoever starts them. */
export const PART = 'RUNCERT_MUTATION_PART';

/** How long a trial may go on after a crash. */
const CUT_OFF_MS = 2000;
/** How often a trial is looked at: one that computes nothing between two looks waits for ever. One stimulus takes some milliseconds. */
const LOOK_MS = 5000;
/** What one that still waits for something may compute: the timers of this process, and no more. */
const IDLE_MS = 20;
/** What a trial may compute in all. */
const TRIAL_MS = 20_000;

type Decided = Readonly<Record<string, readonly string[]>>;

class TrialRunner implements TestRunner {
  #trials: readonly Trial[] = [];
  #loads = 0;
  /** What each trial decides without a mutant; nothing in the dry run, which finds it out. */
  #decided: Decided | undefined;
  /** How many mutants each trial killed in this process. */
  #kills = new Map<string, number>();
  /** An error that nobody handles would end a target's process; here it fails the trial under way. */
  #crash: (reason: unknown) => void = () => {};

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    process.on('unhandledRejection', (reason) => this.#crash(reason));
    process.on('uncaughtException', (error) => this.#crash(error));
  }

  async dryRun(): Promise<DryRunResult> {
    await this.#load();
    const decided: Record<string, readonly string[]> = {};
    const tests = await this.#run(this.#trials, decided);
    writeFileSync(DECIDED, JSON.stringify(decided));
    const { mutantCoverage = { static: {}, perTest: {} } } = instrumenter();
    return { status: DryRunStatus.Complete, tests, mutantCoverage };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, hitLimit, mutantActivation, reloadEnvironment, testFilter } = options;
    const context = instrumenter();
    delete context.hitCount;
    if (mutantActivation === 'static') context.activeMutant = activeMutant.id;
    else delete context.activeMutant;
    try {
      if (reloadEnvironment || this.#loads === 0) await this.#load();
      context.activeMutant = activeMutant.id;
      if (hitLimit !== undefined) Object.assign(context, { hitCount: 0, hitLimit });
      // What killed most so far goes first: it finds a mutant sooner, and changes nothing for one that survives.
      const chosen = this.#trials
        .filter(({ id }) => testFilter?.includes(id) ?? true)
        .sort((a, b) => (this.#kills.get(b.id) ?? 0) - (this.#kills.get(a.id) ?? 0));
      this.#decided ??= JSON.parse(readFileSync(DECIDED, 'utf8')) as Decided;
      // A trial that the mutant does not reach decides what it always does.
      const decided = { ...this.#decided };
      const tests = await this.#run(chosen, decided, true);
      const lost = undecided(this.#decided, decided);
      const last = tests.at(-1);
      if (last?.status === TestStatus.Success && lost !== undefined) tests.push(failed(last.id, `${lost} ${LOST}`, 0));
      return toMutantRunResult(
        determineHitLimitReached(context.hitCount, hitLimit) ?? { status: DryRunStatus.Complete, tests },
      );
    } catch (error) {
      // Code that does not even load is seen by every run.
      return toMutantRunResult({ status: DryRunStatus.Complete, tests: [failed('load', String(error), 0)] });
    } finally {
      delete context.activeMutant;
    }
  }

  async #load(): Promise<void> {
    const file = pathToFileURL(BUNDLE);
    const { trials } = (await import(`${file}?load=${this.#loads++}`)) as {
      trials: (part: string, original: Original) => readonly Trial[];
    };
    const original = (await import(new URL('subject.js', ORIGINAL).href)) as Original;
    this.#trials = trials(process.env[PART] ?? '', original);
    if (this.#trials.length === 0) throw new Error(`There are no trials for ${process.env[PART]}`);
  }

  /** Runs trials and writes down what each decides; with `bail` until one fails. */
  async #run(
    chosen: readonly Trial[],
    decided: Record<string, readonly string[]>,
    bail = false,
  ): Promise<TestResult[]> {
    const results: TestResult[] = [];
    for (const trial of chosen) {
      instrumenter().currentTestId = trial.id;
      const started = performance.now();
      let crash: string | undefined;
      const crashed = new Promise<void>((resolve) => {
        this.#crash = (reason) => {
          crash ??= `crashed: ${String(reason)}`;
          resolve();
        };
      });
      const tried = trial.run().then(
        ({ broken, decided: own }) => {
          decided[trial.id] = own;
          return broken;
        },
        (error: unknown) => `threw ${String(error)}`,
      );
      // A trial that goes on must not meet the next mutant; one that a crash has cut off would never end.
      const over = new AbortController();
      const hung = neverEnding(over.signal);
      const reason =
        (await Promise.race([tried, hung, crashed.then(() => setTimeout(CUT_OFF_MS, undefined))])) ?? crash;
      over.abort();
      const timeSpentMs = performance.now() - started;
      results.push(
        reason === undefined
          ? { id: trial.id, name: trial.id, timeSpentMs, status: TestStatus.Success }
          : failed(trial.id, reason, timeSpentMs),
      );
      if (bail && reason !== undefined) {
        this.#kills.set(trial.id, (this.#kills.get(trial.id) ?? 0) + 1);
        break;
      }
    }
    delete instrumenter().currentTestId;
    return results;
  }
}

/** How a mutant is told under which nothing is broken, but something is no longer there to be judged. */
export const LOST = 'is no longer exercised';
/** How a mutant is told under which a stimulus waits for ever. */
export const HUNG = 'a stimulus did not end';

/** Something that some trial decided before and none decides now: a clause sooner than a call or a result, for it alters the verdict. */
function undecided(before: Decided, now: Decided): string | undefined {
  const still = new Set(Object.values(now).flat());
  const gone = Object.values(before)
    .flat()
    .filter((what) => !still.has(what));
  return gone.find((what) => !what.startsWith(SHOWN)) ?? gone[0];
}

/** By processor time, not by the clock: on a busy machine a sound trial waits for its turn. */
async function neverEnding(over: AbortSignal): Promise<string | undefined> {
  const spent = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const begun = spent();
  for (let last = begun; ; ) {
    const ended = await setTimeout(LOOK_MS, false, { signal: over }).catch(() => true);
    if (ended) return undefined;
    const now = spent();
    if (now - last < IDLE_MS || now - begun > TRIAL_MS) return HUNG;
    last = now;
  }
}

const failed = (id: string, failureMessage: string, timeSpentMs: number): TestResult => ({
  id,
  name: id,
  timeSpentMs,
  status: TestStatus.Failed,
  failureMessage,
});

function instrumenter(): InstrumenterContext {
  const global = globalThis as { [INSTRUMENTER_CONSTANTS.NAMESPACE]?: InstrumenterContext };
  const context = global[INSTRUMENTER_CONSTANTS.NAMESPACE] ?? {};
  global[INSTRUMENTER_CONSTANTS.NAMESPACE] = context;
  return context;
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'trials', TrialRunner)];
