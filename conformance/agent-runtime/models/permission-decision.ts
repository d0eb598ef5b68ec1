// Which of several decisions counts: a rule that denies or asks outranks what a mode, a hook or a classifier allows by itself.

export interface Decision {
  decision: string;
  source: string | undefined;
  reason: string | undefined;
  rule_refs: readonly unknown[] | undefined;
  /** Answered by a person or the host, rather than evaluated. */
  settled: boolean;
}

const AUTOMATIC: ReadonlySet<string | undefined> = new Set(['mode', 'hook', 'classifier', 'tool_contract']);
const ALLOWED = new Set(['allow', 'allowed', 'sandboxed', 'approve', 'approved', 'yes', 'accept']);

export const isAllowed = ({ decision }: Pick<Decision, 'decision'>): boolean => ALLOWED.has(decision);

/** The one that counts after all of them, in the order they came. */
export function effective<D extends Pick<Decision, 'decision' | 'source' | 'settled'>>(
  decisions: readonly D[],
): D | undefined {
  let counts: D | undefined;
  for (const next of decisions) if (counts === undefined || !outranks(counts, next)) counts = next;
  return counts;
}

/** Does the earlier decision stand against the later one? */
export function outranks(
  earlier: Pick<Decision, 'decision' | 'source' | 'settled'>,
  later: Pick<Decision, 'decision' | 'source' | 'settled'>,
): boolean {
  if (later.settled) return false;
  if (earlier.settled) return isAutomatic(later);
  return !isAllowed(earlier) && isAllowed(later) && isAutomatic(later) && !isAutomatic(earlier);
}

const isAutomatic = ({ source }: Pick<Decision, 'source'>): boolean => AUTOMATIC.has(source);
