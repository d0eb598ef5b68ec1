// The 113 event classes and the 42 commands, as the specification lists them.
import { tables } from '../../schemas/agent-runtime/0.3.9/api.ts';

const rowsOf = (section: string, first: string): readonly (readonly string[])[] =>
  tables.find((table) => table.section === section && table.columns[0] === first)?.rows ?? [];

/** Event class → payload model and family (EVENTS.md §5.8). */
export const catalogue: ReadonlyMap<string, { readonly payload: string; readonly family: string }> = new Map(
  rowsOf('5.8', 'event').map(([type, payload, family]) => [type!, { payload: payload!, family: family! }]),
);

export const eventClasses: readonly string[] = [...catalogue.keys()];
/** Is it a class of the standard? Anything else is a vendor's own. */
export const isKnown = (type: string): boolean => catalogue.has(type);

export const families: readonly string[] = [...new Set([...catalogue.values()].map(({ family }) => family))];

/** Command → input model, and whether it changes anything (COMMANDS.md §6.1). */
export const commands: ReadonlyMap<string, { readonly input: string; readonly kind: 'change' | 'query' }> = new Map(
  rowsOf('6.1', 'command').map(([name, input, , kind]) => [
    name!,
    { input: input!, kind: kind === 'query' ? 'query' : 'change' },
  ]),
);

export const PROTOCOL = 'agent-runtime';
export const REVISION = '0.3.9';
