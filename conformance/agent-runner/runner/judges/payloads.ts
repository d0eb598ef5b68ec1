// §7.2, §9: what each type of result carries.
import { isObject, type JsonObject } from '../../../../common/json.ts';
import type { ModelName } from '../../../../schemas/agent-runner/2026-06-03/types.ts';
import { hold, type Judge, judge } from '../../../judging/judge.ts';
import { objectAt } from '../grants.ts';
import { misfit } from '../models.ts';
import type { RunnerCase } from '../view.ts';

/** What is wrong beyond the model, in words. */
type More = (data: JsonObject) => string | undefined;

/** Every result of one type fits its payload model. */
const payload = (
  clause: string,
  type: string,
  model: ModelName,
  more: More = () => undefined,
  known: JsonObject = {},
): Judge<RunnerCase> =>
  judge(clause, function* ({ runs }) {
    for (const run of runs)
      for (const result of run.results) {
        if (result.type !== type) continue;
        const wrong = misfit(model, spared(result.object['data'] ?? {}, known)) ?? more(result.data);
        yield hold(wrong === undefined, result.n, {
          expected: `${type} with data that fits ${model}`,
          found: wrong ?? '',
        });
      }
  });

/** Texts whose value another clause judges are taken for right here: one fault is told once. */
const spared = (data: unknown, known: JsonObject): unknown =>
  isObject(data)
    ? { ...data, ...Object.fromEntries(Object.entries(known).filter(([key]) => typeof data[key] === 'string')) }
    : data;

/** What is empty names nothing. */
const named =
  (key: string): More =>
  (data) =>
    data[key] === '' ? `/${key}: expected a name, found ""` : undefined;

/** A message says whose it is. */
const roleIn =
  (key: string): More =>
  (data) =>
    named('role')(objectAt(data, key));

export const payloadJudges: readonly Judge<RunnerCase>[] = [
  payload('v1/7.2/message-delta-payload', 'message.delta', 'MessageDeltaData', roleIn('chunk')),
  payload('v1/7.2/message-completed-payload', 'message.completed', 'MessageCompletedData', roleIn('message')),
  payload('v1/7.2/tool-started-payload', 'tool.call.started', 'ToolCallStartedData'),
  payload('v1/7.2/tool-completed-payload', 'tool.call.completed', 'ToolCallCompletedData'),
  payload('v1/7.2/artifact-created-payload', 'artifact.created', 'ArtifactCreatedData', named('artifact_type')),
  payload('v1/7.2/state-updated-payload', 'state.updated', 'StateUpdatedData', undefined, { scope: 'conversation' }),
  payload('v1/7.2/action-requested-payload', 'action.requested', 'ActionRequestedData', named('action')),
  payload('v1/7.2/completed-payload', 'run.completed', 'RunCompletedData'),

  judge('v1/9/run-failed-shape', function* ({ runs }) {
    for (const run of runs)
      for (const { n, type, data } of run.results) {
        if (type !== 'run.failed') continue;
        const { code, message, error, retryable } = data;
        const shaped =
          typeof code === 'string' &&
          code !== '' &&
          (typeof message === 'string' || typeof error === 'string') &&
          (retryable === undefined || typeof retryable === 'boolean');
        yield hold(shaped, n, () => ({
          expected: 'a code that is not empty, a message (or error) text, and retryable a boolean where given',
          found: JSON.stringify({ code, message, error, retryable }),
        }));
      }
  }),
];
