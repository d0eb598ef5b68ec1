// How mutants are made: the parts of the reference with one of them replaced.
import type { JsonObject } from '../../../../common/json.ts';
import type { Mutant } from '../../../driving/suite.ts';
import { referenceManifest } from '../../reference-runner/manifest.ts';
import type { ResultBody, Results, Run, RunnerParts } from '../../reference-runner/parts.ts';
import { referenceParts } from '../../reference-runner/reference.ts';
import { type ReferenceRunnerOptions, referenceRunnerTarget } from '../../reference-runner/target.ts';
import { objectAt } from '../grants.ts';

/** `parts` is called for every connection anew: a case must break its clause by itself, not by what a case before it left behind. */
export const mutant = (
  id: string,
  clauses: readonly string[],
  what: string,
  parts: Partial<RunnerParts> | (() => Partial<RunnerParts>),
  seat?: ReferenceRunnerOptions['seat'],
): Mutant => ({
  id: `runner/${id}`,
  what,
  clauses: clauses.map((clause) => `v1/${clause}`),
  target: () => referenceRunnerTarget({ parts, ...(seat === undefined ? {} : { seat }) }),
});

/** The reference with another manifest. */
export const declaring = (over: JsonObject): Partial<RunnerParts> => ({
  manifests: [{ ...referenceManifest, ...over }],
});
export const capable = (over: JsonObject): Partial<RunnerParts> =>
  declaring({ capabilities: { ...objectAt(referenceManifest, 'capabilities'), ...over } });

/** Every result of one type is changed before it is sealed. */
export const changing = (type: string, change: (data: JsonObject) => JsonObject): Partial<RunnerParts> => ({
  seal: (context, result, sequence) =>
    referenceParts.seal(context, result.type === type ? { ...result, data: change(result.data) } : result, sequence),
});

/** The sealed envelope is changed. */
export const resealing = (change: (sealed: JsonObject) => JsonObject): Partial<RunnerParts> => ({
  seal: (context, result, sequence) => change(referenceParts.seal(context, result, sequence)),
});

/** The stream of the reference, edited: each result becomes none, one or several. */
export const editing = (edit: (result: ResultBody, run: Run) => readonly ResultBody[]): Partial<RunnerParts> => ({
  async *behave(run): Results {
    for await (const result of referenceParts.behave(run)) yield* edit(result, run);
  },
});

/** Runs that show something end as told: with these results and nothing else. */
export const endingOn = (
  shows: (run: Run) => boolean,
  ...results: readonly ResultBody[]
): Pick<RunnerParts, 'behave'> => ({
  async *behave(run): Results {
    if (shows(run)) yield* results;
    else yield* referenceParts.behave(run);
  },
});

/** Requests of one action are changed before they are sent. */
export const asking = (actions: readonly string[], change: (data: JsonObject) => JsonObject): Partial<RunnerParts> => ({
  request: (context, action, data) => {
    const stamped = referenceParts.request(context, action, data);
    return actions.includes(action) ? change(stamped) : stamped;
  },
});

/** A stream that just stops: no terminal result, and the SDK adds none. */
export const SILENT: Pick<RunnerParts, 'onError'> = { onError: () => [] };

export const without = (data: JsonObject, ...keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(data).filter(([key]) => !keys.includes(key)));
