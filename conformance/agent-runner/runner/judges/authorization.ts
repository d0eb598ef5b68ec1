// §8, §11: whose calls they are, and what a runner may call.
import { isObject } from '../../../../common/json.ts';
import { broken, hold, type Judge, judge, kept, open } from '../../../judging/judge.ts';
import { API, apiAction, type Family, plainName } from '../api.ts';
import { currentConversation, excess, flags, listAt, objectAt, operationsOf, permits, resources } from '../grants.ts';
import { misfit, requestModel } from '../models.ts';
import type { Call, Run, RunnerCase } from '../view.ts';
import { endingOf, endProof } from './endings.ts';
import { declares } from './stream.ts';

const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
const familyOf = ({ action, data }: Call): Family | undefined => apiAction(action, data)?.family;

export const authorizationJudges: readonly Judge<RunnerCase>[] = [
  judge('v1/8/runner-carries-run-id', function* (view) {
    for (const call of view.otherCalls)
      if (familyOf(call) !== undefined)
        yield broken(call.n, {
          expected: `${call.action} with the run_id of an active run`,
          found: call.runId === undefined ? 'no run_id' : `run_id ${show(call.runId)}`,
        });
    for (const run of view.runs)
      for (const call of run.calls)
        yield hold(run.end === undefined || call.at <= run.end.at + view.head.grace, call.n, {
          expected: `${call.action} within its run`,
          found: 'a call after the stream of the run had ended',
        });
  }),

  judge('v1/8/runner-call-valid', function* (view) {
    for (const call of [...view.runs.flatMap(({ calls }) => calls), ...view.otherCalls]) {
      const model = requestModel(call.action, call.data);
      if (model === undefined && call.runId === undefined) continue;
      const wrong = model === undefined ? 'no such action' : (misfit(model, call.data, ['run_id']) ?? roleless(call));
      yield hold(wrong === undefined, call.n, {
        expected: model === undefined ? 'a Host API of the protocol' : `data that fits ${model}`,
        found: `${call.action}: ${wrong}`,
      });
    }
  }),

  judge('v1/8/runtime-adds-identity', function* ({ runs, seat }) {
    if (seat !== 'runtime') return;
    for (const run of runs)
      for (const call of run.calls) {
        if (run.runner === undefined || familyOf(call) === undefined) continue;
        const identity = `${run.runner.author}/${run.runner.plugin}`;
        const found = call.data['caller_plugin_identity'];
        yield hold(found === identity, call.n, () => ({
          expected: `caller_plugin_identity ${identity}`,
          found: show(found),
        }));
      }
  }),

  declared('v1/4.3/tool-call-needs-capability', 'tools', 'tool_calling'),
  declared('v1/4.3/retrieval-needs-capability', 'knowledge', 'knowledge_retrieval'),

  judge('v1/4.3/platform-needs-capability', function* ({ runs }) {
    for (const run of runs) {
      const asked = [
        ...run.calls.filter((call) => familyOf(call) === 'platform'),
        ...run.results.filter(({ type }) => type === 'action.requested'),
      ];
      for (const { n } of asked)
        yield hold(declares(run, 'platform_api'), n, {
          expected: 'capabilities.platform_api true in the manifest',
          found: 'a platform action by a runner that does not declare it',
        });
    }
  }),

  granted('v1/11/runner-granted-models', 'models', 'models'),
  granted('v1/11/runner-granted-tools', 'tools', 'tools'),
  granted('v1/11/runner-granted-knowledge', 'knowledge', 'knowledge_bases'),
  granted('v1/11/runner-granted-history', 'history', 'history'),
  granted('v1/11/runner-granted-events', 'events', 'events'),
  granted('v1/11/runner-granted-artifacts', 'artifacts', 'artifacts'),
  granted('v1/11/runner-granted-state', 'state', undefined),
  granted('v1/11/runner-granted-storage', 'storage', 'storage'),
  granted('v1/11/runner-granted-platform', 'platform', 'platform_api'),

  judge('v1/6/runner-listed-operations', function* ({ runs }) {
    for (const run of runs) {
      const narrow = LISTED.filter(({ kind }) => narrows(run, kind));
      for (const { family } of narrow) {
        const calls = run.calls.filter((call) => familyOf(call) === family);
        for (const call of calls) {
          const beyond = excess(run.context, call.action, call.data, run.runner?.manifest);
          yield hold(beyond?.narrowed === undefined, call.n, () => ({
            expected: `no ${call.action}: ${beyond?.why}`,
            found: `${call.action} on ${show(beyond?.resource)}`,
          }));
        }
        if (calls.length === 0 && endingOf(run) === 'completed') yield kept(endProof(run));
      }
    }
  }),

  judge('v1/11/runner-own-conversation', function* ({ runs }) {
    for (const run of runs)
      for (const { n, action, data } of run.calls) {
        if (!['history_page', 'history_search', 'event_page'].includes(action)) continue;
        const wanted = data['conversation_id'] ?? objectAt(data, 'filters')['conversation_id'];
        if (wanted === undefined || wanted === null) continue;
        const own = currentConversation(run.context);
        if (own !== wanted && own !== undefined && bent(own, wanted)) continue;
        yield hold(wanted === own, n, () => ({
          expected: `the current conversation, ${show(own ?? null)}`,
          found: `${action} of ${show(wanted)}`,
        }));
      }
  }),

  judge('v1/11/ids-opaque', function* ({ runs }) {
    for (const run of runs) {
      const given = new Set<string>();
      // Looked through only once an id is used: most that is given is never named again.
      const unread: unknown[] = [run.context];
      for (const call of run.calls) {
        for (const field of ID_FIELDS) {
          const used = call.data[field];
          if (used === undefined || used === null) continue;
          for (const value of unread.splice(0)) collect(value, given);
          if (given.has(used as string)) yield kept(call.n);
          else {
            const original = [...given].find((id) => bent(id, used));
            if (original !== undefined)
              yield broken(call.n, { expected: `${field} ${show(original)}, as it came`, found: show(used) });
          }
        }
        for (const { data } of call.replies) unread.push(data);
      }
    }
  }),
];

