// One case, set in order for judges: what was commanded and answered, which events came with it, which models were shown when.
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { Fact, RecordingHead } from '../../recording/fact.ts';
import { RuntimeEvent } from '../event.ts';
import type { Page } from '../judges/book.ts';
import { Inspection } from '../judges/inspection.ts';
import { Replay } from '../replay.ts';

/** An event of the log, and the fact that showed it. */
export interface Told {
  readonly n: number;
  readonly raw: JsonObject;
  readonly event: RuntimeEvent;
}

export interface Commanded {
  readonly n: number;
  readonly command: string;
  readonly input: JsonObject;
  readonly accepted: boolean;
  readonly answer: JsonObject;
  /** Events that came with it: after it and before whatever was done next. */
  readonly fresh: readonly Told[];
  /** How many events there were before it. */
  readonly before: number;
}

export interface ShownModel {
  readonly n: number;
  readonly model: string;
  readonly session: string;
  readonly value: unknown;
  /** How many events there were. */
  readonly at: number;
  /** Was that all of them? Only of the log of another runtime. */
  readonly ended: boolean;
}

/** Something that the runtime says it can do, and did not. */
export interface Refused {
  readonly n: number;
  readonly what: string;
}

export interface Restarted {
  readonly n: number;
  readonly before: readonly Told[];
  /** The log as it was read again after it. */
  readonly after: readonly JsonObject[];
  readonly shownBefore: readonly ShownModel[];
  readonly shownAfter: readonly ShownModel[];
}

export interface RuntimeCase {
  readonly head: RecordingHead;
  readonly told: readonly Told[];
  readonly commands: readonly Commanded[];
  readonly shown: readonly ShownModel[];
  /** Logs of others that it did not take, and read models that it did not show. */
  readonly refused: readonly Refused[];
  readonly restarts: readonly Restarted[];
  /** The read models as the oracle folds the same events, at a number of events. */
  expected(shown: Pick<ShownModel, 'model' | 'session' | 'at' | 'ended'>): unknown;
  /** Was it given the log of another runtime to read? */
  readonly reads: boolean;
  /** What the judges of logs found. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Why the case did not come to its end, if it did not. */
  readonly cut: string | undefined;
}

interface Exchange {
  readonly n: number;
  readonly action: string;
  readonly data: JsonObject;
  answered: { readonly n: number; readonly code: number; readonly data: JsonObject } | undefined;
}

export function assembleRuntime(head: RecordingHead, facts: readonly Fact[]): RuntimeCase {
  const told: Told[] = [];
  let loaded: readonly JsonObject[] = [];
  let ended = false;
  const commands: (Commanded & { fresh: Told[] })[] = [];
  const shown: ShownModel[] = [];
  const refused: Refused[] = [];
  let reads = false;
  const restarts: (Restarted & { after: JsonObject[]; shownAfter: ShownModel[] })[] = [];
  for (const { n, action, data, answered } of exchangesOf(facts)) {
    if (answered === undefined) continue;
    const last = restarts.at(-1);
    if (action === 'driver_command' && isObject(data['input'])) {
      commands.push({
        n,
        command: String(data['command']),
        input: data['input'],
        accepted: answered.code === 0,
        answer: answered.data,
        fresh: [],
        before: told.length,
      });
    } else if (action === 'driver_load' && answered.code !== 0) {
      reads = true;
      refused.push({ n: answered.n, what: 'a log' });
    } else if (action === 'driver_load') {
      reads = true;
      loaded = listOf(data['events']);
      ended = data['ended'] === true;
    } else if (action === 'driver_events') {
      const after = typeof data['after'] === 'number' ? data['after'] : 0;
      for (const [i, raw] of listOf(answered.data['events']).entries()) {
        if (last !== undefined && after + i === last.after.length && last.after.length < last.before.length)
          last.after.push(raw);
        if (after + i < told.length) continue;
        const event = { n: answered.n, raw, event: new RuntimeEvent(raw) };
        told.push(event);
        commands.at(-1)?.fresh.push(event);
      }
    } else if (action === 'driver_model' && answered.code === 0) {
      const one = {
        n: answered.n,
        model: String(data['model']),
        session: String(data['session_id']),
        value: answered.data['model'],
        at: reads ? loaded.length : told.length,
        ended,
      };
      shown.push(one);
      if (last !== undefined && commands.at(-1)?.n !== undefined && commands.at(-1)!.n < last.n)
        last.shownAfter.push(one);
    } else if (action === 'driver_model') {
      refused.push({ n: answered.n, what: String(data['model']) });
    } else if (action === 'driver_restart' && answered.code === 0) {
      const at = told.length;
      restarts.push({
        n,
        before: [...told],
        after: [],
        shownBefore: latest(shown.filter((one) => one.at === at)),
        shownAfter: [],
      });
    }
  }
  const end = facts.find((fact) => fact.fact === 'end');
  return {
    head,
    told,
    commands,
    shown,
    refused,
    restarts,
    expected: oracle(reads ? loaded : told.map(({ raw }) => raw)),
    reads,
    pages: inspected(told),
    cut: end?.fact === 'end' && end.how !== 'done' ? (end.pending ?? end.how) : undefined,
  };
}

function exchangesOf(facts: readonly Fact[]): Exchange[] {
  const exchanges: Exchange[] = [];
  const open = new Map<unknown, Exchange>();
  for (const fact of facts) {
    if (fact.fact === 'sent' && typeof fact.frame['action'] === 'string') {
      const exchange: Exchange = {
        n: fact.n,
        action: fact.frame['action'],
        data: (isObject(fact.frame['data']) ? fact.frame['data'] : {}) as JsonObject,
        answered: undefined,
      };
      exchanges.push(exchange);
      open.set(fact.frame['seq_id'], exchange);
    } else if (fact.fact === 'received' && 'code' in fact.frame) {
      const exchange = open.get(fact.frame['seq_id']);
      if (exchange === undefined) continue;
      open.delete(fact.frame['seq_id']);
      exchange.answered = {
        n: fact.n,
        code: Number(fact.frame['code']),
        data: (isObject(fact.frame['data']) ? fact.frame['data'] : {}) as JsonObject,
      };
    }
  }
  return exchanges;
}

const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The last of each model and session. */
const latest = (shown: readonly ShownModel[]): ShownModel[] => [
  ...new Map(shown.map((one) => [`${one.model} ${one.session}`, one])).values(),
];

function oracle(log: readonly JsonObject[]): RuntimeCase['expected'] {
  const replay = new Replay({ recall: (place) => log[place] });
  const cache = new Map<string, unknown>();
  return ({ model, session, at, ended }) => {
    const key = `${at} ${ended} ${model} ${session}`;
    if (!cache.has(key)) {
      const fitting = replay.events <= at ? replay : new Replay({ recall: (place) => log[place] });
      while (fitting.events < at) fitting.take(log[fitting.events]!);
      cache.set(key, fitting.show({ model, session, ended })[0]?.models[model]);
    }
    return cache.get(key);
  };
}

function inspected(told: readonly Told[]): ReadonlyMap<string, Page> {
  const inspection = new Inspection({ recall: (place) => told[place]?.raw });
  for (const [i, { raw }] of told.entries()) inspection.take(raw, i, JSON.stringify(raw).length);
  inspection.end();
  return inspection.book.pages;
}
