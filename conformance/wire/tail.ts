// The end of a stream of text that may be endless: bounded, with a count of what it left out.

export class Tail {
  #limit: number;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  /** All bytes that came. */
  bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  write(chunk: Buffer): void {
    this.bytes += chunk.length;
    const piece = chunk.length > this.#limit ? chunk.subarray(chunk.length - this.#limit) : chunk;
    this.#kept.push(Buffer.from(piece));
    this.#keptBytes += piece.length;
    while (this.#keptBytes - (this.#kept[0]?.length ?? 0) >= this.#limit)
      this.#keptBytes -= this.#kept.shift()?.length ?? 0;
    // Many small chunks: join them now and then, so that the list stays short.
    if (this.#kept.length > 256) this.#kept = [Buffer.concat(this.#kept)];
  }

  /** The last `limit` bytes as text; broken UTF-8 shows as replacement characters. */
  get text(): string {
    const whole = Buffer.concat(this.#kept);
    return whole.subarray(Math.max(0, whole.length - this.#limit)).toString('utf8');
  }
}
