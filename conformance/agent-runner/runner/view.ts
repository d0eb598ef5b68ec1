// One case as judges of a runner see it: the runs with their results, calls, cancel and end, in the order of the recording.
// Pure, and tolerant of recordings made elsewhere: what cannot be placed is a stray, never an error.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { memo } from '../../../common/memo.ts';
import type { Fact, FactOf, RecordingHead } from '../../recording/fact.ts';
import { dataOf, kindOf } from '../../wire/frame.ts';
import { apiAction } from './api.ts';
import { objectAt } from './grants.ts';
import { containedRunners, declaredRunners, listedRunners, type RunnerEntry } from './manifests.ts';

/** A point in the recording. */
export interface Mark {
  readonly n: number;
  /** Milliseconds since the case began. */
  readonly at: number;
}

/** One element of a result stream, as it came. */
export interface Result extends Mark {
  readonly value: unknown;
  /** The value if it is an object, else an empty one. */
  readonly object: JsonObject;
  readonly type: string | undefined;
  readonly data: JsonObject;
}

export interface ApiReply extends Mark {
  readonly code: unknown;
  readonly data: JsonObject;
  readonly raw: JsonObject;
}

/** A Host API call by the runner. */
export interface Call extends Mark {
  readonly action: string;
  readonly data: JsonObject;
  readonly runId: unknown;
  readonly replies: readonly ApiReply[];
  /** When the last word of the answer was sent; undefined while the call stands open. */
  readonly answered: Mark | undefined;
}

export interface Cancel extends Mark {
  readonly answered: Mark | undefined;
  readonly code: number | undefined;
  readonly message: string;
  readonly data: JsonObject;
  /** The target knows the action: it answered without an error. */
  readonly understood: boolean;
}

export interface Run extends Mark {
  readonly runId: string;
  readonly request: JsonObject;
  readonly context: JsonObject;
  /** What the runner that was asked for declares. */
  readonly runner: RunnerEntry | undefined;
  /** The deadline in milliseconds since the case began. */
  readonly deadline: number | undefined;
  readonly results: readonly Result[];
  readonly calls: readonly Call[];
  readonly cancel: Cancel | undefined;
  /** How the stream ended: its end frame, or an error frame in its place. */
  readonly end: (Mark & { readonly how: 'end' | 'error'; readonly message: string }) | undefined;
  /** Results that came after the end of the stream. */
  readonly late: readonly Result[];
}

export interface Discovery extends Mark {
  /** What the harness asked with. */
  readonly asked: JsonObject;
  readonly answered: Mark | undefined;
  readonly how: 'list_agent_runners' | 'get_plugin_container' | 'register_plugin';
  readonly code: number;
  readonly data: JsonObject;
  readonly entries: readonly RunnerEntry[];
}

export interface Stray extends Mark {
  readonly frame: JsonObject;
  readonly why: string;
}

export interface RunnerCase {
  readonly head: RecordingHead;
  readonly id: string;
  readonly epoch: number;
  /** `runtime` when the target answers for a whole Plugin Runtime. */
  readonly seat: 'plugin' | 'runtime';
  readonly runners: readonly RunnerEntry[];
  readonly runs: readonly Run[];
  /** Runs that were asked of a runner which the target does not offer. */
  readonly misdirected: readonly Run[];
  readonly discoveries: readonly Discovery[];
  /** Cancels of runs that are not in this case. */
  readonly otherCancels: readonly Cancel[];
  /** API calls that name no run of this case. */
  readonly otherCalls: readonly Call[];
  readonly strays: readonly Stray[];
  readonly noise: readonly FactOf<'noise'>[];
  readonly faults: readonly FactOf<'fault'>[];
  readonly life: readonly FactOf<'life'>[];
  /** The last moment of the recording. */
  readonly last: Mark;
  readonly end: FactOf<'end'> | undefined;
}

/** Actions of a plugin or Runtime that are no Host API of a run. */
const HOUSEKEEPING = new Set([
  'register_plugin',
  'initialize_plugin_settings',
  'get_plugin_settings',
  'get_langbot_version',
  '__ping',
  '__heartbeat',
  '__file_chunk',
]);

