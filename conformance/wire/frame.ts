// LangBot frames: a request, or a response to one. The two directions number their requests apart.
import { isObject, type JsonObject } from '../../common/json.ts';

export interface RequestFrame {
  readonly seq_id: number;
  readonly action: string;
  readonly data: JsonObject;
}

export interface ResponseFrame {
  readonly seq_id: number;
  /** 0 is success; every error is 1. */
  readonly code: number;
  readonly message: string;
  readonly data: JsonObject;
  readonly chunk_status: 'continue' | 'end';
}

/** What an inbound object is. A (dev/4.11) looks for `code` first, S and J for `action`; only an object with both tells them apart. */
export function kindOf(frame: JsonObject, codeFirst = false): 'request' | 'response' | 'neither' {
  const request = 'action' in frame;
  const response = 'code' in frame;
  if (request && response) return codeFirst ? 'response' : 'request';
  return request ? 'request' : response ? 'response' : 'neither';
}

export const success = (
  seq_id: number,
  data: JsonObject,
  chunk_status: 'continue' | 'end' = 'continue',
): JsonObject => ({
  seq_id,
  code: 0,
  message: 'success',
  data,
  chunk_status,
});

export const failure = (seq_id: number, message: string, data: JsonObject = {}): JsonObject => ({
  seq_id,
  code: 1,
  message,
  data,
  chunk_status: 'continue',
});

export const dataOf = (frame: JsonObject): JsonObject => (isObject(frame['data']) ? frame['data'] : {});
