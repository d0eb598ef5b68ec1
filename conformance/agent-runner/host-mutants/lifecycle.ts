// §10, HOST_SDK §4: deadlines, cancels, sessions, isolation, and what is kept.
import type { JsonObject } from '../../../common/json.ts';
import { HOST_PARTS } from '../reference-host/parts.ts';
import { deny } from '../reference-host/refusal.ts';
import type { Session } from '../reference-host/sessions.ts';
import type { LogEntry } from '../reference-host/stores/log.ts';
import { admission, type Change, memberOf, mutant, shows } from './mutant.ts';

const { admission: checks, checkPayload, deliver, readResult, whyNotBound } = HOST_PARTS;

const eventsWithout = (...types: readonly string[]): Change =>
  shows('events', (entries) =>
    entries.filter(({ event_type: type }) => !types.some((each) => String(type).startsWith(each))),
  );
const keepsSession = (
  id: string,
  how: string,
  clause: string,
  kept: (end: { status: string; code?: string }) => boolean,
) =>
  mutant(id, `Keeps the session of a run that ${how}.`, `10/unregistered-${clause}`, {
    unregistersAfter: (end) => !kept(end),
  });
const isBroken = ({ code }: { code?: string }): boolean =>
  code === 'runner.stream_error' || code === 'runner.no_terminal';
const OWN_EVENTS = /^(run|state|tool|api|delivery|artifact|action)\.|^message\.completed$/;

