// platform.request_action (§8): closed by default. Manifest, binding policy and the user's approval must all allow the action.
import { placeFor } from '../delivery.ts';
import { deny } from '../refusal.ts';
import { type ApiAction, argumentsOf } from './action.ts';

const requestAction: ApiAction = {
  api: 'platform.request_action',
  resource: ({ action }) => action,
  checkArguments: argumentsOf('PlatformActionRequest'),
  checkGrant: ({ action }, { session }) =>
    session.grants.platform.includes(action as string) ? undefined : deny('unauthorized'),
  perform: ({ action, target = null, payload = null }, { session }) => ({
    data: { result: null },
    deliveries: [{ ...placeFor(session), kind: 'action', content: { action: action as string, target, payload } }],
  }),
};

export const platformActions: Readonly<Record<string, ApiAction>> = { platform_request_action: requestAction };
