// §3, §5, §9: a runner meets whatever a lawful host may send, and answers that it did not wish for.
import { isObject, type JsonObject, sameJson } from '../../../../common/json.ts';
import { memo } from '../../../../common/memo.ts';
import { type Finding, type Judge, judge } from '../../../judging/judge.ts';
import { flags, objectAt } from '../grants.ts';
import { isAnswerTo, withoutUnknown } from '../models.ts';
import type { ApiReply, Call, Run, RunnerCase } from '../view.ts';
import { endsSoundly, undisturbed } from './endings.ts';
import { asItsTwin, essence, essenceWithout, lacking } from './twins.ts';

const SOUND = 'a stream that ends with one terminal result';

/** Every run on which the special thing shows, and no other trouble was made, must end soundly. */
const soundWhere = (clause: string, special: Special, also: (run: Run) => boolean = () => true): Judge<RunnerCase> =>
  judge(clause, function* (view) {
    for (const run of view.runs) if (SPECIAL[special](run.context) && also(run)) yield* soundFor(special, view, run);
  });

/** The same context with and without what stands at a path: the run without it does as well. */
const independentOf = (clause: string, path: readonly string[]): Judge<RunnerCase> => {
  const rest = essenceWithout((context) => lacking(context, path));
  return judge(clause, (view) =>
    asItsTwin(
      view,
      (plain, special) =>
        hasAt(plain.context, path) && !hasAt(special.context, path) && rest(plain.context) === rest(special.context),
      { expected: `run.completed, as with ${path.join('.')}` },
    ),
  );
};

export const toleranceJudges: readonly Judge<RunnerCase>[] = [
  soundWhere('v1/3/runner-other-host-major', 'version'),

  judge('v1/3/runner-reads-added-context-fields', (view) =>
    asItsTwin(
      view,
      (plain, special) =>
        !hasUnknown(plain.context) && hasUnknown(special.context) && essence(plain.context) === known(special.context),
      { expected: 'run.completed, as without the unknown fields' },
    ),
  ),

  judge('v1/3/runner-reads-added-answer-fields', (view) =>
    asItsTwin(
      view,
      (plain, special) => essence(plain.context) === essence(special.context) && answeredMore(plain, special),
      {
        expected: 'run.completed, as when the answers hold known fields only',
      },
    ),
  ),

  independentOf('v1/5.2/runner-without-adapter', ['adapter']),
  independentOf('v1/5.6/runner-without-message-chain', ['input', 'message_chain']),

  soundWhere('v1/5.5/optional-parties-tolerated', 'parties'),
  soundWhere('v1/5.6/any-input-tolerated', 'input'),

  judge('v1/4.3/multimodal-handled', (view) =>
    asItsTwin(
      view,
      (plain, special) =>
        objectAt(special.runner?.manifest ?? {}, 'capabilities')['multimodal_input'] === true &&
        !isMultimodal(plain.context) &&
        isMultimodal(special.context) &&
        withoutMedia(plain.context) === withoutMedia(special.context),
      { expected: 'run.completed, as for the text alone' },
    ),
  ),

  soundWhere('v1/4.3/event-context-handled', 'event', ({ context, runner }) => {
    const declared = objectAt(runner?.manifest ?? {}, 'capabilities')['event_context'] ?? true;
    return declared === true && !objectAt(context, 'input')['text'];
  }),

  judge('v1/5.9/runtime-optionals-tolerated', (view) =>
    asItsTwin(
      view,
      (plain, special) =>
        RUNTIME_OPTIONALS.some((name) => hasAt(plain.context, ['runtime', name])) &&
        RUNTIME_OPTIONALS.some((name) => !hasAt(special.context, ['runtime', name])) &&
        withoutRuntimeOptionals(plain.context) === withoutRuntimeOptionals(special.context),
      { expected: SOUND, mayFail: true },
    ),
  ),

  judge('v1/5.10/runner-without-state', function* (view) {
    for (const run of view.runs) if (stateless(run.context)) yield* soundFor('state', view, run);
    yield* asItsTwin(
      view,
      (plain, special) =>
        !stateless(plain.context) &&
        stateless(special.context) &&
        withoutState(plain.context) === withoutState(special.context),
      { expected: 'run.completed, as with state' },
    );
  }),

  judge('v1/9/runner-survives-errors', (view) => eachReply(view, (reply) => isError(reply))),
  judge('v1/9/runner-survives-malformed-answers', (view) => eachReply(view, isMalformed)),
];

/** What a context holds of what the protocol names. */
const known = essenceWithout(withoutUnknown);
const hasUnknown = memo((context: JsonObject) => !sameJson(context, withoutUnknown(context)));

/** In which ways a context is out of the ordinary, each with a clause of its own. */
type Special = 'version' | 'parties' | 'input' | 'event' | 'state';

