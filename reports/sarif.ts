// SARIF 2.1.0: clauses are rules, violations are results with a place in their recording.
import { createHash } from 'node:crypto';
import type { Log, ReportingDescriptor, Result } from 'sarif';
import type { ClauseResult, Outcome } from '../conformance/judging/outcome.ts';
import type { Extras, Reporter } from './extras.ts';
import { cut, oneLine, visible } from './text.ts';
import { comparisonOf, lineOfProof, plural, replayCommand, standingOf, startedAt } from './view.ts';

const LONG = 2000;

export const sarif: Reporter = (outcome, extras) => `${JSON.stringify(sarifLog(outcome, extras), null, 2)}\n`;

function sarifLog(outcome: Outcome, extras: Extras): Log {
  const failed = outcome.clauses.filter((result) => result.verdict === 'fail');
  const started = startedAt(outcome);
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Runcert',
            version: words(outcome.runcert),
            rules: outcome.clauses.map((result) => ruleOf(result, extras)),
          },
        },
        automationDetails: { id: words(`runcert/${outcome.protocol}/${outcome.party}/`) },
        originalUriBaseIds: { REPORT: { description: { text: 'The report folder.' } } },
        invocations: [
          {
            executionSuccessful: outcome.verdict !== 'inconclusive',
            ...(started === undefined ? {} : { startTimeUtc: started.toISOString() }),
            ...(outcome.reason === undefined ? {} : { exitCodeDescription: words(outcome.reason) }),
            toolExecutionNotifications: [
              ...outcome.stale.map(({ clause, why }) => ({
                level: 'error' as const,
                message: { text: words(`Baseline entry ${clause}: ${why}`) },
              })),
              ...outcome.notes.map(({ kind, text }) => ({
                level: 'note' as const,
                message: { text: words(`${kind}: ${text}`) },
              })),
            ],
          },
        ],
        results: failed.map((result) => resultOf(outcome, result, outcome.clauses.indexOf(result), extras)),
        columnKind: 'utf16CodeUnits',
        properties: {
          protocol: words(outcome.protocol),
          revision: words(outcome.revision),
          party: outcome.party,
          seed: outcome.seed,
          verdict: outcome.verdict,
        },
      },
    ],
  };
}

function ruleOf(result: ClauseResult, extras: Extras): ReportingDescriptor {
  const clause = extras.clauses?.find(({ id }) => id === result.id);
  const help = [clause?.why, clause?.how, clause?.source].filter((part) => part !== undefined).join('\n\n');
  return {
    id: words(result.id),
    shortDescription: { text: words(result.text) },
    ...(help === '' ? {} : { help: { text: lines(help) } }),
    defaultConfiguration: { level: levelOf(result) },
    properties: { tags: [result.level, words(`§${result.section}`), words(result.area)] },
  };
}

function resultOf(outcome: Outcome, result: ClauseResult, ruleIndex: number, extras: Extras): Result {
  const line = lineOfProof(result, extras);
  const place = result.recording ?? result.case;
  const state = baselineState(outcome, result, extras);
  const replay = replayCommand(outcome, result, extras);
  return {
    ruleId: words(result.id),
    ruleIndex,
    kind: 'fail',
    level: levelOf(result),
    message: {
      text: lines(
        [
          result.text,
          `Expected: ${result.expected ?? '(see the clause)'}`,
          `Found: ${result.found ?? plural(result.violations, 'violation')}`,
          ...(replay === undefined ? [] : [`Replay: ${replay}`]),
        ].join('\n'),
      ),
    },
    locations: [
      {
        ...(place === undefined
          ? {}
          : {
              physicalLocation: {
                artifactLocation: { uri: uriOf(place), uriBaseId: 'REPORT' },
                ...(line === undefined ? {} : { region: { startLine: line } }),
              },
            }),
        logicalLocations: [{ fullyQualifiedName: words(result.id), kind: 'clause' }],
      },
    ],
    occurrenceCount: Math.max(1, result.violations),
    partialFingerprints: {
      'runcertClause/v1': createHash('sha256')
        .update(`${outcome.protocol}\n${outcome.party}\n${result.id}`)
        .digest('hex'),
    },
    ...(state === undefined ? {} : { baselineState: state }),
    ...(result.excused === undefined
      ? {}
      : {
          suppressions: [
            { kind: 'external' as const, status: 'accepted' as const, justification: words(result.excused.reason) },
          ],
        }),
  };
}

function baselineState(outcome: Outcome, result: ClauseResult, extras: Extras): Result.baselineState | undefined {
  const comparison = comparisonOf(outcome, extras);
  if (comparison === undefined) return undefined;
  return comparison.broken.includes(result.id) ? 'new' : 'unchanged';
}

const levelOf = (result: ClauseResult): 'error' | 'warning' | 'note' => {
  if (result.level === 'MAY') return 'note';
  return result.level === 'MUST' && standingOf(result) !== 'warning' ? 'error' : 'warning';
};

const filled = (text: string): string => (text.trim() === '' ? '(empty)' : text);
const words = (text: string): string => filled(cut(oneLine(text), LONG));
const lines = (text: string): string => filled(cut(visible(text), LONG));

/** A relative URI reference; what could climb out of the folder or name a scheme is percent-encoded or dropped. */
export function uriOf(path: string): string {
  const parts = visible(path)
    .split(/[\\/]+/)
    .filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.map((part) => encodeURIComponent(part)).join('/') || 'unknown';
}
