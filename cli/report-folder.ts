// The report folder of one run: the recording while it grows; then the smallest cases, the outcome and every format asked for.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT, RuncertError } from '../common/error.ts';
import type { CaseFile } from '../conformance/driving/case-file.ts';
import type { Counterexample, Driven } from '../conformance/driving/drive.ts';
import type { Outcome } from '../conformance/judging/outcome.ts';
import type { Fact, RecordingHead } from '../conformance/recording/fact.ts';
import { RecordingWriter } from '../conformance/recording/file.ts';
import type { Extras } from '../reports/extras.ts';
import { casePath, recordingPath } from '../reports/folder.ts';
import { reporters } from '../reports/reporters.ts';

/** What a run writes; only these are cleared away before the next one, so that no page of an earlier run is taken for its own. */
const OURS = [...Object.values(reporters).map(({ file }) => file), 'cases', 'recordings'];

export class ReportFolder {
  readonly path: string;
  #writer: RecordingWriter | undefined;

  private constructor(path: string) {
    this.path = path;
  }

  static async prepare(path: string): Promise<ReportFolder> {
    try {
      await mkdir(path, { recursive: true });
      await Promise.all(OURS.map((name) => rm(join(path, name), { recursive: true, force: true })));
      await mkdir(join(path, 'recordings'));
    } catch (error) {
      throw new RuncertError('RUNCERT_CANNOT_WRITE', `The report folder cannot be made: ${(error as Error).message}`, {
        place: path,
        remedy: 'Name another folder with --out.',
        exit: EXIT.usage,
        cause: error,
      });
    }
    return new ReportFolder(path);
  }

  head(head: RecordingHead): void {
    this.#writer = new RecordingWriter(join(this.path, 'recordings', 'run.ndjson.gz'), head);
  }

  async case(facts: readonly Fact[]): Promise<void> {
    await this.#writer?.write(facts);
  }

  async close(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.close();
  }
}

/** The outcome with the paths of its counterexamples, and these as evidence for the reports. */
export function withEvidence({ outcome, head, counterexamples }: Driven): {
  outcome: Outcome;
  evidence: Pick<Extras, 'cases' | 'recordings'>;
} {
  const saved = new Set(counterexamples.map(({ clause }) => clause));
  const played = counterexamples.filter(({ facts }) => facts.length > 0);
  const shown = new Set(played.map(({ clause }) => clause));
  const recorded = head === undefined ? {} : { head };
  return {
    outcome: {
      ...outcome,
      clauses: outcome.clauses.map((clause) =>
        clause.verdict === 'fail' && saved.has(clause.id)
          ? {
              ...clause,
              case: casePath(clause.id),
              ...(shown.has(clause.id) ? { recording: recordingPath(clause.id) } : {}),
            }
          : clause,
      ),
    },
    evidence: {
      cases: Object.fromEntries(
        counterexamples.map((example) => [casePath(example.clause), caseFile(outcome, example)]),
      ),
      recordings: Object.fromEntries(
        played.map(({ clause, facts }) => [recordingPath(clause), { ...recorded, facts }]),
      ),
    },
  };
}

const caseFile = (
  outcome: Outcome,
  { clause, area, index, minimal, expected, found, stimulus }: Counterexample,
): CaseFile => ({
  case: 'runcert',
  version: 1,
  protocol: outcome.protocol,
  revision: outcome.revision,
  party: outcome.party,
  clause,
  area,
  seed: outcome.seed,
  path: index,
  minimal,
  expected,
  found,
  target: { kind: outcome.target.kind, name: outcome.target.name },
  stimulus,
});
