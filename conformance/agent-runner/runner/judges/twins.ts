// Twins: two runs of one case whose contexts are the same but for one thing. What one does, the other must do too.
import { canonical, isObject, type JsonObject } from '../../../../common/json.ts';
import { memo } from '../../../../common/memo.ts';
import { broken, type Finding, kept, open } from '../../../judging/judge.ts';
import type { Run, RunnerCase } from '../view.ts';
import { endingOf, endProof, undisturbed, wordsOf } from './endings.ts';

/** The text of a context without what differs from run to run anyway, and without what `drop` takes out. */
export const essenceWithout = (drop: (context: JsonObject) => JsonObject): ((context: JsonObject) => string) =>
  memo(({ run_id: _run, ...rest }: JsonObject) => canonical(drop(rest)));
export const essence = essenceWithout((all) => all);

/** A context without the member at `path`; null counts as absent. */
export function lacking(context: JsonObject, [key, ...rest]: readonly string[]): JsonObject {
  if (key === undefined || !(key in context)) return context;
  const value = context[key];
  const { [key]: _gone, ...others } = context;
  if (rest.length === 0) return others;
  return isObject(value) ? { ...others, [key]: lacking(value, rest) } : context;
}

/**
 * Every pair (plain, special) that `special` says differs in just the one thing, judged: where the plain run completes
 * undisturbed, the special one must not fail, end otherwise or break off.
 */
export function* asItsTwin(
  view: RunnerCase,
  isPair: (plain: Run, special: Run) => boolean,
  options: { readonly expected: string; readonly mayFail?: boolean },
): Iterable<Finding> {
  for (const special of view.runs)
    for (const plain of view.runs) {
      if (plain === special || endingOf(plain) !== 'completed' || !undisturbed(view, plain)) continue;
      if (special.cancel !== undefined || !isPair(plain, special)) continue;
      const proof = [...endProof(plain), ...endProof(special)];
      const ending = endingOf(special);
      if (ending === 'unended') yield open(proof, 'the run did not end');
      else if (ending === 'completed' || (ending === 'failed' && options.mayFail === true)) yield kept(proof);
      else yield broken(proof, { expected: options.expected, found: wordsOf(special) });
      break;
    }
}