const SPECIAL: Readonly<Record<Special, (context: JsonObject) => boolean>> = {
  version: (context) => {
    const version = objectAt(context, 'runtime')['protocol_version'];
    return typeof version === 'string' && version !== '1';
  },
  parties: (context) =>
    ['conversation', 'actor', 'subject'].some((party) => context[party] === undefined || context[party] === null),
  input: (context) => {
    const { text, contents, attachments } = objectAt(context, 'input');
    return typeof text !== 'string' || text === '' || listHolds(contents, isMedium) || !isEmpty(attachments);
  },
  event: (context) => objectAt(context, 'event')['event_type'] !== 'message.received',
  state: (context) => stateless(context),
};

/** What else may explain a failure: an event without a message has no text, and most contexts have no state. */
const ALSO: Readonly<Record<Special, readonly Special[]>> = {
  version: ['parties', 'input', 'event'],
  parties: ['version', 'input', 'event'],
  input: ['version', 'parties', 'event'],
  event: ['version', 'parties'],
  state: ['version', 'parties', 'input', 'event'],
};

/** The run ended soundly. Where it did not, and something else may be the reason, that clause speaks and this one does not. */
function* soundFor(special: Special, view: RunnerCase, run: Run): Iterable<Finding> {
  if (!undisturbed(view, run)) return;
  const finding = endsSoundly(run, SOUND);
  const nonsense = (call: Call): boolean =>
    call.replies.some((reply) => isMalformed(reply, call) || isBare(reply, call));
  const elsewhere = (): boolean =>
    ALSO[special].some((other) => SPECIAL[other](run.context)) || run.calls.some(nonsense);
  if (finding.kind !== 'broken' || !elsewhere()) yield finding;
}

/** For each reply that is such a one: the run ended soundly all the same. */
function* eachReply(view: RunnerCase, such: (reply: ApiReply, call: Call) => boolean): Iterable<Finding> {
  for (const run of view.runs)
    for (const call of run.calls)
      for (const reply of call.replies)
        if (such(reply, call))
          yield endsSoundly(run, `${SOUND}, whatever ${call.action} was answered`, [call.n, reply.n]);
}

const isError = ({ code, data }: ApiReply): boolean =>
  code !== 0 && code !== undefined && typeof objectAt(data, 'error')['code'] === 'string';

function isMalformed({ code, raw }: ApiReply, { action, data }: Call): boolean {
  if (code === 0) return raw['chunk_status'] !== 'end' && !isAnswerTo(action, data, raw['data']);
  return !isObject(raw['data']) || !isObject(raw['data']['error']);
}

/** An answer that leaves everything to defaults may be lawful, and is a reason of its own to fail. */
const isBare = ({ code, data, raw }: ApiReply, { action }: Call): boolean =>
  code === 0 && !/^(set|delete)_/.test(action) && raw['chunk_status'] !== 'end' && Object.keys(data).length === 0;

/** Did the answers of one run hold fields that those of the other did not? */
function answeredMore(plain: Run, special: Run): boolean {
  const known = new Map<string, Set<string>>();
  for (const { action, replies } of plain.calls)
    for (const { code, data } of replies)
      if (code === 0) known.set(action, new Set([...(known.get(action) ?? []), ...Object.keys(data)]));
  return special.calls.some(({ action, replies }) =>
    replies.some(
      ({ code, data }) =>
        code === 0 && known.has(action) && Object.keys(data).some((key) => !known.get(action)!.has(key)),
    ),
  );
}

const isMedium = (element: unknown): boolean => isObject(element) && element['type'] !== 'text';
const listHolds = (value: unknown, such: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.some(such);
const isEmpty = (value: unknown): boolean => !Array.isArray(value) || value.length === 0;

function hasAt(value: JsonObject, [key, ...rest]: readonly string[]): boolean {
  const member = value[key!];
  if (rest.length === 0) return member !== undefined && member !== null;
  return isObject(member) && hasAt(member, rest);
}

const isMultimodal = (context: JsonObject): boolean => {
  const input = objectAt(context, 'input');
  return !isEmpty(input['attachments']) || listHolds(input['contents'], isMedium);
};
const withoutMedia = essenceWithout((context) =>
  lacking(lacking(context, ['input', 'contents']), ['input', 'attachments']),
);

const RUNTIME_OPTIONALS = ['deadline_at', 'locale', 'timezone', 'langbot_version', 'static_refs'] as const;
const withoutRuntimeOptionals = essenceWithout((context) =>
  RUNTIME_OPTIONALS.reduce((rest, name) => lacking(rest, ['runtime', name]), context),
);

/** All four scopes empty, or state not granted. */
const stateless = (context: JsonObject): boolean =>
  flags(context)['state'] !== true ||
  Object.values(objectAt(context, 'state')).every((scope) => !isObject(scope) || Object.keys(scope).length === 0);
const withoutState = essenceWithout((context) =>
  lacking(lacking(context, ['state']), ['context', 'available_apis', 'state']),
);
