// Turns of a conversation: which runs came before which, and the texts by which an earlier turn would be known.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { memo } from '../../../common/memo.ts';
import { holdsText, part } from '../oracle/context.ts';
import { textOf } from '../oracle/payload.ts';
import { fold } from './folded.ts';
import type { HostCase, HostRun, Submission } from './view.ts';

export interface Turn {
  readonly run: HostRun;
  readonly submission: Submission;
  readonly event: JsonObject;
  readonly binding: JsonObject;
  readonly context: JsonObject;
}

/** Every run of which it is known what began it. */
export const turnsOf = memo((view: HostCase): readonly Turn[] =>
  view.runs.flatMap((run) => {
    const { submission, context } = run;
    return submission === undefined
      ? []
      : [{ run, submission, event: submission.event, binding: submission.binding, context }];
  }),
);

const SHORTEST = 6;

/** What was said in each earlier turn of the conversation, that the present one does not itself bring. */
export function earlierTexts(view: HostCase, turn: Turn): readonly (readonly string[])[] {
  const conversation = turn.event['conversation_id'];
  if (typeof conversation !== 'string') return [];
  const told = [turn.event, turn.binding];
  return view.submissions.flatMap((submission) => {
    if (submission.n >= turn.submission.n || submission.event['conversation_id'] !== conversation) return [];
    const said =
      submission.run === undefined
        ? []
        : fold(view, submission.run)
            .items.filter(({ kind }) => kind === 'message')
            .map(({ content }) => textOf(content));
    const input = part(submission.event, 'input')['text'];
    const texts = [...(typeof input === 'string' ? [input] : []), ...said].filter(
      (text) => text.length >= SHORTEST && !holdsText(told, text),
    );
    return texts.length === 0 ? [] : [texts];
  });
}

/** All of a context but the state, where a runner may have put what it likes. */
export const withoutState = memo(({ state: _, ...rest }: JsonObject): JsonObject => rest);

export const access = (context: JsonObject): JsonObject => part(context, 'context');
export const availableApis = (context: JsonObject): JsonObject => part(context, 'context', 'available_apis');
export const isText = (value: unknown): value is string => typeof value === 'string';

/** The entries of a list that are objects. */
export const entries = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
