import { describe, expect, it } from 'vitest';
import { drive } from '../../driving/drive.ts';
import { Pilot } from '../../driving/pilot.ts';
import { hostSuite } from './suite.ts';

describe('the suite for hosts', () => {
  const judged = hostSuite.clauses.filter(({ unjudged }) => unjudged === undefined).map(({ id }) => id);
  const judges = hostSuite.judges.map(({ clause }) => clause);

  it('has a judge for every clause that can be judged, and a clause for every judge', () => {
    expect(judged.filter((id) => !judges.includes(id))).toEqual([]);
    expect(judges.filter((id) => !judged.includes(id))).toEqual([]);
  });

  it('has an area of stimuli for every clause that can be judged', () => {
    const areas = new Set(hostSuite.areas.map(({ id }) => id));
    expect(hostSuite.clauses.filter(({ unjudged, area }) => unjudged === undefined && !areas.has(area))).toEqual([]);
  });

  it('exercises every clause by its corners alone, and finds the reference host conformant', async () => {
    const pilot = new Pilot({ suite: hostSuite, target: hostSuite.reference(), grace: 1000, seed: 1 });
    const info = await pilot.meet();
    await pilot.close();
    const corners = hostSuite.areas.map((area) => ({ ...area, runs: area.corners?.(info).length ?? area.runs }));
    const { outcome } = await drive({ ...hostSuite, areas: corners }, hostSuite.reference(), {
      seed: 1,
      version: 'test',
      shrinkPlays: 0,
    });
    expect(
      outcome.clauses.filter(({ verdict }) => verdict !== 'pass').map(({ id, verdict, found }) => [id, verdict, found]),
    ).toEqual([]);
    expect(outcome.verdict).toBe('conformant');
  }, 120_000);
});
