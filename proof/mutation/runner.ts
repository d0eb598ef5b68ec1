// A test runner for StrykerJS whose tests are trials of the conformance suite: the code is loaded once, and mutants are switched on in it,
// so that a mutant costs as little as the stimulus that kills it. No unit test helps.
import { readFileSync, writeFileSync } from 'node:fs';
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
import type { Trial, Tried } from './trial.ts';

/** Where the bundle of the instrumented code stands in Stryker's sandbox. */
const BUNDLE = 'proof/mutation/bundle/subject.js';
/** Where the same bundle stands, of code that is not instrumented: outside the sandbox, as this file does. */
export const ORIGINAL = new URL('../../node_modules/.cache/runcert-original/', import.meta.url);
/** What each trial keeps without a mutant; the dry run writes it, and every worker reads it. */
const KEPT = 'proof/mutation/bundle/kept.json';
/** Which part is mutated: the environment is all that Stryker's workers share with whoever starts them. */
export const PART = 'RUNCERT_MUTATION_PART';

class TrialRunner implements TestRunner {
  #trials: readonly Trial[] = [];
  #loads = 0;
  /** What each trial must keep; nothing in the dry run, which finds it out. */
  #kept: Record<string, readonly string[]> | undefined;
  /** A rejection that nobody handles would end a target's process; here it fails the trial under way. */
  #crash: string | undefined;

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    process.on('unhandledRejection', (reason) => {
      this.#crash ??= `crashed: ${String(reason)}`;
    });
  }

  async dryRun(): Promise<DryRunResult> {
    await this.#load();
    const kept: Record<string, readonly string[]> = {};
    const tests = await this.#run(this.#trials, ({ id }, tried) => {
      kept[id] = tried.kept;
      return tried.broken;
    });
    writeFileSync(KEPT, JSON.stringify(kept));
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
      const chosen = this.#trials.filter(({ id }) => testFilter?.includes(id) ?? true);
      this.#kept ??= JSON.parse(readFileSync(KEPT, 'utf8')) as Record<string, readonly string[]>;
      const kept = this.#kept;
      const tests = await this.#run(chosen, ({ id }, tried) => tried.broken ?? lost(kept[id] ?? [], tried.kept), true);
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

  async #run(
    chosen: readonly Trial[],
    reasonOf: (trial: Trial, tried: Tried) => string | undefined,
    bail = false,
  ): Promise<TestResult[]> {
    const results: TestResult[] = [];
    for (const trial of chosen) {
      instrumenter().currentTestId = trial.id;
      this.#crash = undefined;
      const started = performance.now();
      const why = await trial.run().then(
        (tried) => reasonOf(trial, tried),
        (error: unknown) => `threw ${String(error)}`,
      );
      const reason = why ?? this.#crash;
      const timeSpentMs = performance.now() - started;
      results.push(
        reason === undefined
          ? { id: trial.id, name: trial.id, timeSpentMs, status: TestStatus.Success }
          : failed(trial.id, reason, timeSpentMs),
      );
      if (bail && reason !== undefined) break;
    }
    delete instrumenter().currentTestId;
    return results;
  }
}

function lost(before: readonly string[], now: readonly string[]): string | undefined {
  const clause = before.find((id) => !now.includes(id));
  return clause === undefined ? undefined : `${clause} is no longer exercised`;
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
