// platform.request_action (§8): closed by default. Manifest, binding policy and the user's approval must all allow the action.
import { deny } from '../refusal.ts';
import { type ApiAction, argumentsOf } from './action.ts';

const requestAction: ApiAction = {
  api: 'platform.request_action',
  resource: ({ action }) => action,
  checkArguments: argumentsOf('PlatformActionRequest'),
  checkGrant: ({ action }, { session }) =>
    session.grants.platform.includes(action as string) ? undefined : deny('unauthorized'),
  perform: ({ action, target = null, payload = null }, { session }) => ({
    data: { result: { done: true } },
    deliveries: [
      {
        run_id: session.run.run_id,
        kind: 'action',
        content: { action: action as string, target, payload },
        surface: String(session.delivery['surface']),
        conversation_id: session.run.scope.conversation_id,
        reply_target: session.delivery['reply_target'] ?? null,
      },
    ],
  }),
};

export const platformActions: Readonly<Record<string, ApiAction>> = { platform_request_action: requestAction };
