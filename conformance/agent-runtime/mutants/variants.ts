// Other legal choices that a runtime may make, all of which pass; and runtimes that do nothing, none of which does.
import type { Variant } from '../../driving/suite.ts';
import { inProcessTarget } from '../../targets/in-process.ts';
import { agentRuntimeSeat } from '../driven/seat.ts';
import { referenceRuntimeTarget } from '../reference/target.ts';
import { decidesOnProcesses } from './tamper.ts';

const styled = (id: string, what: string, style: object): Variant => ({
  id: `runtime-${id}`,
  what,
  target: () => referenceRuntimeTarget({ style }),
});

/** Shakes hands, declares everything, and then answers every command with nothing. */
const silent = (id: string, what: string, passes: readonly string[], answer: () => object): Variant => ({
  id: `runtime-${id}`,
  what,
  vacuous: { passes },
  target: () =>
    inProcessTarget(agentRuntimeSeat(), {
      kind: 'reference',
      play: (far) => {
        far
          .handle('driver_hello', () => ({
            runtime: { name: id, version: '1' },
            commands: ['submit_turn', 'respond_action', 'create_task', 'get_session'],
            models: ['thread_read_model', 'queue_snapshot'],
            families: ['turn', 'tool', 'task', 'action', 'queue'],
            features: ['script', 'restart'],
          }))
          .handle('driver_events', () => ({ events: [], next: 0 }))
          .handleOther(() => answer() as never);
      },
    }),
});

export const variants: readonly Variant[] = [
  styled('camel-case', 'spells its fields as the published schemas do', { casing: 'camel' }),
  styled('one-counter', 'counts its events over all sessions', { numbering: 'log' }),
  styled('no-sequence', 'gives no sequence at all', { numbering: 'none' }),
  styled('queue-operations', 'tells changes of the queue one by one', { queue: 'operations' }),
  {
    id: 'runtime-decides-on-processes',
    what: 'decides about every process itself, and allows it',
    target: () => referenceRuntimeTarget({ tamper: decidesOnProcesses('allow') }),
  },
  silent('accepts-everything', 'accepts every command and does nothing', ['ar/6/queries-write-nothing'], () => ({})),
  silent(
    'refuses-everything',
    'refuses every command',
    ['ar/6/queries-write-nothing', 'ar/6/refused-writes-nothing', 'ar/6/unknown-process-refused'],
    () => {
      throw new Error('no');
    },
  ),
];
