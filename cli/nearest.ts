// "Did you mean …?": the names that differ least from what was typed.

/** At most three names, the nearest first; none where nothing is near. */
export function nearest(typed: string, names: readonly string[]): string[] {
  const wanted = typed.toLowerCase();
  return names
    .map((name) => ({
      name,
      distance: name.toLowerCase().includes(wanted) ? 0.5 : editDistance(wanted, name.toLowerCase()),
    }))
    .filter(({ distance }) => distance <= Math.max(2, wanted.length / 4))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, char] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries())
      next.push(
        Math.min((row[j + 1] as number) + 1, (next[j] as number) + 1, (row[j] as number) + (char === other ? 0 : 1)),
      );
    row = next;
  }
  return row[b.length] as number;
}
