// Platform actions (§7.2, §8): asked for where granted, and never waited upon.
import type { Results, Run } from '../parts.ts';
import { optional } from './run.ts';

export async function* act({ context, api }: Run): Results {
  const target = { message_id: context.eventId };
  const [action] = context.platformActions;
  if (action !== undefined) await optional(() => api.platform.requestAction(action, target, {}));
  if (context.delivery.reaction)
    yield { type: 'action.requested', data: { action: 'message.react', target, payload: { emoji: 'ok' } } };
}
