// §5: subagents, jobs and channels: known before they are spoken of, and what is done stays done.
import type { RuntimeEvent } from '../event.ts';
import { type DutyOf, type Heard, hold, need } from './duty.ts';
import { remember } from './ledger.ts';

const MOST = 1024;

export const childDuty: DutyOf = (page) => {
  const spawned = page('ar/4/subagent-spawned-first');
  const noInput = page('ar/4/no-input-to-ended-subagent');
  const created = page('ar/5/job-created-first');
  const jobOnce = page('ar/5/job-ends-once');
  const itemDone = page('ar/5/completed-item-stays');
  const itemAttempts = page('ar/5/item-attempts-rise');
  const connected = page('ar/5/channel-connected-first');
  const bridged = page('ar/5/permission-comes-back');
  const vocabulary = page('ar/8/status-in-vocabulary');

  const subagent = (heard: Heard): { ended: boolean } | undefined => {
    const id = heard.event.id('subagentId');
    if (id === undefined) return undefined;
    const found = heard.ledger.subagents.get(id);
    need(
      spawned,
      heard,
      found !== undefined,
      `subagent.spawned before ${heard.event.type}`,
      `subagent ${id} is not known`,
    );
    return found;
  };
  const subagentEnds = (heard: Heard): void => {
    const found = subagent(heard);
    if (found !== undefined) found.ended = true;
  };

  const job = (heard: Heard) => {
    const id = heard.event.id('jobId');
    if (id === undefined) return undefined;
    const found = heard.ledger.jobs.get(id);
    need(created, heard, found !== undefined, `job.created before ${heard.event.type}`, `job ${id} is not known`);
    return found;
  };
  const jobEnds = (heard: Heard): void => {
    const found = job(heard);
    if (found === undefined) return;
    hold(jobOnce, !found.ended, [heard.place], 'one end of a job', `${heard.event.type} after it had ended`);
    found.ended = true;
  };
  const item = (heard: Heard): void => {
    const found = job(heard);
    const { event, place } = heard;
    const id = event.id('jobItemId');
    if (found === undefined || id === undefined) return;
    let note = found.items.get(id);
    if (note === undefined) {
      note = { done: false, attempts: 0 };
      remember(found.items, id, note, MOST);
    }
    hold(itemDone, !note.done, [place], `item ${id} to stay completed`, event.type);
    if (event.type === 'job.item.completed') note.done = true;
    if (event.type !== 'job.item.started') return;
    const said = event.number('attemptCount', 'jobItem');
    if (said !== undefined)
      hold(itemAttempts, said > note.attempts, [place], `an attempt above ${note.attempts}`, String(said));
    note.attempts = said ?? note.attempts + 1;
  };

  const channel = (heard: Heard): void => {
    const id = heard.event.id('channelId');
    if (id !== undefined)
      need(
        connected,
        heard,
        heard.ledger.channels.has(id),
        `channel.connected before ${heard.event.type}`,
        `channel ${id} is not known`,
      );
  };
  const bridge = (event: RuntimeEvent): string =>
    `${event.id('channelId')} ${event.actionId ?? event.toolCallId ?? event.id('processId') ?? event.id('requestId') ?? ''}`;

  const status =
    (words: ReadonlySet<string>) =>
    ({ event, place }: Heard): void => {
      const said = event.text('status');
      if (said !== undefined) hold(vocabulary, words.has(said), [place], `a status of §8.1`, said);
    };

  return {
    on: {
      'subagent.spawned': ({ event, ledger }) => {
        const id = event.id('subagentId');
        if (id !== undefined) remember(ledger.subagents, id, { ended: false }, MOST);
      },
      'subagent.status': subagent,
      'subagent.input': (heard) => {
        const found = subagent(heard);
        if (found !== undefined)
          hold(noInput, !found.ended, [heard.place], 'no input to a subagent that has ended', 'subagent.input');
      },
      'subagent.completed': subagentEnds,
      'subagent.failed': subagentEnds,
      'subagent.closed': subagentEnds,
      'job.created': ({ event, ledger }) => {
        const id = event.id('jobId');
        if (id !== undefined) remember(ledger.jobs, id, { ended: false, items: new Map() }, 256);
      },
      'job.started': job,
      'job.progress': job,
      'job.item.started': item,
      'job.item.completed': item,
      'job.item.failed': item,
      'job.completed': jobEnds,
      'job.failed': jobEnds,
      'job.cancelled': jobEnds,
      'channel.connected': ({ event, ledger }) => {
        const id = event.id('channelId');
        if (id !== undefined && ledger.channels.size < MOST) ledger.channels.add(id);
      },
      'channel.disconnected': channel,
      'channel.resumed': channel,
      'channel.message': channel,
      'channel.permission_forwarded': ({ event, ledger, place }) => {
        remember(ledger.forwarded, bridge(event), place);
      },
      'channel.permission_returned': (heard) => {
        const key = bridge(heard.event);
        need(
          bridged,
          heard,
          heard.ledger.forwarded.has(key),
          'channel.permission_forwarded before its answer',
          'an answer to nothing',
        );
        heard.ledger.forwarded.delete(key);
      },
      'run.status': status(RUNTIME),
      'task.updated': status(TASK),
      'turn.submitted': status(RUNTIME),
      'task.waiting': status(TASK),
    },
  };
};

const RUNTIME = new Set([
  'accepted',
  'queued',
  'preparing',
  'running',
  'waiting_input',
  'waiting_permission',
  'waiting_resource',
  'blocked',
  'streaming',
  'retrying',
  'lost',
  'timed_out',
  'completed',
  'failed',
  'cancelled',
  'stale',
  'unknown',
  'unavailable',
  'not_applicable',
  'idle',
]);
const TASK = new Set([...RUNTIME, 'draft', 'paused', 'cancelling', 'archived']);
