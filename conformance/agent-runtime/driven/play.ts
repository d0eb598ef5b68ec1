// Plays one stimulus against a runtime: commands one after the other, and after each all events that came; looks at the read models
// around every restart and at the end; walks through the history of every session.
import type { JsonObject } from '../../../common/json.ts';
import { isObject } from '../../../common/json.ts';
import type { Stage } from '../../driving/suite.ts';
import { RuntimeEvent } from '../event.ts';
import { isOp, Named, type Op } from '../stimuli/op.ts';

export interface Stimulus {
  readonly ops: readonly Op[];
}

export const isStimulus = (value: unknown): value is Stimulus =>
  isObject(value) && Array.isArray(value['ops']) && value['ops'].every(isOp);

/** The most pages of a history that are walked through. */
const PAGES = 50;

export async function playStimulus({ ops }: Stimulus, { session, signal }: Stage): Promise<void> {
  const { peer, info } = session;
  const named = new Named();
  const sessions = new Set<string>();
  let seen = 0;
  const models = info.traits.filter((trait) => trait.startsWith('model:')).map((trait) => trait.slice(6));
  const call = (action: string, data: JsonObject) => peer.call(action, data, { signal });

  const listen = async (): Promise<void> => {
    for (;;) {
      const { data, code } = await call('driver_events', { after: seen });
      const events = Array.isArray(data['events']) ? data['events'] : [];
      if (code !== 0 || events.length === 0) return;
      seen += events.length;
      for (const event of events) {
        named.see(event);
        const id = isObject(event) ? new RuntimeEvent(event).sessionId : undefined;
        if (id !== undefined) sessions.add(id);
      }
      if (signal.aborted) return;
    }
  };
  const look = async (): Promise<void> => {
    for (const session_id of sessions) for (const model of models) await call('driver_model', { model, session_id });
  };
  const walk = async (): Promise<void> => {
    if (!info.traits.includes('command:get_session')) return;
    for (const session_id of sessions) {
      let cursor: unknown;
      for (let page = 0; page < PAGES; page++) {
        const input = { session_id, limit: 3, ...(cursor === undefined ? {} : { cursor: cursor as string }) };
        const { data, code } = await call('driver_command', { command: 'get_session', input });
        cursor = data['cursor'];
        if (code !== 0 || cursor === null || cursor === undefined || signal.aborted) break;
      }
    }
  };

  for (const op of ops) {
    if (signal.aborted) return;
    if ('restart' in op) {
      if (!info.traits.includes('feature:restart')) continue;
      await look();
      await call('driver_restart', {});
      seen = 0;
      await listen();
      await look();
    } else if ('load' in op) {
      if (!info.traits.includes('feature:load')) continue;
      for (const { sessionId } of op.load.map((event) => new RuntimeEvent(event)))
        if (sessionId !== undefined) sessions.add(sessionId);
      // What it reads is not its own: only the read models are looked at, half-way and when the log is over.
      await call('driver_load', { events: op.load.slice(0, Math.ceil(op.load.length / 2)), ended: false });
      await look();
      await call('driver_load', { events: op.load as JsonObject[], ended: true });
      await look();
      return;
    } else if (info.traits.includes(`command:${op.command}`)) {
      await call('driver_command', { command: op.command, input: named.fill(op.input) });
      await listen();
    }
  }
  await look();
  await walk();
  await listen();
}
