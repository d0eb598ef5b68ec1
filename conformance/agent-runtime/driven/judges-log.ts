// The judges of logs, as judges of a driven runtime: the events of a case are a log like any other.
import { clauses } from '../../../schemas/agent-runtime/0.3.9/clauses.ts';
import { broken, type Judge, judge, kept, open } from '../../judging/judge.ts';
import { Inspection } from '../judges/inspection.ts';
import type { RuntimeCase } from './view.ts';

const judged = new Set(new Inspection({ recall: () => undefined }).book.pages.keys());

/** How many kept occasions of one case are told one by one; more prove no more. */
const TOLD = 20;

export const logJudges: readonly Judge<RuntimeCase>[] = clauses
  .filter(({ id }) => judged.has(id))
  .map(({ id }) =>
    judge<RuntimeCase>(id, function* ({ pages, told }) {
      const page = pages.get(id);
      if (page === undefined) return;
      for (let i = 0; i < Math.min(TOLD, page.occasions - page.violations); i++) yield kept([]);
      for (const { places, expected, found } of page.first) {
        yield broken([...new Set(places.map((place) => told[place]?.n ?? 0))], { expected, found });
      }
      if (page.occasions === 0 && page.open > 0) yield open([], page.openReason ?? 'the log does not tell');
    }),
  );
