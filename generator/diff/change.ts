// One difference between two revisions, as data: what, where on both sides, and whom it breaks.
import type { Place } from '../model.ts';

/** `writer`: who writes by the old revision is refused or misread by who reads by the new. `reader`: the other way round. */
export type Broken = 'writer' | 'reader';

export interface Side {
  readonly text: string;
  readonly place: Place;
}

export interface SpecChange {
  /** Stable, e.g. `field-removed`. With `subject` it names the change, so that it can be excused. */
  readonly kind: string;
  /** `AgentTrigger.source`, `api.history.page(limit)`, `AgentRunResult.type="run.failed"`. */
  readonly subject: string;
  readonly breaks: readonly Broken[];
  /** One sentence on why it breaks whom, or why it does not. */
  readonly why: string;
  readonly before?: Side;
  readonly after?: Side;
  /** What a writer and a reader have to do about it. */
  readonly todo: { readonly writer?: string; readonly reader?: string };
}

export const isBreaking = (change: SpecChange): boolean => change.breaks.length > 0;

export const changeId = (change: Pick<SpecChange, 'kind' | 'subject'>): string => `${change.kind} ${change.subject}`;
