// Which suites there are. A new protocol adds its line here and touches nothing else.
import { RuncertError } from '../common/error.ts';
import type { Suite } from './driving/suite.ts';

type Party = Suite['party'];

const suites: Record<Party, () => Promise<Suite>> = {
  runner: async () => (await import('./agent-runner/runner/suite.ts')).runnerSuite as Suite,
  host: async () => (await import('./agent-runner/host/suite.ts')).hostSuite as Suite,
  runtime: async () => (await import('./agent-runtime/suite.ts')).runtimeSuite as Suite,
};

export const PARTIES = Object.keys(suites) as Party[];

/** The suite that judges this party, at this revision if one is named. */
export async function suiteFor(party: Party, revision?: string): Promise<Suite> {
  const suite = await suites[party]();
  if (revision !== undefined && revision !== suite.revision) {
    throw new RuncertError('RUNCERT_UNKNOWN_REVISION', `There is no revision ${revision} of ${suite.protocol}.`, {
      remedy: `This version of Runcert knows ${suite.revision}.`,
    });
  }
  // Loaded with the suite: whoever only asks which parties there are waits for nothing.
  const { requiredIds } = await import('./judging/requirements.ts');
  const requirements = suite.requirements ?? requiredIds(suite.protocol, suite.revision);
  return requirements === undefined ? suite : { ...suite, requirements };
}
