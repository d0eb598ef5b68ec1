// What is worth telling about a runner and breaks nothing: what it adds to the protocol, and what it writes beside it.
import { tables } from '../../../schemas/agent-runner/2026-06-03/api.ts';
import { shapes } from '../../../schemas/agent-runner/2026-06-03/validators.js';
import type { RunnerCase } from './view.ts';

const fieldsOf = (model: keyof typeof shapes): ReadonlySet<string> => {
  const definition = shapes[model];
  return new Set('fields' in definition ? Object.keys(definition.fields) : []);
};
const RESULT = fieldsOf('AgentRunResult');
const MANIFEST = fieldsOf('AgentRunnerManifest');
const TYPES = new Set(tables.find(({ columns }) => columns[0] === 'AgentRunResult.type')!.rows.map(([type]) => type));

export function* notesOn({
  runs,
  runners,
  noise,
}: RunnerCase): Iterable<{ readonly kind: string; readonly text: string }> {
  for (const { manifest } of runners)
    for (const key of Object.keys(manifest))
      if (!MANIFEST.has(key)) yield { kind: 'added-field', text: `the manifest has a field of its own: ${key}` };
  for (const { results, calls } of runs) {
    for (const { object, type } of results) {
      for (const key of Object.keys(object))
        if (!RESULT.has(key)) yield { kind: 'added-field', text: `results have a field of their own: ${key}` };
      if (type !== undefined && !TYPES.has(type))
        yield { kind: 'added-type', text: `a type of result that the protocol does not have: ${type}` };
    }
    if (calls.some(({ data }) => 'timeout' in data))
      yield { kind: 'timeout', text: 'calls name a time-out of their own' };
  }
  if (noise.length > 0)
    yield { kind: 'noise', text: 'the target writes text where frames belong (a banner, a print); it is skipped' };
}
