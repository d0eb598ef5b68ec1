// The calls of all blocks → one API surface: a call may be shown again, not otherwise; a family is no call.
import { sameJson } from '../../common/json.ts';
import type { Diagnostic } from '../diagnostics.ts';
import type { ApiCall } from '../model.ts';
import { isReservedWord } from './reserved.ts';

export function linkCalls(shown: readonly ApiCall[], report: (d: Diagnostic) => void): ApiCall[] {
  const calls = new Map<string, ApiCall>();
  const refuse = (call: ApiCall, code: string, message: string, remedy: string): void =>
    report({ severity: 'error', code, message, place: call.place, remedy });
  for (const call of shown) {
    const name = call.path.join('.');
    const earlier = calls.get(name);
    if (earlier === undefined) calls.set(name, call);
    else if (!sameJson(signatureOf(earlier), signatureOf(call)))
      refuse(
        call,
        'stated-twice',
        `The call ${name} is shown differently at ${earlier.place.file}:${earlier.place.line}.`,
        'Keep one of the two.',
      );
    for (const { name: parameter } of call.parameters)
      if (isReservedWord(parameter))
        refuse(call, 'reserved-name', `${parameter} is a word of JavaScript and no name of a parameter.`, 'Rename it.');
  }
  for (const call of calls.values()) {
    for (let length = 1; length < call.path.length; length++) {
      const family = call.path.slice(0, length).join('.');
      if (calls.has(family))
        refuse(call, 'call-is-family', `${family} is a call and cannot hold calls of its own.`, 'Rename one of them.');
    }
  }
  return [...calls.values()];
}

const signatureOf = ({ path, parameters, streams, returns }: ApiCall): unknown =>
  JSON.parse(
    JSON.stringify({ path, parameters, streams, returns }, (key, value) => (key === 'place' ? undefined : value)),
  );
