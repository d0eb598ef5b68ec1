// The numbers behind the host's guards. A host declares them in `driver_hello`; a runner learns of them by being refused.
export interface HostLimits {
  /** Characters (code points) of a state key. */
  readonly state_key_chars: number;
  /** UTF-8 bytes of a state value as compact JSON. */
  readonly state_value_bytes: number;
  readonly history_page_items: number;
  readonly event_page_items: number;
  /** Bytes of an artifact in one answer. */
  readonly artifact_read_bytes: number;
  /** UTF-8 bytes of one result as compact JSON. */
  readonly result_bytes: number;
  /** Host API calls of one run within any second. */
  readonly calls_per_second: number;
  /** UTF-8 bytes of everything that one call carries, as compact JSON. */
  readonly call_bytes: number;
  /** Bytes of event data that travel inline; what is larger becomes an artifact. */
  readonly inline_bytes: number;
  /** Results of one run; a runner that sends more is flooding. */
  readonly run_results: number;
  /** Milliseconds that a run may take where its binding does not say. */
  readonly run_ms: number;
}

export const DEFAULT_LIMITS: HostLimits = {
  state_key_chars: 128,
  state_value_bytes: 16_384,
  history_page_items: 20,
  event_page_items: 20,
  artifact_read_bytes: 32_768,
  result_bytes: 131_072,
  calls_per_second: 100,
  call_bytes: 1_048_576,
  inline_bytes: 32_768,
  run_results: 20_000,
  run_ms: 300_000,
};

/** UTF-8 bytes of a value as compact JSON. What is nested too deep to be written is larger than anything. */
export function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '');
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Characters as a reader counts them: code points, not UTF-16 units. */
export function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
