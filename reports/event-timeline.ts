// From an Agent Runtime log to its timeline: which lane each event belongs to, and which clauses it breaks.
import { readEvent } from '../conformance/agent-runtime/event.ts';
import { readLog } from '../conformance/agent-runtime/log/read.ts';
import type { Outcome } from '../conformance/judging/outcome.ts';
import type { Extras, TimelineEntry } from './extras.ts';
import { StoryTeller } from './log-story.ts';
import { cut } from './text.ts';

/** More events than this are not shown; those that break a clause always are. */
const MOST = 400;
const LONG = 200;

/** Reads the log that an outcome of `runcert runtime check` speaks of; its facts are line numbers. */
export async function timelineOf(
  path: string,
  outcome: Outcome,
): Promise<Required<Pick<Extras, 'timeline' | 'story'>>> {
  const teller = new StoryTeller();
  const broken = new Map<number, string[]>();
  for (const { id, verdict, facts } of outcome.clauses) {
    if (verdict === 'fail') for (const line of facts ?? []) broken.set(line, [...(broken.get(line) ?? []), id]);
  }
  const entries: TimelineEntry[] = [];
  const room = MOST - Math.min(broken.size, MOST / 2);
  let usual = 0;
  await readLog(path, {
    take: (json, line) => {
      const event = readEvent(json);
      if (event === undefined) return;
      teller.hear(event, line);
      const breaks = broken.get(line);
      if (breaks === undefined && usual >= room) return;
      if (breaks === undefined) usual++;
      entries.push({
        sequence: event.sequence ?? line,
        type: cut(event.type === '' ? '(no type)' : event.type, LONG),
        lane: cut(laneOf(event), LONG),
        ...(event.timestamp === undefined ? {} : { time: cut(event.timestamp, 40) }),
        detail: `line ${line}`,
        ...(breaks === undefined ? {} : { breaks, event: json }),
      });
    },
  });
  return { timeline: entries, story: teller.story() };
}

type Event = NonNullable<ReturnType<typeof readEvent>>;

/** The narrowest work that an event belongs to: turns and tasks side by side show what ran when. */
function laneOf({ turnId, taskId, threadId, sessionId }: Event): string {
  if (taskId !== undefined) return `task ${taskId}`;
  if (turnId !== undefined) return `turn ${turnId}`;
  if (threadId !== undefined) return `thread ${threadId}`;
  return sessionId === undefined ? 'runtime' : `session ${sessionId}`;
}
