// The trials of the wire as they are, without a mutant: codecs in honest and in hostile hands.
import { expect, test } from 'vitest';
import { wireTrials } from './wire.ts';

test.each(wireTrials())('$id', { timeout: 60_000 }, async ({ run }) => {
  expect((await run()).broken).toBeUndefined();
});

test.each(['S', 'J', 'A'])('a Runtime that lists its runners as %s does is known by that', async (generation) => {
  const trial = wireTrials().find(({ id }) => id.startsWith(`runtime-on-runtime-${generation}/`));
  expect((await trial?.run())?.decided).toContain(`generation:${generation}`);
});
