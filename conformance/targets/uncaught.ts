// Errors in a target in this process that nobody catches: a promise left rejected, a throw in a timer. A process of its own
// would die of them; here they must end the target and not Runcert.

type Hear = (words: string) => void;

/** Of the sessions that are open; the latest one is being played. */
const hearers: Hear[] = [];

/** Hears what nobody caught, until what it returns is called; that waits for errors that are on their way. */
export function hearUncaught(hear: Hear): () => Promise<void> {
  if (hearers.length === 0) process.setUncaughtExceptionCaptureCallback((error) => hearers.at(-1)?.(wordsOf(error)));
  hearers.push(hear);
  return async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const at = hearers.indexOf(hear);
    if (at !== -1) hearers.splice(at, 1);
    if (hearers.length === 0) process.setUncaughtExceptionCaptureCallback(null);
  };
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