const runnersOf = memo(({ target }: RecordingHead) => declaredRunners(target.declared));

type Growing<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

export function assemble(head: RecordingHead, facts: readonly Fact[]): RunnerCase {
  const runs: Growing<Run>[] = [];
  const misdirected: Growing<Run>[] = [];
  const byId = new Map<string, Growing<Run>>();
  const bySeq = new Map<unknown, Growing<Run>>();
  const cancelBySeq = new Map<unknown, Growing<Cancel>>();
  const discoveryBySeq = new Map<unknown, Growing<Discovery>>();
  const callBySeq = new Map<unknown, Growing<Call>>();
  const discoveries: Growing<Discovery>[] = [];
  const otherCancels: Cancel[] = [];
  const otherCalls: Call[] = [];
  const strays: Stray[] = [];
  const runners = runnersOf(head);
  const begin = facts.find((fact): fact is FactOf<'case'> => fact.fact === 'case');
  const epoch = begin?.epoch ?? 0;

  for (const fact of facts) {
    if (fact.fact !== 'sent' && fact.fact !== 'received') continue;
    const frame = fact.frame as JsonObject;
    const mark: Mark = { n: fact.n, at: fact.at };
    const kind = kindOf(frame);
    if (fact.fact === 'sent') {
      if (kind === 'request') harnessAsks(frame, mark);
      else harnessAnswers(frame, mark);
    } else if (kind === 'request') targetAsks(frame, mark);
    else if (kind === 'response') targetAnswers(frame, mark);
    else strays.push({ n: mark.n, at: mark.at, frame, why: 'neither a request nor a response' });
  }

  const only = <Kind extends Fact['fact']>(kind: Kind): FactOf<Kind>[] =>
    facts.filter((fact): fact is FactOf<Kind> => fact.fact === kind);
  const lastFact = facts.at(-1);
  return {
    head,
    id: begin?.id ?? '',
    epoch,
    seat: head.target.traits.includes('seat:runtime') ? 'runtime' : 'plugin',
    runners,
    runs,
    misdirected,
    discoveries,
    otherCancels,
    otherCalls,
    strays,
    noise: only('noise'),
    faults: only('fault'),
    life: only('life'),
    last: { n: lastFact?.n ?? 0, at: lastFact?.at ?? 0 },
    end: only('end').at(-1),
  };

  function harnessAsks(frame: JsonObject, mark: Mark): void {
    const data = dataOf(frame);
    const seq = frame['seq_id'];
    if (frame['action'] === 'run_agent') {
      const context = objectAt(data, 'context');
      const run: Growing<Run> = {
        n: mark.n,
        at: mark.at,
        runId: String(context['run_id']),
        request: data,
        context,
        runner: runners.find((entry) => asksFor(data, entry)),
        deadline: deadlineOf(context, epoch),
        results: [],
        calls: [],
        cancel: undefined,
        end: undefined,
        late: [],
      };
      (runners.length > 0 && run.runner === undefined ? misdirected : runs).push(run);
      byId.set(run.runId, run);
      bySeq.set(seq, run);
    } else if (frame['action'] === 'cancel_run') {
      const cancel: Growing<Cancel> = {
        n: mark.n,
        at: mark.at,
        answered: undefined,
        code: undefined,
        message: '',
        data: {},
        understood: false,
      };
      cancelBySeq.set(seq, cancel);
      const run = byId.get(String(data['run_id']));
      if (run !== undefined && run.cancel === undefined) run.cancel = cancel;
      else otherCancels.push(cancel);
    } else if (frame['action'] === 'list_agent_runners' || frame['action'] === 'get_plugin_container') {
      const how: Discovery['how'] = frame['action'];
      const found: Growing<Discovery> = {
        n: mark.n,
        at: mark.at,
        asked: data,
        answered: undefined,
        how,
        code: -1,
        data: {},
        entries: [],
      };
      discoveryBySeq.set(seq, found);
      discoveries.push(found);
    }
  }

  function harnessAnswers(frame: JsonObject, mark: Mark): void {
    const call = callBySeq.get(frame['seq_id']);
    if (call === undefined || call.answered !== undefined) return;
    const { code } = frame;
    call.replies.push({ n: mark.n, at: mark.at, code, data: dataOf(frame), raw: frame });
    const streams = apiAction(call.action, call.data)?.streams === true;
    if (code !== 0 || !streams || frame['chunk_status'] === 'end') call.answered = mark;
  }

  function targetAsks(frame: JsonObject, mark: Mark): void {
    const action = String(frame['action']);
    const data = dataOf(frame);
    if (action === 'register_plugin') {
      const container = objectAt(data, 'plugin_container');
      const entries = containedRunners(container);
      discoveries.push({
        n: mark.n,
        at: mark.at,
        asked: {},
        answered: mark,
        how: action,
        code: 0,
        data: container,
        entries,
      });
    }
    if (HOUSEKEEPING.has(action)) return;
    const call: Growing<Call> = {
      n: mark.n,
      at: mark.at,
      action,
      data,
      runId: data['run_id'],
      replies: [],
      answered: undefined,
    };
    callBySeq.set(frame['seq_id'], call);
    const run = typeof data['run_id'] === 'string' ? byId.get(data['run_id']) : undefined;
    if (run === undefined) otherCalls.push(call);
    else run.calls.push(call);
  }

  function targetAnswers(frame: JsonObject, mark: Mark): void {
    const seq = frame['seq_id'];
    const run = bySeq.get(seq);
    if (run !== undefined) {
      inStream(run, frame, mark);
      return;
    }
    const cancel = cancelBySeq.get(seq);
    if (cancel !== undefined) {
      if (cancel.answered !== undefined) return;
      cancel.answered = mark;
      cancel.code = typeof frame['code'] === 'number' ? frame['code'] : undefined;
      cancel.message = String(frame['message'] ?? '');
      cancel.data = dataOf(frame);
      cancel.understood = cancel.code === 0;
      return;
    }
    const found = discoveryBySeq.get(seq);
    if (found === undefined) return;
    if (found.answered !== undefined) return;
    found.answered = mark;
    found.code = typeof frame['code'] === 'number' ? frame['code'] : 1;
    found.data = found.how === 'get_plugin_container' ? containerIn(dataOf(frame)) : dataOf(frame);
    found.entries = found.how === 'list_agent_runners' ? listedRunners(found.data) : containedRunners(found.data);
  }

  function inStream(run: Growing<Run>, frame: JsonObject, mark: Mark): void {
    const over = run.end !== undefined;
    const code = frame['code'];
    if (code !== 0) {
      run.end ??= { n: mark.n, at: mark.at, how: 'error', message: String(frame['message'] ?? '') };
    } else if (frame['chunk_status'] === 'end') {
      run.end ??= { n: mark.n, at: mark.at, how: 'end', message: '' };
    } else {
      (over ? run.late : run.results).push(resultOf(frame['data'], mark));
    }
  }
}

function resultOf(value: unknown, mark: Mark): Result {
  const object = isObject(value) ? value : {};
  const type = object['type'];
  return {
    n: mark.n,
    at: mark.at,
    value,
    object,
    type: typeof type === 'string' ? type : undefined,
    data: objectAt(object, 'data'),
  };
}

/** A container may come bare or under its name. */
const containerIn = (data: JsonObject): JsonObject =>
  isObject(data['plugin_container']) ? data['plugin_container'] : data;

function asksFor(data: JsonObject, { author, plugin, name }: RunnerEntry): boolean {
  return (
    data['runner_name'] === name &&
    (data['plugin_author'] === undefined || (data['plugin_author'] === author && data['plugin_name'] === plugin))
  );
}

function deadlineOf(context: JsonObject, epoch: number): number | undefined {
  const at = objectAt(context, 'runtime')['deadline_at'];
  return typeof at === 'number' ? at * 1000 - epoch : undefined;
}
