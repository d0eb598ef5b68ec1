import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../driving/clock.ts';
import { lineOf, openJournal, readLines } from './journal.ts';
import { EventLog, type LogFact } from './log.ts';
import { fileMedium, memoryMedium } from './medium.ts';

const dir = mkdtempSync(join(tmpdir(), 'runcert-journal-'));
afterAll(() => rmSync(dir, { recursive: true }));

const record = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { maxKeys: 4 });

describe('a journal', () => {
  it('gives back what was kept, cut at any byte: every whole record, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 6 }), fc.nat(), (records, where) => {
        const bytes = Buffer.from(records.map(lineOf).join(''));
        const cut = bytes.subarray(0, where % (bytes.length + 1));
        const medium = memoryMedium();
        medium.append('');
        const { records: found, whole } = readLines(cut);
        const ends = records.map((_, index) =>
          Buffer.byteLength(
            records
              .slice(0, index + 1)
              .map(lineOf)
              .join(''),
          ),
        );
        const kept = ends.filter((end) => end <= cut.length).length;
        expect(found).toEqual(JSON.parse(JSON.stringify(records.slice(0, kept))));
        expect(whole).toBe(ends[kept - 1] ?? 0);
      }),
    );
  });

  it('repairs a torn file and goes on appending to it', () => {
    const path = join(dir, 'torn.log');
    const journal = openJournal<{ n: number }>(fileMedium(path));
    for (let n = 0; n < 3; n++) journal.append({ n });
    journal.close();
    const size = readFileSync(path).length;
    truncateSync(path, size - 3);
    const again = openJournal<{ n: number }>(fileMedium(path));
    expect(again.load()).toEqual([{ n: 0 }, { n: 1 }]);
    again.append({ n: 9 });
    expect(again.load()).toEqual([{ n: 0 }, { n: 1 }, { n: 9 }]);
    again.close();
  });

  it('does not pass over damage in the middle', () => {
    const path = join(dir, 'damaged.log');
    writeFileSync(path, `${lineOf({ n: 1 }).replace('1}', '2}')}${lineOf({ n: 2 })}`);
    expect(() => openJournal(fileMedium(path)).load()).toThrow(/checksum/);
  });
});

const facts: LogFact[] = [
  {
    kind: 'submitted',
    run: {
      run_id: 'r1',
      runner_id: 'plugin:a/b/c',
      identity: 'acme/probe',
      binding_id: 'b',
      event_id: 'e',
      scope: { conversation_id: 'c', thread_id: null, bot_id: null, workspace_id: null, actor: null, subject: null },
      owners: {
        state: { conversation: 'o', actor: 'p', subject: 'q', runner: 'r' },
        storage: { plugin: 's', workspace: 't', binding: 'u' },
      },
      deadline: null,
    },
    event: { event_id: 'e', event_type: 'message.received', source: 'api', input: { text: 'hi' }, delivery: {} },
    artifacts: [],
  },
  {
    kind: 'result',
    run_id: 'r1',
    result: { type: 'state.updated' },
    state: { runner_id: 'plugin:a/b/c', binding_id: 'b', scope: 'conversation', owner: 'o', key: 'k', value: 1 },
  },
  { kind: 'result', run_id: 'r1', result: { type: 'message.completed' }, answer: { role: 'assistant', content: 'yo' } },
  {
    kind: 'call',
    audit: { run_id: 'r1', runner_id: null, action: 'state_get', resource: null, scope: null, result: 'ok' },
  },
  { kind: 'ended', run_id: 'r1', end: { status: 'failed', code: 'x', message: 'y' } },
];

describe('the event log', () => {
  it('has the same bytes in memory and on disk, and the same read models however it is loaded', () => {
    const clock = new VirtualClock();
    const path = join(dir, 'log', 'host.log');
    const [memory, file] = [memoryMedium(), fileMedium(path)];
    for (const medium of [memory, file]) {
      const log = new EventLog(medium, clock, (entries) => entries);
      for (const fact of facts) log.append(fact);
      const before = structuredClone({ ...log.memory });
      log.restart();
      expect({ ...log.memory }).toEqual(before);
      log.tear();
      log.restart();
      expect({ ...log.memory }).toEqual(before);
    }
    expect(memory.read().equals(readFileSync(path))).toBe(true);
    file.close();
  });

  it('loses no more than the fact that was being written, wherever the write was cut', () => {
    const clock = new VirtualClock();
    const whole = memoryMedium();
    const log = new EventLog(whole, clock, (entries) => entries);
    for (const fact of facts) log.append(fact);
    const bytes = whole.read();
    for (let cut = 0; cut <= bytes.length; cut++) {
      const torn = memoryMedium();
      torn.append(bytes.subarray(0, cut).toString('utf8'));
      const found = new EventLog(torn, clock, (entries) => entries).memory;
      expect(found.entries).toEqual(log.memory.entries.slice(0, found.entries.length));
      // An effect is there exactly when the fact that brought it about is.
      expect(found.state.size > 0).toBe(found.entries.length >= 2);
      expect(found.transcript.length).toBe(Math.min(2, [0, 1, 1, 2, 2, 2][found.entries.length]!));
    }
  });
});
