// The smallest stimulus that still breaks a clause: fast-check's shrinking first, then nothing that can be dropped is kept.
import type fc from 'fast-check';
import { canonical } from '../../common/json.ts';
import type { Stimuli } from './stimuli.ts';

export interface Minimised {
  readonly stimulus: unknown;
  /** No step, run, call or field of it can be dropped and the clause still be broken. */
  readonly minimal: boolean;
  readonly plays: number;
}

export interface Budget {
  readonly plays: number;
  /** True once the time for it is over. */
  readonly outOfTime: () => boolean;
}

/** Drives again with less, as long as `stillBroken` says so and the budget lasts. */
export async function minimise(
  stimuli: Stimuli,
  from: fc.Value<unknown>,
  stillBroken: (stimulus: unknown) => Promise<boolean>,
  budget: Budget,
  valid: (stimulus: unknown) => boolean = () => true,
): Promise<Minimised> {
  let plays = 0;
  const left = (): boolean => plays < budget.plays && !budget.outOfTime();
  const tried = new Set<string>();
  const broken = async (stimulus: unknown): Promise<boolean> => {
    const text = canonical(stimulus);
    if (tried.has(text)) return false;
    tried.add(text);
    plays++;
    return stillBroken(stimulus);
  };

  let best = from;
  for (let smaller = true; smaller && left(); ) {
    smaller = false;
    for (const candidate of stimuli.shrink(best)) {
      if (!left()) break;
      if (await broken(candidate.value_)) {
        best = candidate;
        smaller = true;
        break;
      }
    }
  }

  let stimulus: unknown = best.value_;
  for (let smaller = true; smaller; ) {
    smaller = false;
    for (const path of droppable(stimulus)) {
      if (!left()) return { stimulus, minimal: false, plays };
      const candidate = without(stimulus, path);
      if (candidate !== undefined && valid(candidate) && (await broken(candidate))) {
        stimulus = candidate;
        smaller = true;
      }
    }
  }
  return { stimulus, minimal: true, plays };
}

type Path = readonly (string | number)[];

/** Where something could be dropped: outermost first, and in an array from its end, so that earlier paths stay true. */
export function droppable(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()].reverse() : Object.keys(value);
  const here = keys.map((key) => [...at, key]);
  const below = keys.flatMap((key) => droppable((value as Record<string | number, unknown>)[key], [...at, key]));
  return [...here, ...below];
}

/** The value without what stands at `path`; undefined when nothing stands there any more. */
export function without(value: unknown, [key, ...rest]: Path): unknown {
  if (typeof value !== 'object' || value === null || key === undefined || !(key in value)) return undefined;
  if (Array.isArray(value)) {
    if (rest.length === 0) return value.toSpliced(key as number, 1);
    const inner = without(value[key as number], rest);
    return inner === undefined ? undefined : value.with(key as number, inner);
  }
  const members = value as Record<string, unknown>;
  if (rest.length === 0) return Object.fromEntries(Object.entries(members).filter(([name]) => name !== key));
  const inner = without(members[key as string], rest);
  return inner === undefined ? undefined : { ...members, [key]: inner };
}
