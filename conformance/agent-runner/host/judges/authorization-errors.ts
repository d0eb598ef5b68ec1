// §9: what a refusal says. The code tells the reason, the shape is AgentAPIError, and nothing slips out with it.
import { isObject, type JsonValue } from '../../../../common/json.ts';
import { memo } from '../../../../common/memo.ts';
import { broken, type Finding, hold, type Judge, judge, kept } from '../../../judging/judge.ts';
import { acceptable, ERROR_CODES, type Wrong } from '../../oracle/authorization.ts';
import { apiOf, resourceOf } from '../../oracle/calls.ts';
import { jsonText } from '../../oracle/measure.ts';
import { marksIn } from '../effects.ts';
import type { HostCase } from '../view.ts';
import { type Assessed, assess, isThrottled } from './authorization-assess.ts';
import { rateCodes } from './authorization-limits.ts';
import { answeredIn, brief, proofOf } from './authorization-refusals.ts';
import { inventoryOf } from './authorization-world.ts';

const refusals = memo((view: HostCase): readonly Assessed[] => assess(view).filter((one) => one.refusal !== undefined));

function* shape(view: HostCase): Iterable<Finding> {
  for (const one of refusals(view)) {
    const { error } = one;
    const isText = (value: JsonValue | undefined): boolean => typeof value === 'string' && value !== '';
    const wrong =
      error === undefined
        ? 'no object in data.error'
        : !isText(error['code'])
          ? `code is ${brief(error['code'])}`
          : !isText(error['message'])
            ? `message is ${brief(error['message'])}`
            : error['retryable'] !== undefined && typeof error['retryable'] !== 'boolean'
              ? `retryable is ${brief(error['retryable'])}`
              : error['details'] !== undefined && !isObject(error['details'])
                ? `details is ${brief(error['details'])}`
                : undefined;
    yield hold(wrong === undefined, proofOf(one), () => ({
      expected: 'a refusal with data.error {code, message, retryable, details}',
      found: `${wrong}; data is ${brief(one.refusal?.data)}`,
    }));
  }
}

/** Each refusal of a call that is wrong in just these ways has a code of these. */
function* codes(
  view: HostCase,
  these: readonly Wrong[],
  concerns: (one: Assessed) => boolean = () => true,
): Iterable<Finding> {
  // Refusing everything alike is no code for anything.
  const answered = answeredIn(view);
  for (const one of refusals(view)) {
    if (one.error === undefined || isThrottled(one) || one.wrongs.length === 0 || !concerns(one)) continue;
    if (!one.wrongs.every((wrong) => these.includes(wrong)) || one.doubts.some((doubt) => !MERE.has(doubt))) continue;
    const right = acceptable(one.wrongs);
    if (right.has(String(one.code)) && !answered.has(one.action)) continue;
    yield hold(right.has(String(one.code)), proofOf(one), () => ({
      expected: `${[...right].join(' or ')} (${one.action}: ${one.wrongs.join(', ')})`,
      found: brief(one.error),
    }));
  }
}
/** Doubts that leave the code of a wrong call as it is. */
const MERE: ReadonlySet<string> = new Set(['a key that is not there']);

const NO_RIGHT: readonly Wrong[] = [
  'run-missing',
  'run-unknown',
  'run-ended',
  'identity-other',
  'identity-missing',
  'resource',
  'operation',
  'scope',
  'unknown-scope',
  'conversation',
];

/** On what does not exist: an absent event or artifact, or an id that the host's inventory does not have. */
const isAbsent = (one: Assessed): boolean =>
  one.wrongs.includes('absent') || (one.wrongs.includes('resource') && one.exists === false);

function* deadlineCode(view: HostCase): Iterable<Finding> {
  for (const one of refusals(view)) {
    const run = one.run;
    if (one.error === undefined || run?.deadline === undefined || one.call.at <= run.deadline || isThrottled(one))
      continue;
    if (!one.wrongs.every((wrong) => wrong === 'deadline' || wrong === 'run-ended')) continue;
    if (one.doubts.some((doubt) => doubt !== 'near the deadline' && !MERE.has(doubt))) continue;
    const answered = answeredIn(view).has(one.action);
    const right = isStillKnown(view, one) ? ['deadline_exceeded'] : ['deadline_exceeded', 'unauthorized', 'not_found'];
    if (right.includes(String(one.code)) && !answered) continue;
    yield hold(right.includes(String(one.code)), proofOf(one), () => ({
      expected: `${right.join(' or ')} for ${one.action} after the deadline`,
      found: brief(one.error),
    }));
  }
}

/** Does the host show the session as active, after the call was answered? */
const isStillKnown = (view: HostCase, one: Assessed): boolean =>
  view.observations.some(
    ({ n, shown, reply }) =>
      view.features.has('active_runs') &&
      reply?.code === 0 &&
      n > (one.reply?.n ?? 0) &&
      Array.isArray(shown['active_runs']) &&
      shown['active_runs'].includes(one.run?.runId ?? ''),
  );

