// Differences of the API surface. Who calls writes the parameters and reads the answer.
import { sameJson } from '../../common/json.ts';
import { pythonText, typeText } from '../check.ts';
import type { ApiCall, ApiParameter, Protocol } from '../model.ts';
import type { SpecChange } from './change.ts';
import { typeChange } from './models.ts';
import { type Models, relationOf } from './subtype.ts';

const parameterText = ({ name, default: fallback }: ApiParameter): string =>
  fallback === undefined ? name : `${name}=${pythonText(fallback)}`;
const callText = (call: ApiCall): string => `${call.path.join('.')}(${call.parameters.map(parameterText).join(', ')})`;

export function diffApi(x: Protocol, y: Protocol, before: Models, after: Models): SpecChange[] {
  const key = (call: ApiCall): string => call.path.join('.');
  const old = new Map(x.api.map((call) => [key(call), call]));
  const fresh = new Map(y.api.map((call) => [key(call), call]));
  const changes: SpecChange[] = [];
  for (const [name, call] of old) {
    const other = fresh.get(name);
    if (other !== undefined) changes.push(...diffCall(call, other, before, after));
    else
      changes.push({
        kind: 'call-removed',
        subject: `api.${name}`,
        breaks: ['writer'],
        why: 'Who calls it gets an error.',
        before: { text: callText(call), place: call.place },
        todo: { writer: `Stop calling api.${name}.` },
      });
  }
  for (const [name, call] of fresh) {
    if (!old.has(name))
      changes.push({
        kind: 'call-added',
        subject: `api.${name}`,
        breaks: [],
        why: 'Nobody depends on a call that is new.',
        after: { text: callText(call), place: call.place },
        todo: {},
      });
  }
  return changes;
}

function diffCall(x: ApiCall, y: ApiCall, before: Models, after: Models): SpecChange[] {
  const name = `api.${x.path.join('.')}`;
  const sides = { before: { text: callText(x), place: x.place }, after: { text: callText(y), place: y.place } };
  const changes: SpecChange[] = [];
  const renamed = renamedParameters(x, y);
  for (const parameter of x.parameters) {
    const subject = `${name}(${parameter.name})`;
    const other = y.parameters.find((candidate) => candidate.name === parameter.name);
    const successor = renamed.get(parameter.name);
    if (successor !== undefined)
      changes.push({
        kind: 'parameter-renamed',
        subject,
        breaks: ['writer'],
        why: `It is ${successor} now: who gives it by name is refused.`,
        ...sides,
        todo: { writer: `Give ${name} its ${parameter.name} as ${successor}.` },
      });
    else if (other === undefined)
      changes.push({
        kind: 'parameter-removed',
        subject,
        breaks: ['writer'],
        why: 'Who gives it is refused, or it is ignored.',
        ...sides,
        todo: { writer: `Call ${name} without ${parameter.name}.` },
      });
    else if (parameter.default === undefined && other.default !== undefined)
      changes.push({
        kind: 'parameter-made-optional',
        subject,
        breaks: ['reader'],
        why: 'Who answers may get a call without it.',
        ...sides,
        todo: { reader: `Take ${pythonText(other.default)} where ${parameter.name} is not given.` },
      });
    else if (parameter.default !== undefined && other.default === undefined)
      changes.push({
        kind: 'parameter-made-required',
        subject,
        breaks: ['writer'],
        why: 'Who leaves it out is refused.',
        ...sides,
        todo: { writer: `Always give ${name} its ${parameter.name}.` },
      });
    else if (!sameJson(parameter.default ?? null, other.default ?? null))
      changes.push({
        kind: 'parameter-default-changed',
        subject,
        breaks: ['writer'],
        why: 'Who leaves it out gets something else than before.',
        ...sides,
        todo: {
          writer: `Give ${name} its ${parameter.name} where you counted on ${pythonText(parameter.default ?? null)}.`,
        },
      });
  }
  for (const parameter of y.parameters) {
    if (
      x.parameters.some((candidate) => candidate.name === parameter.name) ||
      [...renamed.values()].includes(parameter.name)
    )
      continue;
    const required = parameter.default === undefined;
    changes.push({
      kind: 'parameter-added',
      subject: `${name}(${parameter.name})`,
      breaks: required ? ['writer'] : [],
      why: required ? 'Who calls without it is refused.' : 'It need not be given.',
      ...sides,
      todo: required ? { writer: `Give ${name} its ${parameter.name}.` } : {},
    });
  }
  const kept = (call: ApiCall, other: ApiCall): string[] =>
    call.parameters.map((p) => p.name).filter((p) => other.parameters.some((candidate) => candidate.name === p));
  if (!sameJson(kept(x, y), kept(y, x)))
    changes.push({
      kind: 'parameters-reordered',
      subject: name,
      breaks: ['writer'],
      why: 'Who gives them by position gives the wrong ones.',
      ...sides,
      todo: { writer: 'Give the parameters by name.' },
    });
  if (x.streams !== y.streams)
    changes.push({
      kind: 'call-streams-changed',
      subject: name,
      breaks: ['writer', 'reader'],
      why: 'One side streams and the other does not.',
      ...sides,
      todo: {
        writer: `Read the answer of ${name} ${y.streams ? 'as a stream' : 'at once'}.`,
        reader: `Answer ${name} ${y.streams ? 'as a stream' : 'at once'}.`,
      },
    });
  if (x.returns !== undefined && y.returns !== undefined) {
    const relation = relationOf(x.returns, before, y.returns, after);
    if (relation !== 'equal')
      changes.push(
        typeChange(
          'answer-changed',
          name,
          relation,
          { text: typeText(x.returns), place: x.place },
          { text: typeText(y.returns), place: y.place },
        ),
      );
  }
  return changes;
}

/** One that went and one that came, at the same place and with the same default. */
function renamedParameters(x: ApiCall, y: ApiCall): Map<string, string> {
  const named = (call: ApiCall, name: string): boolean => call.parameters.some((parameter) => parameter.name === name);
  return new Map(
    x.parameters.flatMap((parameter, index): [string, string][] => {
      const other = y.parameters[index];
      if (other === undefined || named(y, parameter.name) || named(x, other.name)) return [];
      return sameJson(parameter.default ?? null, other.default ?? null) &&
        (parameter.default === undefined) === (other.default === undefined)
        ? [[parameter.name, other.name]]
        : [];
    }),
  );
}
