// docs/agent-runtime.md, played as a reader would, and held against the read models that it describes.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { replayAll } from '../conformance/agent-runtime/replay.ts';
import { logOf } from '../conformance/agent-runtime/stimuli/log.ts';
import { sessionOps } from '../conformance/agent-runtime/stimuli/sessions.ts';
import { playPage } from './testing/page.ts';

const { folder, page } = await playPage('docs/agent-runtime.md');

it('draws who waited for whom', () => {
  const report = join(folder, 'hasty-report/report.html');
  expect(existsSync(report)).toBe(true);
  expect(readFileSync(report, 'utf8')).toContain('an answer to a1 (Delete 3 files?)');
});

it('names every field of every read model', () => {
  const rows = new Map([...page.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, fields]) => [name, fields]));
  const logs = fc.sample(
    sessionOps(14).map((ops) => logOf(ops)),
    { seed: 1, numRuns: 20 },
  );
  for (const shown of logs.flatMap((log) => replayAll(log).show())) {
    for (const [name, model] of Object.entries(shown.models)) {
      for (const field of fieldsOf(model)) expect(rows.get(name), name).toMatch(new RegExp(`\`${field}(\\[\\])?\``));
    }
  }
});

/** Names of a model's own: what events brought along (errors, references, amounts by currency) is theirs. */
const THEIRS = new Set([
  'freshness',
  'last_error',
  'excluded',
  'blockers',
  'amount',
  'priced_so_far',
  'reported_progress',
  'warning',
]);
function fieldsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fieldsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'freshness' ? [] : THEIRS.has(name) ? [name] : [name, ...fieldsOf(member)],
  );
}
