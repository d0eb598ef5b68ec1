// §2, §5, §12: the request that starts a run, and the shape of the context that it carries.
import { isObject, sameJson } from '../../../../common/json.ts';
import { check } from '../../../../schemas/agent-runner/2026-06-03/validators.js';
import { type Finding, hold, judge } from '../../../judging/judge.ts';
import { isBindingKey, keysIn, part } from '../../oracle/context.ts';
import { brief } from '../effects.ts';
import { offeredFor } from '../folded.ts';
import { observationsOf } from '../shown.ts';
import { isText, type Turn, turnsOf } from '../turns.ts';
import type { HostCase, HostRun } from '../view.ts';

const show = (value: unknown): string => brief(JSON.stringify(value) ?? 'nothing');

function* noKey(view: HostCase, kind: 'binding' | 'window', words: string): Iterable<Finding> {
  for (const { n, context } of view.runs) {
    const found = keysIn(context, kind);
    yield hold(found.length === 0, n, () => ({ expected: words, found: found.join(', ') }));
  }
}

function* noTopLevel(view: HostCase, name: string): Iterable<Finding> {
  for (const { n, context } of view.runs)
    yield hold(!(name in context), n, () => ({
      expected: `no field ${name}`,
      found: `${name}: ${show(context[name])}`,
    }));
}

/** A context without an adapter keeps what is asked of adapters. */
function* adapterWithout(view: HostCase, names: readonly string[], words: string): Iterable<Finding> {
  for (const { n, context } of view.runs) {
    const adapter = part(context, 'adapter');
    const found = names.filter((name) => name in adapter || name in part(adapter, 'extra'));
    yield hold(found.length === 0, n, () => ({ expected: words, found: `adapter has ${found.join(', ')}` }));
  }
}

/** Left to clauses of their own. */
const ELSEWHERE = /^\/(trigger\/source|runtime\/trace_id|messages|bootstrap)\b/;

