// Small breaks of the reference host around its API: one check left out, one answer changed.
import { isObject, type JsonObject } from '../../../../common/json.ts';
import type { Mutant } from '../../../driving/suite.ts';
import type { Answered, ApiAction, CallScene } from '../../reference-host/api/action.ts';
import { API_ACTIONS } from '../../reference-host/api/table.ts';
import { type Admission, admissionChecks } from '../../reference-host/calls.ts';
import { HOST_PARTS, type HostParts } from '../../reference-host/parts.ts';
import { type Denial, deny } from '../../reference-host/refusal.ts';
import { referenceHostTarget } from '../../reference-host/target.ts';

/** A host with these parts in place of its own. */
export const mutant = (id: string, what: string, clauses: readonly string[], parts: Partial<HostParts>): Mutant => ({
  id: `host/${id}`,
  what,
  clauses,
  target: () => referenceHostTarget({ parts }),
});

export const familyOf = (action: ApiAction): string => action.api.slice(0, action.api.indexOf('.'));

/** The table of actions with some of them changed. */
export const withActions = (
  concerns: (action: ApiAction, name: string) => boolean,
  change: (action: ApiAction) => ApiAction,
): Partial<HostParts> => ({
  actions: Object.fromEntries(
    Object.entries(API_ACTIONS).map(([name, action]) => [name, concerns(action, name) ? change(action) : action]),
  ),
});

export const ofFamily =
  (family: string) =>
  (action: ApiAction): boolean =>
    familyOf(action) === family;
export const named =
  (...names: readonly string[]) =>
  (_: ApiAction, name: string): boolean =>
    names.includes(name);

/** The answer of these actions, changed after the fact. */
export const answering = (
  names: readonly string[],
  change: (answered: Answered, data: JsonObject, scene: CallScene) => Answered,
): Partial<HostParts> =>
  withActions(named(...names), (action) => ({
    ...action,
    perform: (data, scene) => change(action.perform(data, scene), data, scene),
  }));

/** The same for answers that are one object. */
export const changing = (
  name: string,
  change: (data: JsonObject, asked: JsonObject, scene: CallScene) => JsonObject,
): Partial<HostParts> =>
  answering([name], (answered, asked, scene) => ({ ...answered, data: change(answered.data ?? {}, asked, scene) }));

/** Lets calls in that should not be: those without a session are answered with nothing. */
export const lettingIn = (
  lets: (admission: Admission) => boolean,
  concerns: (action: ApiAction) => boolean = () => true,
): Partial<HostParts> => ({
  admission: Object.fromEntries(
    Object.entries(admissionChecks).map(([name, check]) => [
      name,
      (admission: Admission) => (lets(admission) ? undefined : check(admission)),
    ]),
  ) as HostParts['admission'],
  answer: (action, data, scene) => {
    if ((scene.session as unknown) !== undefined) return HOST_PARTS.answer(action, data, scene);
    if (!concerns(action)) return deny('unauthorized');
    return action.streams ? { stream: [] } : { data: {} };
  },
});

export const admitting = (change: Partial<HostParts['admission']>): Partial<HostParts> => ({
  admission: { ...admissionChecks, ...change },
});

export const isDenied = (answered: Answered | Denial): answered is Denial => 'code' in answered;

/** Says another code than it should. */
export const miscoding = (from: string, to: string): Partial<HostParts> => ({
  refusalOf: (denial) => {
    const refusal = HOST_PARTS.refusalOf(denial);
    const { error } = refusal.data;
    if (denial.code === from && isObject(error)) Object.assign(refusal, { data: { error: { ...error, code: to } } });
    return refusal;
  },
});

/** Changes the error that a refusal carries. */
export const misstating = (change: (error: JsonObject) => JsonObject): Partial<HostParts> => ({
  refusalOf: (denial) => {
    const refusal = HOST_PARTS.refusalOf(denial);
    const { error } = refusal.data;
    return Object.assign(refusal, { data: change(isObject(error) ? error : {}) });
  },
});
