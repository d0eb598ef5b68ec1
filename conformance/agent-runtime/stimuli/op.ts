// What the harness does to a runtime, as plain data: commands with their inputs, restarts, and logs of others to read.
// Ids that only the runtime gives are written `$action`, `$process` … and filled in from the events seen so far.
import { isObject, type JsonObject, type JsonValue } from '../../../common/json.ts';
import * as validators from '../../../schemas/agent-runtime/0.3.9/validators.js';
import { commands } from '../catalogue.ts';
import { RuntimeEvent } from '../event.ts';

export type Op =
  | { readonly command: string; readonly input: JsonObject }
  | { readonly restart: true }
  | { readonly load: readonly JsonObject[] };

export const isOp = (value: unknown): value is Op =>
  isObject(value) &&
  (value['restart'] === true ||
    (Array.isArray(value['load']) && value['load'].every(isObject)) ||
    (typeof value['command'] === 'string' && isObject(value['input']) && isInputOf(value['command'], value['input'])));

/** Only legal commands are given, also where a case is made smaller; ids that are filled in later are texts already. */
const isInputOf = (command: string, input: JsonObject): boolean =>
  validators.check((commands.get(command)?.input ?? 'ScopeInput') as never, input).length === 0;

type Change = (event: RuntimeEvent) => readonly [placeholder: string, id: string | undefined];
const action: Change = (event) => ['$action', event.actionId];
const process: Change = (event) => ['$process', event.id('processId')];
const job: Change = (event) => ['$job', event.id('jobId')];

const CHANGES: Readonly<Record<string, Change>> = {
  'action.required': action,
  'action.resolved': action,
  'process.started': process,
  'process.completed': process,
  'process.failed': process,
  'process.terminated': process,
  'tool.started': (event) => ['$call', event.toolCallId],
  'job.created': job,
  'job.completed': job,
  'channel.connected': (event) => ['$channel', event.id('channelId')],
};
const OPENING = new Set(['action.required', 'process.started', 'tool.started', 'job.created', 'channel.connected']);

/** The latest things that the runtime has named, by the placeholder that stands for them. */
export class Named {
  #open = new Map<string, string[]>();

  see(raw: unknown): void {
    if (!isObject(raw)) return;
    const event = new RuntimeEvent(raw);
    const [name, id] = CHANGES[event.type]?.(event) ?? [];
    if (name === undefined || id === undefined) return;
    const others = (this.#open.get(name) ?? []).filter((other) => other !== id);
    this.#open.set(name, OPENING.has(event.type) ? [...others, id] : others);
  }

  /** The input with placeholders filled in; what is not there yet stays as it is written. */
  fill(input: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, this.#fillOne(value)]));
  }

  #fillOne(value: JsonValue | undefined): JsonValue | undefined {
    return typeof value === 'string' && value.startsWith('$') ? (this.#open.get(value)?.[0] ?? value) : value;
  }
}
