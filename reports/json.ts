// The outcome itself, as it is saved.
import type { Reporter } from './extras.ts';

export const json: Reporter = (outcome) => `${JSON.stringify(outcome, null, 2)}\n`;
