// Two protocols → every difference in structure between them. Prose, order and where things stand are not structure.
import type { Protocol } from '../model.ts';
import { diffApi } from './api.ts';
import type { SpecChange } from './change.ts';
import { changeId, isBreaking } from './change.ts';
import { diffModels } from './models.ts';
import { diffCatalogues, diffVariants } from './tables.ts';

export interface Excuse {
  /** `kind subject`, e.g. `field-removed AgentInput.message_chain`. */
  readonly change: string;
  readonly reason: string;
}

export interface Comparison {
  readonly changes: readonly (SpecChange & { readonly excused?: string })[];
  /** Excuses that excuse nothing: they are stale. */
  readonly stale: readonly Excuse[];
  readonly breaking: number;
  readonly unexcused: number;
}

export function diffProtocols(x: Protocol, y: Protocol): SpecChange[] {
  const before = new Map(x.models.map((model) => [model.name, model]));
  const after = new Map(y.models.map((model) => [model.name, model]));
  return [
    ...diffModels(before, after),
    ...diffApi(x, y, before, after),
    ...diffCatalogues(x.catalogues, y.catalogues),
    ...diffVariants(x.variants, y.variants, before, after),
  ];
}

export function compare(x: Protocol, y: Protocol, excuses: readonly Excuse[]): Comparison {
  const changes = diffProtocols(x, y).map((change) => {
    const excuse = isBreaking(change) ? excuses.find((entry) => entry.change === changeId(change)) : undefined;
    return excuse === undefined ? change : { ...change, excused: excuse.reason };
  });
  const breaking = changes.filter(isBreaking);
  return {
    changes,
    stale: excuses.filter((excuse) => !breaking.some((change) => changeId(change) === excuse.change)),
    breaking: breaking.length,
    unexcused: breaking.filter((change) => !('excused' in change)).length,
  };
}