/** A wrong argument, or something that a host may refuse as one: a cursor of the caller's own, a number below zero. */
function* argumentCode(view: HostCase): Iterable<Finding> {
  for (const one of refusals(view)) {
    if (one.error === undefined || isThrottled(one)) continue;
    const odd =
      one.wrongs.length === 0 && one.doubts.length === 1 && one.doubts[0] === 'odd arguments' && !hasEmptyName(one);
    const wrong = one.wrongs.length === 1 && one.wrongs[0] === 'argument' && one.doubts.length === 0;
    if (!odd && !wrong) continue;
    yield hold(one.code === 'invalid_argument', proofOf(one), () => ({
      expected: `invalid_argument for ${one.action}`,
      found: brief(one.error),
    }));
  }
}

/** An empty name may also be one that is not there. */
const hasEmptyName = ({ api, call }: Assessed): boolean => api.names !== undefined && call.data[api.names] === '';

function* failingTool(view: HostCase): Iterable<Finding> {
  for (const one of assess(view)) {
    if (
      one.wrongs.length !== 1 ||
      one.wrongs[0] !== 'fails' ||
      one.doubts.length > 0 ||
      one.reply === undefined ||
      isThrottled(one)
    )
      continue;
    yield hold(one.code === 'runtime_error', proofOf(one), () => ({
      expected: 'runtime_error: the tool behind the host fails',
      found: one.ok ? 'code 0' : brief(one.error ?? one.refusal?.data),
    }));
  }
}

function* retryable(view: HostCase): Iterable<Finding> {
  for (const one of refusals(view)) {
    const due = one.code === 'rate_limited' ? true : FINAL.has(one.code) ? false : undefined;
    if (due === undefined || one.error === undefined) continue;
    yield hold((one.error['retryable'] ?? false) === due, proofOf(one), () => ({
      expected: `retryable ${due} for ${String(one.code)}`,
      found: brief(one.error),
    }));
  }
}
const FINAL: ReadonlySet<unknown> = new Set(['unauthorized', 'not_found', 'payload_too_large', 'invalid_argument']);

/** Names of models, tools and knowledge bases that could stand in a sentence for nothing else. */
function namesOf(view: HostCase): readonly string[] {
  const { models, tools, knowledge } = inventoryOf(view);
  return [...models, ...tools, ...knowledge].filter((name) => /[-.:/\d]/.test(name) && apiOf(name) === undefined);
}

/**
 * Marks of what others said and stored, ids of other runs, names of other plugins and of what this run was not told of have no
 * place in a refusal.
 */
function* leaks(view: HostCase): Iterable<Finding> {
  if (refusals(view).length === 0) return;
  const names = namesOf(view);
  const marks = new Map<string, number>();
  const note = (value: unknown, n: number): void => {
    for (const mark of marksIn(value)) if (!marks.has(mark)) marks.set(mark, n);
  };
  for (const { event, n } of view.submissions) note(event, n);
  for (const run of view.runs) for (const { value, n } of run.pushed) note(value, n);
  for (const call of view.calls) note(call.data, call.n);
  // Bytes are known by their beginning, as base64 and as text.
  for (const run of view.runs)
    for (const { value, n } of run.pushed) {
      const content = isObject(value) && isObject(value['data']) ? value['data']['content_base64'] : undefined;
      if (typeof content !== 'string' || content.length < 24) continue;
      marks.set(content.slice(0, 24), n);
      marks.set(Buffer.from(content.slice(0, 24), 'base64').toString(), n);
    }
  for (const one of refusals(view)) {
    const own = jsonText(one.call.data);
    const secrets = [
      ...[...marks].flatMap(([mark, n]) => (n < one.call.n ? [mark] : [])),
      ...view.runs.flatMap((run) => (run.n < one.call.n ? [run.runId] : [])),
      ...view.runs.flatMap((run) => (run.n < one.call.n ? [run.identity, run.runnerId] : [])),
      ...names.filter((name) => !isOwn(one) || !jsonText(one.run!.context).includes(JSON.stringify(name))),
    ].filter((secret) => secret.length >= 4 && !own.includes(JSON.stringify(secret).slice(1, -1)));
    // The caller's own plugin and runner are no secret to it.
    const hidden = secrets.filter(
      (secret) =>
        secret !== one.call.identity && !(isOwn(one) && (secret === one.run?.identity || secret === one.run?.runnerId)),
    );
    if (hidden.length === 0) continue;
    const said = JSON.stringify([one.refusal?.message, one.refusal?.data]);
    const leaked = hidden.find((secret) => said.includes(JSON.stringify(secret).slice(1, -1)));
    yield leaked === undefined
      ? kept(proofOf(one))
      : broken(proofOf(one), {
          expected: `a refusal without ${leaked}, which the call did not bring along`,
          found: brief(said),
        });
  }
}
const isOwn = (one: Assessed): boolean => one.run !== undefined && one.call.identity === one.run.identity;

