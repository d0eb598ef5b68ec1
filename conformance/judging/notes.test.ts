import { expect, test } from 'vitest';
import type { Fact } from '../recording/fact.ts';
import { Notes, wireNotes } from './notes.ts';

const fault = (by: 'target' | 'harness', code: string): Fact => ({
  n: 0,
  at: 0,
  fact: 'fault',
  by,
  code,
  message: `request ${Math.PI}`,
});

test('a rule of the wire that the target broke is told once, with how often; what the harness broke is no note', () => {
  const notes = new Notes();
  for (let i = 0; i < 3; i++)
    notes.add(wireNotes([fault('target', 'RUNCERT_FRAME_ANSWERED_TWICE'), fault('harness', 'RUNCERT_WIRE_SEND')]));
  expect(notes.all).toEqual([
    {
      kind: 'wire-fault',
      text: 'the target answered a request again that it had answered to its end (RUNCERT_FRAME_ANSWERED_TWICE)',
      count: 3,
    },
  ]);
});

test('notes that never repeat themselves do not fill the outcome', () => {
  const notes = new Notes();
  notes.add(Array.from({ length: 1000 }, (_, i) => ({ kind: 'k', text: String(i) })));
  expect(notes.all.length).toBe(200);
});