export const lifecycleMutants = [
  mutant('no-deadline', 'Gives no run a deadline.', '10/deadline-given', { deadlineOf: () => null }),
  mutant('deadline-own', 'Gives every run a deadline of its own choice.', '10/deadline-given', {
    deadlineOf: (_binding, now, ms) => now + ms,
  }),
  mutant('deadline-ignored', 'Does not end a run at its deadline.', '10/host-ends-at-deadline', {
    endAtDeadline: () => undefined,
  }),
  mutant('deadline-is-success', 'Counts a run as completed at its deadline.', '10/host-ends-at-deadline', {
    endAtDeadline: () => ({ status: 'completed' }),
  }),
  mutant('delivers-past-deadline', 'Goes on delivering after the deadline.', '10/no-delivery-after-deadline', {
    stopsAfter: ({ status }) => status !== 'timeout',
  }),
  mutant(
    'deadline-put-off',
    'Lets a run that has said more than two things go on past its deadline.',
    '10/host-ends-at-deadline',
    () => {
      let said = 0;
      return {
        readResult: (...given) => {
          said++;
          return readResult(...given);
        },
        endAtDeadline: () => (said > 2 ? undefined : HOST_PARTS.endAtDeadline()),
      };
    },
  ),
  mutant('cancel-by-conversation', 'Cancels the latest run of the conversation.', '10/cancel-ends-run', {
    findForCancel: (runId, sessions) => {
      const meant = HOST_PARTS.findForCancel(runId, sessions);
      const conversation = meant?.run.scope.conversation_id;
      return meant && sessions.all.findLast(({ run }) => run.scope.conversation_id === conversation);
    },
  }),
  mutant(
    'types-by-family',
    'Takes every event of a family that its binding names one of.',
    'host-4/disabled-binding-not-run',
    {
      whyNotBound: (binding, event) => {
        const family = `${event.event_type.split('.')[0]}.`;
        const akin = binding.event_types.some((type) => type.startsWith(family));
        return whyNotBound(akin ? { ...binding, event_types: [] } : binding, event);
      },
    },
  ),
  mutant('cancel-ignored', 'Does not end a run that was cancelled.', '10/cancel-ends-run', {
    endOfCancel: () => undefined,
  }),
  mutant('delivers-past-cancel', 'Goes on delivering after a cancel.', '10/no-delivery-after-cancel', {
    stopsAfter: ({ status }) => status !== 'cancelled',
  }),
  mutant('cancel-ends-all', 'Ends every run when one is cancelled.', '7.2/completed-ends-run', () => {
    let others: readonly Session[] = [];
    return {
      findForCancel: (id, sessions) => {
        const session = HOST_PARTS.findForCancel(id, sessions);
        others = session === undefined ? [] : sessions.all.filter((one) => one !== session);
        return session;
      },
      endOfCancel: (reason) => {
        for (const { over } of others) over.abort();
        return HOST_PARTS.endOfCancel(reason);
      },
    };
  }),
  mutant('cancel-kept-back', 'Does not tell the Runtime of a cancel.', '10/cancel-passed-on', {
    passesCancelOn: () => false,
  }),
  mutant('cancel-hits-another', 'Cancels whatever runs when the run it was told is over.', '10/cancel-idempotent', {
    findForCancel: (runId, sessions) => HOST_PARTS.findForCancel(runId, sessions) ?? sessions.all[0],
  }),
  keepsSession('completed-kept', 'completed', 'completed', ({ status }) => status === 'completed'),
  keepsSession('failed-kept', 'failed', 'failed', (end) => end.status === 'failed' && !isBroken(end)),
  keepsSession('timeout-kept', 'reached its deadline', 'deadline', ({ status }) => status === 'timeout'),
  keepsSession('cancelled-kept', 'was cancelled', 'cancelled', ({ status }) => status === 'cancelled'),
  keepsSession('broken-kept', 'broke off', 'broken', isBroken),
  mutant(
    'registered-late',
    'Knows of a run only once it has said something.',
    '10/registered-while-active',
    admission({
      active: (given) =>
        given.session !== undefined && given.session.results === 0 ? deny('unauthorized') : checks.active(given),
    }),
  ),
  mutant('disabled-runs', 'Runs events under disabled bindings.', 'host-4/disabled-binding-not-run', {
    whyNotBound: (binding, event) => whyNotBound({ ...binding, enabled: true }, event),
  }),
  mutant('any-type-runs', 'Runs events of types that the binding does not name.', 'host-4/disabled-binding-not-run', {
    whyNotBound: (binding, event) => whyNotBound({ ...binding, event_types: [] }, event),
  }),
  mutant(
    'another-runner-runs',
    'Runs another runner where the bound one is not there.',
    'host-4/unknown-runner-refused',
    { findRunner: (id, runners) => runners.get(id) ?? [...runners.values()][0] },
  ),
  mutant(
    'unknown-runner-jams',
    'Runs nothing any more once a binding named an unknown runner.',
    'host-4/unknown-runner-refused',
    () => {
      let jammed = false;
      return {
        findRunner: (id, runners) => {
          jammed ||= !runners.has(id);
          return jammed ? undefined : runners.get(id);
        },
      };
    },
  ),
  mutant('runs-mixed', 'Delivers everything under the first run.', 'host-4/runs-do-not-mix', () => {
    let first: string | undefined;
    return {
      deliver: (session, kind, content) => {
        first ??= session.run.run_id;
        return deliver(session, kind, content).map((delivery) => ({ ...delivery, run_id: first! }));
      },
    };
  }),
  mutant('crash-spreads', 'Hears no runner any more after one broke.', 'host-4/crash-isolated', () => {
    let broken = false;
    return {
      endOfBrokenStream: (answer) => {
        broken = true;
        return HOST_PARTS.endOfBrokenStream(answer);
      },
      readResult: (value) => (broken ? { code: 'result_malformed', message: 'Deaf.' } : readResult(value)),
    };
  }),
  mutant('crash-is-success', 'Counts a run as completed when its stream breaks.', 'host-4/crash-fails-run', {
    endOfBrokenStream: () => ({ status: 'completed' }),
  }),
  mutant('flood-spreads', 'Takes five hundred results in all, whoever sends them.', 'host-4/flood-isolated', () => {
    let results = 0;
    return {
      checkPayload: (result) =>
        ++results > 500 ? { code: 'result_malformed', message: 'Enough.' } : checkPayload(result),
    };
  }),
  mutant(
    'run-overtaken-in-an-await',
    'Waits a moment before it takes a message, and takes it for the run whose message came in just that moment.',
    '7.2/completed-delivered',
    () => {
      let latest: Session | undefined;
      return {
        handOver: async (session, { type }, take) => {
          if (type !== 'message.completed') return take(session);
          latest = session;
          await undefined;
          take(latest);
        },
      };
    },
  ),
  mutant('one-at-a-time', 'Lets every run wait for the one before it.', 'host-4/hang-isolated', () => {
    let last = Promise.resolve();
    return {
      launch: (drive) => {
        last = last.then(drive);
      },
    };
  }),
  mutant(
    'events-unlogged',
    'Keeps no log of incoming events.',
    'host-4/event-logged',
    shows('events', (entries) => entries.filter(({ event_type: type }) => OWN_EVENTS.test(String(type)))),
  ),
  mutant(
    'tools-unlogged',
    'Keeps no log of tool events and calls.',
    'host-4/tool-calls-logged',
    eventsWithout('tool.', 'api.'),
  ),
  mutant(
    'deliveries-unlogged',
    'Keeps no log of deliveries.',
    ['host-4/deliveries-logged', 'context-1/replay-deliveries'],
    eventsWithout('delivery.'),
  ),
  mutant(
    'failures-unlogged',
    'Keeps no log of failed runs.',
    ['host-4/errors-logged', 'context-1/replay-status'],
    eventsWithout('run.failed', 'run.timeout', 'run.cancelled'),
  ),
  mutant(
    'bytes-forgotten',
    'Keeps what it knows of artifacts over a restart, and not their bytes.',
    'host-4/restart-keeps-facts',
    {
      recover: (entries) =>
        entries.map((entry) =>
          entry.kind === 'result' && entry.artifact !== undefined
            ? { ...entry, artifact: { ...entry.artifact, content: '' } }
            : entry,
        ),
    },
  ),
  mutant(
    'tool-calls-logged-once',
    'Logs the first call of a tool in a run, and no other.',
    'host-4/tool-calls-logged',
    shows('events', (entries) => {
      const isCall = (entry: JsonObject): boolean => memberOf(entry, 'data')['action'] === 'call_tool';
      const first = entries.find(isCall);
      return entries.filter((entry) => !isCall(entry) || entry === first);
    }),
  ),
  mutant(
    'user-turns-cut',
    'Transcribes the first words of what users say.',
    'context-1/user-turn-transcribed',
    shows('transcript', (items) =>
      items.map((item) => (item['role'] === 'user' ? { ...item, content: String(item['content']).slice(0, 3) } : item)),
    ),
  ),
  mutant('runs-by-conversation', 'Takes every result of a conversation for its last run.', 'host-4/runs-do-not-mix', {
    sessionOf: (_result, session, { all }) => {
      const { conversation_id: here } = session.run.scope;
      return all.findLast(({ run }) => here !== null && run.scope.conversation_id === here) ?? session;
    },
  }),
  mutant('artifacts-forgotten', 'Forgets artifacts with every restart.', 'host-4/restart-keeps-facts', {
    recover: (entries) =>
      entries.map((entry) => (entry.kind === 'result' ? { ...entry, artifact: undefined } : entry) as LogEntry),
  }),
  mutant('answers-forgotten', 'Forgets what runners said with every restart.', 'host-4/restart-keeps-facts', {
    recover: (entries) =>
      entries.map((entry) => (entry.kind === 'result' ? { ...entry, answer: undefined } : entry) as LogEntry),
  }),
  mutant(
    'tail-lost',
    'Loses the last facts of its log when it comes back.',
    ['host-4/torn-write-repaired', 'host-4/restart-keeps-facts'],
    { recover: (entries) => entries.slice(0, -4) },
  ),
  mutant(
    'user-turns-untranscribed',
    'Does not transcribe what users say.',
    'context-1/user-turn-transcribed',
    shows('transcript', (items) => items.filter(({ role }) => role !== 'user')),
  ),
  mutant(
    'answers-untranscribed',
    'Does not transcribe what runners say.',
    'context-1/answer-transcribed',
    shows('transcript', (items) => items.filter(({ role }) => role === 'user')),
  ),
  mutant(
    'transcript-edited',
    'Shows another transcript than its log tells.',
    'context-1/replay-transcript',
    shows('transcript', (items) => items.map((item) => ({ ...item, content: `${item['content']}.` }))),
  ),
  mutant('state-unlogged', 'Keeps no log of state.', 'context-1/replay-state', eventsWithout('state.')),
  mutant('ends-unlogged', 'Keeps no log of how runs ended.', 'context-1/replay-status', eventsWithout('run.completed')),
  mutant(
    'history-trimmed',
    'Shows only the last two turns of the transcript.',
    'context-1/history-append-only',
    shows('transcript', (items) => items.slice(-2)),
  ),
  mutant(
    'events-trimmed',
    'Shows only the last ten entries of the log.',
    'context-1/history-append-only',
    shows('events', (entries) => entries.slice(-10)),
  ),
];
