// Clause globs: `*` within a part, `**` across parts, `?` one character.

/** True for a name that any of the patterns matches. */
export function globs(patterns: readonly string[]): (name: string) => boolean {
  const matchers = patterns.map(toRegExp);
  return (name) => matchers.some((matcher) => matcher.test(name));
}

function toRegExp(pattern: string): RegExp {
  const source = pattern.replace(/\*\*|[*?]|[.+^${}()|[\]\\]/g, (found) => {
    if (found === '**') return '.*';
    if (found === '*') return '[^/]*';
    if (found === '?') return '[^/]';
    return `\\${found}`;
  });
  return new RegExp(`^${source}$`, 'u');
}