export const contextShapeJudges = [
  judge<HostCase>('v1/2/binding-hidden', function* (view) {
    yield* noKey(view, 'binding', 'nothing of the binding itself');
    // A configuration may have members of any name, as long as they are its own.
    for (const { binding, context, submission, run } of turnsOf(view)) {
      const own = part(binding, 'runner_config');
      const found = Object.keys(part(context, 'config')).find((key) => isBindingKey(key) && !(key in own));
      yield hold(found === undefined, [submission.n, run.n], () => ({
        expected: 'nothing of the binding but its runner_config in config',
        found: String(found),
      }));
    }
  }),

  judge<HostCase>('v1/4.5/no-window-field', (view) => noKey(view, 'window', 'no window of history as a field')),

  judge<HostCase>('v1/5.2/no-messages', (view) => noTopLevel(view, 'messages')),

  judge<HostCase>('v1/5.2/no-bootstrap', (view) => noTopLevel(view, 'bootstrap')),

  judge<HostCase>('v1/5.1/request-shape', function* ({ runs }) {
    for (const { n, request } of runs) {
      const { runner_id, runner_name, context } = request;
      const right =
        isText(runner_id) && runner_id !== '' && isText(runner_name) && runner_name !== '' && isObject(context);
      yield hold(right, n, () => ({
        expected: 'runner_id, runner_name and context',
        found: show(Object.keys(request)),
      }));
    }
  }),

  judge<HostCase>('v1/5.1/request-names-bound-runner', function* (view) {
    for (const { run, binding, submission } of turnsOf(view)) {
      const { runner_id, runner_name, plugin_author, plugin_name } = run.request;
      const id = binding['runner_id'];
      if (!isText(id)) continue;
      const [author, plugin, name] = id.replace(/^plugin:/, '').split('/');
      const agree = (got: unknown, due: string | undefined): boolean =>
        got === undefined || got === null || got === due;
      const named = isText(runner_id) ? runner_id === id : plugin_author === author && plugin_name === plugin;
      const right = named && agree(runner_name, name) && agree(plugin_author, author) && agree(plugin_name, plugin);
      yield hold(right, [submission.n, run.n], () => ({
        expected: id,
        found: show({ runner_id, plugin_author, plugin_name, runner_name }),
      }));
    }
  }),

  judge<HostCase>('v1/5.2/context-valid', function* ({ runs }) {
    for (const { n, context, submission } of runs) {
      const [first] = check('AgentRunContext', context).filter(({ path }) => !ELSEWHERE.test(path));
      // Nobody can make a whole context of a broken event; that it was run at all is another matter.
      if (first !== undefined && submission !== undefined && check('AgentEventEnvelope', submission.event).length > 0)
        continue;
      yield hold(first === undefined, n, {
        expected: `${first?.path}: ${first?.expected}`,
        found: String(first?.found),
      });
    }
  }),

  judge<HostCase>('v1/5.2/run-id-unique', function* ({ runs }) {
    const seen = new Set<string>();
    for (const { n, runId, submission } of runs) {
      const answered = submission?.runId;
      const right = runId !== '' && !seen.has(runId) && (answered === undefined || answered === runId);
      seen.add(runId);
      yield hold(right, [...(submission ? [submission.n] : []), n], () => ({
        expected: `a run_id of its own${answered === undefined ? '' : `, ${answered}`}`,
        found: show(runId),
      }));
    }
  }),

  judge<HostCase>('v1/5.9/trace-id', function* ({ runs }) {
    for (const { n, context } of runs) {
      const id = part(context, 'runtime')['trace_id'];
      yield hold(isText(id) && id !== '', n, () => ({ expected: 'a trace_id', found: show(id) }));
    }
  }),

  judge<HostCase>('v1/5.9/static-refs-stable', function* (view) {
    const turns = turnsOf(view);
    for (const [index, one] of turns.entries()) {
      const refs = part(one.context, 'runtime', 'static_refs');
      for (const [name, ref] of Object.entries(refs)) {
        const told = isObject(ref) && (isText(ref['version']) || isText(ref['hash']));
        yield hold(told, one.run.n, () => ({ expected: `static_refs.${name} with version or hash`, found: show(ref) }));
      }
      const next = turns
        .slice(index + 1)
        .find(
          (other) =>
            sameJson(other.binding, one.binding) &&
            ['bot_id', 'workspace_id'].every((key) => other.event[key] === one.event[key]) &&
            sameEntry(view, one, other),
        );
      if (next !== undefined && Object.keys(refs).length > 0)
        yield hold(sameJson(part(next.context, 'runtime', 'static_refs'), refs), [one.run.n, next.run.n], {
          expected: 'the same static_refs',
          found: 'others',
        });
    }
  }),

  judge<HostCase>('v1/5.2/config-from-binding', function* (view) {
    for (const { binding, context, submission, run } of turnsOf(view)) {
      const config = part(context, 'config');
      const wrong = Object.entries(part(binding, 'runner_config')).find(
        ([key, value]) => !sameJson(config[key], value),
      );
      yield hold(wrong === undefined, [submission.n, run.n], () => ({
        expected: `config.${wrong?.[0]} ${show(wrong?.[1])}`,
        found: show(config[wrong?.[0] ?? '']),
      }));
    }
  }),

  judge<HostCase>('v1/5.2/config-per-binding', function* (view) {
    const turns = turnsOf(view);
    for (const one of turns)
      for (const other of turns) {
        if (one.run.runnerId !== other.run.runnerId || one.binding['binding_id'] === other.binding['binding_id'])
          continue;
        const own = part(one.binding, 'runner_config');
        const foreign = Object.entries(part(other.binding, 'runner_config')).filter(
          ([key, value]) => !sameJson(own[key], value),
        );
        if (foreign.length === 0) continue;
        const config = part(one.context, 'config');
        const mixed = foreign.find(([key, value]) => sameJson(config[key], value));
        yield hold(mixed === undefined, [one.run.n, other.run.n], {
          expected: 'a config of its own for each binding',
          found: `config.${mixed?.[0]} of the other`,
        });
      }
  }),

  judge<HostCase>('v1/5.2/adapter-non-core', (view) =>
    adapterWithout(
      view,
      ['event', 'input', 'conversation', 'actor', 'subject', 'resources', 'state', 'messages', 'history'],
      'nothing in adapter that the protocol has a place for',
    ),
  ),

  judge<HostCase>('v1/12/adapter-no-instructions', (view) =>
    adapterWithout(view, ['prompt', 'system_prompt', 'instructions', 'preprompt'], 'no instructions in adapter.extra'),
  ),

  judge<HostCase>('v1/host-4/disabled-binding-not-run', function* ({ submissions, runs }) {
    // A host that runs nothing at all has not minded the binding.
    if (runs.length === 0) return;
    for (const { n, reply, run, event, binding } of submissions) {
      if (reply === undefined) continue;
      const types = binding['event_types'];
      const unbound = Array.isArray(types) && types.length > 0 && !types.includes(event['event_type'] ?? null);
      if (binding['enabled'] !== false && !unbound) continue;
      yield hold(run === undefined, [n, ...(run ? [run.n] : [])], {
        expected: unbound ? 'no run for an event that the binding does not name' : 'no run under a disabled binding',
        found: 'run_agent',
      });
    }
  }),

  judge<HostCase>('v1/host-4/sound-event-run', function* (view) {
    for (const { n, reply, runId, event, binding } of view.submissions) {
      const listed = view.discoveries.findLast((one) => one.listed !== undefined && one.n < n)?.listed ?? [];
      const offered = offeredFor(view, String(binding['runner_id']), n);
      const types = Array.isArray(binding['event_types']) ? binding['event_types'] : [];
      if (
        reply === undefined ||
        /connection is busy/i.test(reply.message) ||
        // Whether an event that comes again under another binding is one too many is the host's affair.
        view.submissions.some((other) => other.n < n && other.event['event_id'] === event['event_id']) ||
        // So is whether a conversation may have two runs at once.
        view.runs.some(
          (run) =>
            run.n < reply.n &&
            !isOver(view, run, n) &&
            run.submission !== undefined &&
            run.submission.n < n &&
            isText(event['conversation_id']) &&
            run.submission.event['conversation_id'] === event['conversation_id'],
        ) ||
        view.restarts.some((restart) => restart.n < n) ||
        check('AgentEventEnvelope', event).length > 0 ||
        check('AgentBinding', binding).length > 0 ||
        part(binding, 'scope')['scope_type'] !== 'global' ||
        binding['enabled'] === false ||
        (types.length > 0 && !types.includes(event['event_type'] ?? null)) ||
        offered?.fit !== 'sound' ||
        !listed.includes(String(offered.id))
      )
        continue;
      yield hold(reply.code === 0 && runId !== undefined, [n, reply.n], () => ({
        expected: `a run of ${offered.id}`,
        found: reply.code === 0 ? 'no run_id' : reply.message,
      }));
    }
  }),
];

const sameEntry = (view: HostCase, one: Turn, other: Turn): boolean =>
  sameJson(
    offeredFor(view, one.run.runnerId, one.run.n)?.entry,
    offeredFor(view, other.run.runnerId, other.run.n)?.entry,
  );

/** The host has shown it. By the end of its stream nobody can tell: what was asked for meanwhile may have been read before it. */
const isOver = (view: HostCase, run: HostRun, n: number): boolean =>
  observationsOf(view, run).some((shown) => shown.n < n && isText(shown.status) && shown.status !== 'running');