/** A message to a model says whose it is. */
const roleless = ({ data }: Call): string | undefined =>
  listAt(data, 'messages').some(({ role }) => role === '') ? '/messages: a message whose role is empty' : undefined;

/** Calls of a family are made only by runners that declare the capability. */
function declared(clause: string, family: Family, capability: string): Judge<RunnerCase> {
  return judge(clause, function* ({ runs }) {
    for (const run of runs)
      for (const call of run.calls)
        if (familyOf(call) === family)
          yield hold(declares(run, capability), call.n, {
            expected: `capabilities.${capability} true in the manifest of a runner that calls ${call.action}`,
            found: 'not declared',
          });
  });
}

/**
 * No call beyond what the context grants. A run in which something was withheld is an occasion too, if the runner
 * asks for the family in its manifest, or uses it elsewhere in the case.
 */
function granted(clause: string, family: Family, permission: string | undefined): Judge<RunnerCase> {
  return judge(clause, function* ({ runs }) {
    const used = runs.some((run) => run.calls.some((call) => familyOf(call) === family));
    for (const run of runs) {
      let called = false;
      for (const call of run.calls) {
        if (familyOf(call) !== family) continue;
        const beyond = excess(run.context, call.action, call.data, run.runner?.manifest);
        const withheld = beyond !== undefined && beyond.narrowed === undefined;
        called ||= withheld;
        if (withheld && isBent(run, family, beyond.resource)) {
          yield open(call.n, 'it names what was granted, by an id that did not stay as it came');
          continue;
        }
        yield hold(!withheld, call.n, () => ({
          expected: `no ${plainName(call.action, call.data)}: ${beyond?.why}`,
          found: `${plainName(call.action, call.data)} on ${show(beyond?.resource)}`,
        }));
      }
      if (!called && (used || asksFor(run, permission)) && withholds(run, family) && endingOf(run) === 'completed')
        yield kept(endProof(run));
    }
  });
}

