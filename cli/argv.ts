// A target's command stands behind `--`; it is cut off before the options are read, so that nothing in it is taken for ours.

let behind: readonly string[] | undefined;

/** Splits at the first `--` and remembers what stood behind it. */
export function cutAtDashes(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('--');
  if (at === -1) return argv;
  behind = argv.slice(at + 1);
  return argv.slice(0, at);
}

/** The target's command and its arguments; undefined where no `--` was given. */
export const commandBehindDashes = (): readonly string[] | undefined => behind;

const TARGET_FLAGS = [
  '--reference',
  '--mutant',
  '--module',
  '--plugin',
  '--plugin-listen',
  '--runtime',
  '--runtime-url',
  '--host',
  '--host-url',
  '--host-listen',
  '--env',
  '--generation',
  // A configuration that was named holds the target, or part of it.
  '--config',
];
const WITH_VALUE = new Set([
  '--mutant',
  '--module',
  '--plugin-listen',
  '--runtime-url',
  '--host-url',
  '--host-listen',
  '--env',
  '--generation',
  '--config',
]);

/** The words that name the target on this command line, to be said again in a replay command. */
export function targetWords(argv: readonly string[] = process.argv.slice(2)): string[] {
  const at = argv.indexOf('--');
  const ours = at === -1 ? argv : argv.slice(0, at);
  const words = ours.flatMap((word, index) => {
    const [name] = word.split('=', 1);
    if (name === undefined || !TARGET_FLAGS.includes(name)) return [];
    const value = ours[index + 1];
    return WITH_VALUE.has(name) && !word.includes('=') && value !== undefined ? [word, value] : [word];
  });
  return at === -1 ? words : [...words, ...argv.slice(at)];
}
