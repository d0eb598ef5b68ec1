// Texts with a blank in them are words for people: no clause asks for any wording, while names, codes and values of the protocol have no blank.
// They are not mutated: each would be played against every stimulus that reaches it, to no end.
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Why Stryker was told to leave a mutant out. */
export const WORDS = 'words for people';

interface Path {
  readonly node: {
    readonly type: string;
    readonly value?: unknown;
    readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
  };
}

const isWords = (text: string): boolean => /\S\s/.test(text);

const shouldIgnore = ({ node: { type, value, quasis = [] } }: Path): string | undefined => {
  const words =
    (type === 'StringLiteral' && isWords(String(value))) ||
    (type === 'TemplateLiteral' && quasis.some((quasi) => isWords(quasi.value.raw)));
  return words ? WORDS : undefined;
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'words', { shouldIgnore })];
