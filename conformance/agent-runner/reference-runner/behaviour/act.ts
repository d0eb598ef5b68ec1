// Platform actions (§7.2, §8): asked for where granted, and never waited upon.
import type { Results, Run } from '../parts.ts';
import { optional } from './run.ts';

export async function* act({ context, api }: Run): Results {
  const target = { message_id: context.event.event_id };
  for (const action of Object.keys(context.resources.platform_capabilities))
    await optional(() => api.platform.requestAction(action, target));
  if (context.delivery.supports_reaction) yield { type: 'action.requested', data: { action: 'message.react', target } };
}
