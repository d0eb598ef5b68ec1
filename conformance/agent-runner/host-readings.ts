// Hosts that read an open sentence of the documents otherwise than the reference host does, and must pass.
import { isObject } from '../../common/json.ts';
import type { Variant } from '../driving/suite.ts';
import { actions, cameIn, context, memberOf } from './host-mutants/mutant.ts';
import { DEFAULT_INVENTORY } from './reference-host/inventory.ts';
import { HOST_PARTS, type HostParts } from './reference-host/parts.ts';
import { deny } from './reference-host/refusal.ts';
import { isStateScope } from './reference-host/shapes.ts';
import { type ReferenceHostOptions, referenceHostTarget } from './reference-host/target.ts';

export const variant = (
  id: string,
  what: string,
  options: ReferenceHostOptions | (() => ReferenceHostOptions),
): Variant => ({
  id,
  what,
  target: () => referenceHostTarget(options),
});
export const parts = (id: string, what: string, change: Partial<HostParts> | (() => Partial<HostParts>)): Variant =>
  variant(id, what, () => ({ parts: typeof change === 'function' ? change() : change }));

export const readings: readonly Variant[] = [
  parts(
    'current-event-counted',
    'Counts the current event among what it delivers.',
    context((whole) => {
      const access = memberOf(whole, 'context');
      const policy = { ...memberOf(access, 'inline_policy'), delivered_count: 1 };
      return { ...whole, context: { ...access, inline_policy: policy } };
    }),
  ),
  parts('no-reply-no-message', 'Delivers nothing of a run whose binding wants no reply.', {
    deliveryOf: (event, binding) => ({
      ...HOST_PARTS.deliveryOf(event, binding),
      ...(binding.delivery.reply ? {} : { x_silent: true }),
    }),
    deliver: (session, kind, content) =>
      'x_silent' in session.delivery ? [] : HOST_PARTS.deliver(session, kind, content),
  }),
  parts('snapshots-for-deltas', 'Delivers with each delta the whole text so far.', () => {
    const texts = new Map<string, string>();
    return {
      deliver: (session, kind, content) => {
        if (kind !== 'delta' || typeof content !== 'string') return HOST_PARTS.deliver(session, kind, content);
        const text = `${texts.get(session.run.run_id) ?? ''}${content}`;
        texts.set(session.run.run_id, text);
        return HOST_PARTS.deliver(session, kind, text);
      },
    };
  }),
  parts(
    'unknown-scope-is-an-argument',
    'Calls a state scope that there is not a wrong argument, whatever is granted.',
    actions('state.', ({ checkArguments }) => ({
      checkArguments: (data) =>
        typeof data['scope'] === 'string' && !isStateScope(data['scope'])
          ? deny('invalid_argument', 'scope')
          : checkArguments(data),
    })),
  ),
  parts(
    'events-that-came-in',
    'Pages through the events that came in, and not through what became of them.',
    actions(['event_page'], ({ perform }) => ({
      perform: (data, scene) => perform(data, cameIn(scene)),
    })),
  ),
  variant('tools-want-parameters', 'Calls its tools with the parameters that they declare, and with no others.', {
    inventory: {
      ...DEFAULT_INVENTORY,
      tools: DEFAULT_INVENTORY.tools.map((tool) => ({
        ...tool,
        parameters: { ...tool.parameters, required: ['text'] },
      })),
    },
    parts: actions(['call_tool'], ({ checkGrant }) => ({
      checkGrant: (data, scene) =>
        checkGrant(data, scene) ??
        (data['tool_name'] !== 'tool-broken' && isObject(data['parameters']) && !('text' in data['parameters'])
          ? deny('invalid_argument', 'parameters.text')
          : undefined),
    })),
  }),
];
