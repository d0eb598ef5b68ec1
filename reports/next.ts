// What to do next: one or two lines behind every summary, fitted to how the run went.
import type { Outcome } from '../conformance/judging/outcome.ts';
import type { Extras } from './extras.ts';
import { shellWords } from './text.ts';
import { decides, failuresOf, isLog, targetPart, withStanding } from './view.ts';

export interface NextStep {
  readonly command: string;
  readonly why: string;
}

export function nextSteps(outcome: Outcome, extras: Extras): NextStep[] {
  const [failed] = failuresOf(outcome);
  // An expired entry stays until somebody edits it: what helps is to mend the clause.
  const mended = outcome.stale.length > 0 && withStanding(outcome, 'fail').length === 0;
  if (mended)
    return [{ command: '--update-baseline', why: 'with the same command drops baseline entries that excuse nothing' }];
  if (outcome.verdict === 'not-conformant' && failed !== undefined)
    return [
      { command: shellWords(['npx', 'runcert', 'explain', failed.id]), why: 'what it asks, why, and how it is judged' },
    ];
  if (outcome.verdict === 'inconclusive') return undecided(outcome, extras);
  if (outcome.verdict === 'conformant' && !isLog(outcome)) return conformant(outcome, extras);
  return [];
}

function undecided(outcome: Outcome, extras: Extras): NextStep[] {
  if (outcome.shard !== undefined)
    return [{ command: 'npx runcert merge SHARD…', why: 'a shard alone decides nothing; all of them together do' }];
  if (isLog(outcome)) return [];
  const open = outcome.clauses.filter(decides);
  if (open.length > 0 && open.every(({ verdict }) => verdict === 'not-exercised'))
    return [{ command: '--runs 1000', why: 'with the same command drives longer and looks for more occasions' }];
  return [
    { command: `npx runcert doctor${targetPart(outcome, extras)}`, why: 'step by step, whether it can be reached' },
  ];
}

function conformant(outcome: Outcome, { folder }: Extras): NextStep[] {
  if (outcome.target.kind !== 'reference')
    return folder === undefined || outcome.options['only'] !== undefined || outcome.options['skip'] !== undefined
      ? []
      : [
          {
            command: `${shellWords(['npx', 'runcert', 'sign', folder])} --key KEY --subject PATH`,
            why: 'a certificate (docs/certificates.md)',
          },
        ];
  if (outcome.party === 'runner')
    return [
      { command: 'npx runcert certify runner --module my-runner.ts', why: 'your own (docs/certify-your-runner.md)' },
    ];
  if (outcome.party === 'host')
    return [
      { command: 'npx runcert certify host --host -- node my-host.js', why: 'your own (docs/gate-your-host-in-ci.md)' },
    ];
  return [{ command: 'npx runcert runtime check events.ndjson', why: 'a log of your own (docs/agent-runtime.md)' }];
}
