// A judge: one clause, one pure function from what was recorded to findings.
// It reads like the specification: for each occasion, was the clause kept or broken?

/** The facts that prove a finding, by their numbers in the recording. */
export type Proof = number | readonly number[];

export type Finding =
  | { readonly kind: 'kept'; readonly facts: readonly number[] }
  | { readonly kind: 'broken'; readonly facts: readonly number[]; readonly expected: string; readonly found: string }
  /** An occasion whose end the recording does not show: the target died or time ran out before. */
  | { readonly kind: 'open'; readonly facts: readonly number[]; readonly reason: string };

export interface Judge<View> {
  readonly clause: string;
  readonly judge: (view: View) => Iterable<Finding>;
}

/** What the specification asks, and what was there instead. */
export interface Words {
  readonly expected: string;
  readonly found: string;
}

const numbers = (proof: Proof): readonly number[] => (typeof proof === 'number' ? [proof] : proof);

/** An occasion on which the clause could have been broken and was not. */
export const kept = (proof: Proof): Finding => ({ kind: 'kept', facts: numbers(proof) });

/** A violation. */
export const broken = (proof: Proof, words: Words): Finding => ({
  kind: 'broken',
  facts: numbers(proof),
  ...words,
});

export const open = (proof: Proof, reason: string): Finding => ({ kind: 'open', facts: numbers(proof), reason });

/** `kept` or `broken`, by the condition. Words that cost something to make are given as a function: most occasions are kept. */
export const hold = (holds: boolean, proof: Proof, words: Words | (() => Words)): Finding =>
  holds ? kept(proof) : broken(proof, typeof words === 'function' ? words() : words);

/**
 * Registers a judge for one clause.
 * @example
 * judge<RunnerCase>('v1/7.1/run-id-echoed', function* ({ runs }) {
 *   for (const run of runs) for (const result of run.results)
 *     yield hold(result.value.run_id === run.runId, result.n, { expected: run.runId, found: String(result.value.run_id) });
 * });
 */
export const judge = <View>(clause: string, find: (view: View) => Iterable<Finding>): Judge<View> => ({
  clause,
  judge: find,
});
