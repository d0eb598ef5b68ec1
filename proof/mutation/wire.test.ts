// The trials of the wire as they are, without a mutant: codecs in honest and in hostile hands.
import { expect, test } from 'vitest';
import { wireTrials } from './wire.ts';

test.each(wireTrials())('$id', { timeout: 60_000 }, async ({ run }) => {
  expect((await run()).broken).toBeUndefined();
});
