// Names that Python allows and TypeScript does not take for a type or a parameter.

const TYPES_OF_TYPESCRIPT = 'any bigint boolean never number object string symbol undefined unknown void';
const WORDS_OF_JAVASCRIPT =
  'arguments case catch const debugger default delete do enum eval export extends false function implements ' +
  'instanceof interface let new null package private protected public static super switch this throw true typeof var';

const words = new Set(WORDS_OF_JAVASCRIPT.split(' '));
const types = new Set([...words, ...TYPES_OF_TYPESCRIPT.split(' ')]);

/** What was meant, most likely, by a type that is not one of Python. */
const MEANT: Readonly<Record<string, string>> = {
  any: 'Any',
  bigint: 'int',
  boolean: 'bool',
  null: 'None',
  number: 'float, or int',
  object: 'dict[str, Any]',
  string: 'str',
  undefined: 'None',
  unknown: 'Any',
  void: 'None',
};

export const isReservedType = (name: string): boolean => types.has(name);
export const isReservedWord = (name: string): boolean => words.has(name);
export const meant = (name: string): string | undefined => (Object.hasOwn(MEANT, name) ? MEANT[name] : undefined);
