// Plays one saved case and tells how its clause fared.
import { EXIT, RuncertError } from '../common/error.ts';
import { readCase } from '../conformance/driving/case-file.ts';
import { couldNotReach, Pilot } from '../conformance/driving/pilot.ts';
import { hasHarnessFault, judgeCase } from '../conformance/judging/tally.ts';
import { recordingText } from '../conformance/recording/file.ts';
import { suiteFor } from '../conformance/suites.ts';
import { type TargetFlags, targetOf } from './target.ts';

export interface ReplayFlags extends TargetFlags {
  readonly grace: number;
  readonly json?: boolean;
  readonly record?: string;
}

export async function replayCase(path: string, flags: ReplayFlags): Promise<void> {
  const saved = await readCase(path);
  const suite = await suiteFor(saved.party, saved.revision);
  const area = suite.areas.find(({ id }) => id === saved.area);
  if (area === undefined || !suite.judges.some(({ clause }) => clause === saved.clause)) {
    throw new RuncertError(
      'RUNCERT_CASE_UNKNOWN',
      `This version has no area ${saved.area} or no judge for ${saved.clause}.`,
      { place: path, remedy: 'Replay it with the version that saved it.' },
    );
  }
  if (!area.valid(saved.stimulus)) {
    throw new RuncertError('RUNCERT_CASE_INVALID', `The stimulus is none of area ${saved.area}.`, {
      place: `${path}: stimulus`,
      remedy: 'Was the file edited? Run `runcert certify` to save it anew.',
    });
  }
  const pilot = new Pilot({
    suite,
    target: await targetOf(flags, saved.party),
    grace: flags.grace,
    seed: saved.seed,
  });
  try {
    await pilot.meet();
    const facts = await pilot.play(area, saved.stimulus, `replay-${saved.clause}`);
    const head = pilot.head();
    if (flags.record !== undefined) {
      const { writeFile } = await import('node:fs/promises');
      await writeFile(flags.record, recordingText(head, facts));
    }
    const findings = judgeCase(suite, head, facts, new Set([saved.clause])).get(saved.clause) ?? [];
    process.exitCode = tell(saved.clause, findings, hasHarnessFault(facts), flags.json ?? false);
  } catch (error) {
    if (!couldNotReach(error)) throw error;
    throw new RuncertError(error.code, error.message, {
      ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
      exit: EXIT.inconclusive,
      cause: error,
    });
  } finally {
    await pilot.close();
  }
}

type Findings = ReturnType<typeof judgeCase> extends ReadonlyMap<string, infer List> ? List : never;

function tell(clause: string, findings: Findings, harnessFault: boolean, json: boolean): number {
  const broken = findings.find((finding) => finding.kind === 'broken');
  const verdict = harnessFault
    ? 'harness-fault'
    : broken
      ? 'fail'
      : findings.some(({ kind }) => kind === 'kept')
        ? 'pass'
        : 'not-exercised';
  if (json) process.stdout.write(`${JSON.stringify({ clause, verdict, findings }, null, 2)}\n`);
  else {
    process.stdout.write(`${clause}: ${verdict}\n`);
    if (broken?.kind === 'broken')
      process.stdout.write(`  expected  ${broken.expected}\n  found     ${broken.found}\n`);
  }
  return verdict === 'fail' ? EXIT.notConformant : verdict === 'pass' ? EXIT.conformant : EXIT.inconclusive;
}