const INTERNALS: readonly (readonly [string, RegExp])[] = [
  [
    'a stack frame',
    /\n\s*at .+[:(]\d+|Traceback \(most recent call last\)|File "[^"]+", line \d+|\bat \S+ \(\S+:\d+:\d+\)/,
  ],
  [
    'a file path',
    /(?:^|[\s"'(=:[])\/(?:home|usr|var|tmp|opt|root|etc|srv|app|mnt|Users|work|data)\/[\w.-]+|\b[A-Za-z]:\\\w|node_modules\/|\w\.(?:ts|js|py|go|rs):\d+/,
  ],
  ['a query', /\bSELECT\b.+\bFROM\b|\bINSERT INTO\b|\bUPDATE\b.+\bSET\b|\bDELETE FROM\b|\bsqlalchemy\b/is],
];

function* internals(view: HostCase): Iterable<Finding> {
  for (const one of refusals(view)) {
    const own = jsonText(one.call.data);
    const texts = textsIn([one.refusal?.message ?? '', one.refusal?.data ?? {}]);
    const shown = texts.flatMap((text) =>
      INTERNALS.flatMap(([what, pattern]) => {
        const found = pattern.exec(text)?.[0];
        return found === undefined || own.includes(JSON.stringify(found).slice(1, -1).trim())
          ? []
          : [`${what}: ${found}`];
      }),
    );
    yield hold(shown.length === 0, proofOf(one), () => ({
      expected: 'no stack trace, file path or query in a refusal',
      found: brief(shown[0]),
    }));
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** The same call, once on something that is there and not granted, once on something that is not there: one answer for both. */
function* oracle(view: HostCase): Iterable<Finding> {
  const answered = answeredIn(view);
  const groups = new Map<string, { there?: Assessed; absent?: Assessed }>();
  for (const one of refusals(view)) {
    if (
      one.error === undefined ||
      one.wrongs.length !== 1 ||
      one.doubts.length > 0 ||
      one.exists === undefined ||
      isThrottled(one)
    )
      continue;
    const [wrong] = one.wrongs;
    if (wrong !== 'resource' && wrong !== 'conversation' && wrong !== 'absent') continue;
    const key = `${one.call.runId} ${one.action}`;
    const group = groups.get(key) ?? {};
    groups.set(key, group);
    if (one.exists) group.there ??= one;
    else group.absent ??= one;
  }
  for (const { there, absent } of groups.values()) {
    if (there === undefined || absent === undefined || !answered.has(there.action)) continue;
    const alike = there.code === absent.code && wordsOf(there) === wordsOf(absent);
    yield hold(alike, [...proofOf(there), ...proofOf(absent)], () => ({
      expected: `${there.action} to refuse what exists and is not granted as it refuses what does not exist`,
      found: `${brief(there.error)} for one that exists, ${brief(absent.error)} for one that does not`,
    }));
  }
}

/** The words of a refusal without what is its own: the name that was asked for, numbers and ids. */
const wordsOf = ({ action, call, error }: Assessed): string => {
  const named = resourceOf(action, call.data) ?? '';
  const message = typeof error?.['message'] === 'string' ? error['message'] : '';
  return (named === '' ? message : message.replaceAll(named, '…')).replace(/[\da-f-]{8,}|\d+/gi, '#');
};

export const errorJudges: readonly Judge<HostCase>[] = [
  judge<HostCase>('v1/9/error-shape', shape),
  judge<HostCase>('v1/9/code-unauthorized', (view) => codes(view, NO_RIGHT, (one) => !isAbsent(one))),
  judge<HostCase>('v1/9/code-not-found', (view) => codes(view, ['absent', 'resource'], isAbsent)),
  judge<HostCase>('v1/9/code-deadline-exceeded', deadlineCode),
  judge<HostCase>('v1/9/code-payload-too-large', (view) => codes(view, ['large'])),
  judge<HostCase>('v1/9/code-rate-limited', rateCodes),
  judge<HostCase>('v1/9/code-invalid-argument', argumentCode),
  judge<HostCase>('v1/9/code-runtime-error', failingTool),
  judge<HostCase>('v1/9/codes-from-table', function* (view) {
    for (const one of refusals(view))
      if (one.error !== undefined)
        yield hold(ERROR_CODES.has(one.code), proofOf(one), () => ({
          expected: `one of ${[...ERROR_CODES].join(', ')}`,
          found: brief(one.code),
        }));
  }),
  judge<HostCase>('v1/9/retryable-fits', retryable),
  judge<HostCase>('v1/9/nothing-leaked', leaks),
  judge<HostCase>('v1/9/no-internals-in-message', internals),
  judge<HostCase>('v1/9/no-existence-oracle', oracle),
];