const LISTED = [
  { family: 'models', kind: 'models' },
  { family: 'tools', kind: 'tools' },
  { family: 'knowledge', kind: 'knowledge_bases' },
] as const satisfies readonly { readonly family: Family; readonly kind: string }[];

/** Is there an entry of this kind that lists fewer operations than the manifest asks for? */
function narrows({ context, runner }: Run, kind: string): boolean {
  const asked = objectAt(runner?.manifest ?? {}, 'permissions')[kind];
  return (
    Array.isArray(asked) &&
    listAt(resources(context), kind).some((entry) => {
      const some = operationsOf(entry);
      return some !== undefined && asked.some((operation) => !some.includes(operation));
    })
  );
}

const ID_OF: Partial<Record<Family, readonly [kind: string, id: string]>> = {
  models: ['models', 'model_id'],
  tools: ['tools', 'tool_name'],
  knowledge: ['knowledge_bases', 'kb_id'],
};

/** Is it an entry of the context under a bent id? That is the matter of another clause, and one fault is told once. */
function isBent({ context }: Run, family: Family, resource: string): boolean {
  const [kind, id] = ID_OF[family] ?? [];
  if (kind === undefined || id === undefined) return false;
  const listed = listAt(resources(context), kind).map((entry) => String(entry[id]));
  return !listed.includes(resource) && listed.some((given) => bent(given, resource));
}

function asksFor(run: Run, permission: string | undefined): boolean {
  const operations = permission === undefined ? [] : objectAt(run.runner?.manifest ?? {}, 'permissions')[permission];
  return Array.isArray(operations) && operations.length > 0;
}

/** Is there something of this family that the manifest may ask for and the context does not grant? */
function withholds({ context, runner }: Run, family: Family): boolean {
  const asked = objectAt(runner?.manifest ?? {}, 'permissions');
  const resource = resources(context);
  switch (family) {
    case 'models':
    case 'tools':
      return listAt(resource, family).length === 0;
    case 'knowledge':
      return listAt(resource, 'knowledge_bases').length === 0;
    case 'storage':
      return (
        flags(context)['storage'] !== true ||
        ['plugin', 'workspace', 'binding'].some(
          (area) => objectAt(resource, 'storage')[`${area}_storage`] !== true || !permits(asked, 'storage', area),
        )
      );
    case 'platform':
      return true;
    default:
      return Object.values(API).some((api) => api.family === family && flags(context)[api.flag!] !== true);
  }
}

const ID_FIELDS = [
  'llm_model_uuid',
  'rerank_model_uuid',
  'tool_name',
  'kb_id',
  'event_id',
  'artifact_id',
  'conversation_id',
  'before_cursor',
  'after_cursor',
] as const;

const GIVEN = new Set([
  'model_id',
  'tool_name',
  'kb_id',
  'event_id',
  'artifact_id',
  'conversation_id',
  'latest_cursor',
  'next_cursor',
  'prev_cursor',
  'cursor',
  'name',
]);

/** Every id and cursor in a value. */
function collect(value: unknown, into: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, into);
  else if (isObject(value))
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (typeof member === 'string') {
        if (GIVEN.has(key)) into.add(member);
      } else collect(member, into);
    }
}

/** Is `used` the given id, bent: trimmed, folded, URL-decoded or -encoded, or made a number? */
function bent(id: string, used: unknown): boolean {
  if (typeof used === 'number') return Number(id) === used;
  if (typeof used !== 'string' || used === '') return false;
  const plain = (text: string): string => decoded(text).trim().normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');
  return plain(id) === plain(used);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
