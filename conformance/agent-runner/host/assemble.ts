// Facts in, a case out: one pass over the frames, each put where it belongs. Pure, and unmoved by nonsense.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import type { Fact, FactOf, RecordingHead } from '../../recording/fact.ts';
import { deadlineOf, identityOf, runnerIdOf } from './perform.ts';
import type { ApiCall, Asked, Discovery, HostCase, HostRun, Listing, Observation, Reply, Submission } from './view.ts';

type Open<T> = { -readonly [K in keyof T]: T[K] };

export function assembleHost(head: RecordingHead, facts: readonly Fact[]): HostCase {
  let area = '';
  let stimulus: unknown;
  let epoch = 0;
  let end: FactOf<'end'> | undefined;
  let hello: JsonObject = head.target.declared as JsonObject;
  const faults: FactOf<'fault'>[] = [];
  const listings: Listing[] = [];
  const discoveries: Open<Discovery>[] = [];
  const submissions: Open<Submission>[] = [];
  const runs: HostRun[] = [];
  const calls: Open<ApiCall>[] = [];
  const cancels: Open<HostCase['cancels'][number]>[] = [];
  const observations: Open<Observation>[] = [];
  const restarts: Open<Asked>[] = [];
  const resets: Open<Asked>[] = [];
  const others: Asked[] = [];
  const runById = new Map<string, HostRun>();
  /** What the harness asked and the host answers, by number. */
  const ours = new Map<unknown, (reply: Reply) => void>();
  /** What the host asked and the harness answers, by number. */
  const theirs = new Map<unknown, { listing?: Listing; run?: HostRun; other?: Asked }>();

  /** What the harness asked, put where it belongs. */
  function place(asked: Open<Asked>): Open<Asked> {
    const { n, at, action, data, replies, reply } = asked;
    switch (action) {
      case 'driver_hello':
        return asked;
      case 'driver_discover':
        return keep(discoveries, {
          n,
          at,
          action,
          data,
          replies,
          reply,
          listing: undefined,
          listed: undefined,
          warnings: [],
        });
      case 'driver_submit': {
        const [event, binding] = [object(data['event']), object(data['binding'])];
        return keep(submissions, {
          n,
          at,
          action,
          data,
          replies,
          reply,
          index: submissions.length,
          event,
          binding,
          runId: undefined,
          run: undefined,
        });
      }
      case 'driver_cancel':
        return keep(cancels, { n, at, action, data, replies, reply, runId: text(data['run_id']) });
      case 'driver_observe':
        return keep(observations, { n, at, action, data, replies, reply, runId: text(data['run_id']), shown: {} });
      case 'driver_restart':
        return keep(restarts, asked);
      case 'driver_reset':
        return keep(resets, asked);
      default: {
        const call = keep(calls, {
          n,
          at,
          action,
          data,
          replies,
          reply,
          runId: data['run_id'],
          identity: data['caller_plugin_identity'],
        });
        if (typeof call.runId === 'string') runById.get(call.runId)?.calls.push(call);
        return call;
      }
    }
  }

  function weAsked({ n, at, frame }: FactOf<'sent'>, action: string): void {
    const asked = place({ n, at, action, data: object(frame['data']), replies: [], reply: undefined });
    ours.set(frame['seq_id'], (reply) => {
      asked.replies.push(reply);
      if (asked.reply !== undefined) return;
      asked.reply = reply;
      if (action === 'driver_discover')
        (asked as Open<Discovery>).listing = listings.findLast((listing) => listing.answer !== undefined);
      if (reply.code === 0) understood(asked, reply);
    });
  }

  /** Takes what a driver answer says into the thing that was asked. */
  function understood(asked: Open<Asked>, { data }: Reply): void {
    if (asked.action === 'driver_hello') hello = { ...hello, ...data };
    else if (asked.action === 'driver_observe') (asked as Open<Observation>).shown = data;
    else if (asked.action === 'driver_discover') {
      const discovery = asked as Open<Discovery>;
      const { runners, warnings } = data;
      discovery.listed = Array.isArray(runners) ? runners.filter((id) => typeof id === 'string') : undefined;
      discovery.warnings = Array.isArray(warnings) ? warnings : [];
    } else if (asked.action === 'driver_submit') {
      const submission = asked as Open<Submission>;
      submission.runId = text(data['run_id']);
      const run = submission.runId === undefined ? undefined : runById.get(submission.runId);
      if (run !== undefined) join(submission, run);
    }
  }

  function join(submission: Submission, run: HostRun): void {
    submission.run ??= run;
    run.submission ??= submission;
  }

  function theyAsked(fact: FactOf<'received'>, action: string, data: JsonObject): void {
    const { n, at } = fact;
    const seq = fact.frame['seq_id'];
    if (action === 'list_agent_runners') {
      const listing: Listing = { n, at, data, answer: undefined };
      listings.push(listing);
      theirs.set(seq, { listing });
    } else if (action === 'run_agent') {
      const run = theirRun(n, at, data);
      runs.push(run);
      if (!runById.has(run.runId)) runById.set(run.runId, run);
      theirs.set(seq, { run });
      const mine = submissions.find((other) => other.runId !== undefined && other.runId === run.runId);
      const eventId = object(run.context['event'])['event_id'];
      const likely =
        mine ?? submissions.find((other) => other.run === undefined && other.event['event_id'] === eventId);
      if (likely !== undefined) join(likely, run);
    } else if (action === 'cancel_run') {
      runById.get(String(data['run_id']))?.cancels.push({ n, at, reason: data['reason'] });
    } else {
      const other: Asked = { n, at, action, data, replies: [], reply: undefined };
      others.push(other);
      theirs.set(seq, { other });
    }
  }

  function theirRun(n: number, at: number, request: JsonObject): HostRun {
    const context = object(request['context']);
    const deadline = deadlineOf(context);
    return {
      n,
      at,
      runId: text(context['run_id']) ?? '',
      runnerId: runnerIdOf(request),
      identity: identityOf(request),
      request,
      context,
      deadline: deadline === undefined ? undefined : deadline - epoch,
      submission: undefined,
      pushed: [],
      calls: [],
      cancels: [],
      end: undefined,
    };
  }

  function weAnswered(fact: FactOf<'sent'>): void {
    const { n, at, frame } = fact;
    const to = theirs.get(frame['seq_id']);
    if (to === undefined) return;
    const code = typeof frame['code'] === 'number' ? frame['code'] : 1;
    if (to.listing !== undefined) to.listing.answer ??= { n, at, code, data: object(frame['data']) };
    else if (to.run !== undefined) {
      const { run } = to;
      const over = run.end !== undefined;
      if (code !== 0) run.end ??= { n, at, how: 'error', message: String(frame['message'] ?? '') };
      else if (frame['chunk_status'] === 'end') run.end ??= { n, at, how: 'end', message: '' };
      else run.pushed.push({ n, at, value: frame['data'] as JsonValue | undefined, late: over });
    }
  }

  for (const fact of facts) {
    if (fact.fact === 'sent') {
      const { action } = fact.frame;
      if (typeof action === 'string') weAsked(fact, action);
      else weAnswered(fact);
    } else if (fact.fact === 'received') {
      const { action } = fact.frame;
      if (typeof action === 'string') theyAsked(fact, action, object(fact.frame['data']));
      else ours.get(fact.frame['seq_id'])?.(replyOf(fact));
    } else if (fact.fact === 'case') {
      ({ area, stimulus, epoch } = fact);
    } else if (fact.fact === 'fault') faults.push(fact);
    else if (fact.fact === 'end') end = fact;
  }

  const features = Array.isArray(hello['features']) ? hello['features'].map(String) : [];
  return {
    head,
    area,
    stimulus,
    epoch,
    limits: object(hello['limits']),
    features: new Set(features),
    listings,
    discoveries,
    submissions,
    runs,
    calls,
    cancels,
    observations,
    restarts,
    resets,
    others,
    faults,
    end,
  };
}

function replyOf(fact: FactOf<'received'>): Reply {
  const { n, at, frame } = fact;
  return {
    n,
    at,
    code: typeof frame['code'] === 'number' ? frame['code'] : 1,
    message: String(frame['message'] ?? ''),
    data: object(frame['data']),
    end: frame['chunk_status'] === 'end',
  };
}

function keep<T>(list: T[], item: T): T {
  list.push(item);
  return item;
}

const object = (value: unknown): JsonObject => (isObject(value) ? value : {});
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
