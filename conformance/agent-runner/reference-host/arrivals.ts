// Frames in the order in which they came. A result waits in its stream's queue until the run takes it, while a call would be
// answered at once; a runner that sent a result and then asks about it must find it there. So a call first lets its run catch up.
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { Answer, PeerOptions } from '../../wire/peer.ts';

interface Stream {
  readonly runId: string;
  arrived: number;
  taken: number;
}

export class Arrivals {
  #streams = new Map<unknown, Stream>();
  #waiting: (() => void)[] = [];
  #malformed: (runId: string) => void;

  /** `malformed` hears of frames that the peer drops because they hold no result at all. */
  constructor(malformed: (runId: string) => void) {
    this.#malformed = malformed;
  }

  readonly watch: NonNullable<PeerOptions['watch']> = {
    sent: ({ action, seq_id, data }) => {
      if (action === 'run_agent') this.#streams.set(seq_id, { runId: runIdIn(data), arrived: 0, taken: 0 });
    },
    received: ({ action, seq_id, data, code, chunk_status }) => {
      const stream = action === undefined ? this.#streams.get(seq_id) : undefined;
      if (stream === undefined || !Number.isInteger(code)) return;
      if (!isObject(data)) this.#malformed(stream.runId);
      else if (code !== 0 || chunk_status !== 'end') stream.arrived++;
    },
  };

  /** Passes the answers of a run's stream on, and knows how many were taken. */
  async *follow(request: JsonObject, answers: AsyncIterable<Answer>): AsyncGenerator<Answer> {
    const runId = runIdIn(request);
    try {
      for await (const answer of answers) {
        yield answer;
        const stream = this.#of(runId)?.[1];
        if (stream !== undefined) stream.taken++;
        this.#wake();
      }
    } finally {
      const seq = this.#of(runId)?.[0];
      if (seq !== undefined) this.#streams.delete(seq);
      this.#wake();
    }
  }

  /** Resolves when every result that has arrived so far, of this run or of all, was taken. */
  async caughtUp(runId?: unknown): Promise<void> {
    const behind = [...this.#streams].filter(
      ([, stream]) => (runId === undefined || stream.runId === runId) && stream.taken < stream.arrived,
    );
    for (const [seq, stream] of behind) {
      const goal = stream.arrived;
      while (this.#streams.get(seq) === stream && stream.taken < goal)
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #of(runId: string): [unknown, Stream] | undefined {
    for (const entry of this.#streams) if (entry[1].runId === runId) return entry;
    return undefined;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** The run that a request of this host is for. */
const runIdIn = (data: JsonObject[string]): string =>
  (data as { readonly context: { readonly run_id: string } }).context.run_id;
