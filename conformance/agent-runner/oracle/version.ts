// Version negotiation and discovery (§3, §4.1): which offered runners a host lists, leaves out, or treats as it likes.
import type { Offered } from './manifest.ts';

export const MAJOR = '1';

/**
 * `listed` and `incompatible` are duties; `broken` entries should be left out;
 * `free`: the documents leave it to the host (a required field missing, or two entries of one id).
 */
export type Negotiated = 'listed' | 'incompatible' | 'broken' | 'free';

export function negotiate(offered: Offered, all: readonly Offered[]): Negotiated {
  if (typeof offered.version === 'string' && offered.version !== MAJOR && offered.id !== undefined) {
    return all.some((other) => other !== offered && other.id === offered.id) ? 'free' : 'incompatible';
  }
  if (offered.fit === 'broken') return 'broken';
  if (offered.fit === 'lean' || all.some((other) => other !== offered && other.id === offered.id)) return 'free';
  return 'listed';
}
