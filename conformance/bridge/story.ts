// A run as a recording tells it, whichever side was under test: its context, what the runner sent and called, in order, and how it ended.
import { isObject, type JsonObject } from '../../common/json.ts';
import { assembleHost } from '../agent-runner/host/assemble.ts';
import { assemble } from '../agent-runner/runner/view.ts';
import type { Fact, RecordingHead } from '../recording/fact.ts';

export type Moment = { readonly n: number /** Epoch milliseconds. */; readonly at: number } & (
  | { readonly kind: 'result'; readonly value: unknown }
  | {
      readonly kind: 'call' | 'answer';
      readonly id: number;
      readonly action: string;
      readonly data: JsonObject;
      readonly ok: boolean;
    }
  | { readonly kind: 'cancel'; readonly reason: string | undefined }
  | { readonly kind: 'end'; readonly how: 'end' | 'error'; readonly message: string }
  /** What the host shows of the run. */
  | { readonly kind: 'observed'; readonly delivered: boolean }
);

export interface Story {
  readonly runId: string;
  /** The host, as the recording knows it. */
  readonly host: string;
  readonly runner: string | undefined;
  readonly context: JsonObject;
  /** Where in the recording, and when, it began. */
  readonly n: number;
  readonly began: number;
  readonly moments: readonly Moment[];
}

export function storiesOf(head: RecordingHead, facts: readonly Fact[]): Story[] {
  return head.party === 'host' ? ofHost(head, facts) : ofRunner(head, facts);
}

function ofRunner(head: RecordingHead, facts: readonly Fact[]): Story[] {
  const { runs, epoch } = assemble(head, facts);
  return runs.map((run) => {
    const { runner } = run;
    return {
      runId: run.runId,
      host: 'runcert',
      runner: runner === undefined ? undefined : `plugin:${runner.author}/${runner.plugin}/${runner.name}`,
      context: run.context,
      n: run.n,
      began: epoch + run.at,
      moments: timed(epoch, [
        ...[...run.results, ...run.late].map(({ n, at, value }) => ({ n, at, kind: 'result' as const, value })),
        ...run.calls.flatMap(({ n, at, action, data, replies, answered }): Moment[] => [
          { n, at, kind: 'call', id: n, action, data, ok: true },
          ...(answered === undefined
            ? []
            : [
                {
                  ...answered,
                  kind: 'answer' as const,
                  id: n,
                  action,
                  data: replies.at(-1)?.data ?? {},
                  ok: replies.every(({ code }) => code === 0),
                },
              ]),
        ]),
        ...(run.cancel === undefined
          ? []
          : [
              {
                n: run.cancel.n,
                at: run.cancel.at,
                kind: 'cancel' as const,
                reason: textOf(run.cancel.data['reason']),
              },
            ]),
        ...(run.end === undefined ? [] : [{ ...run.end, kind: 'end' as const }]),
      ]),
    };
  });
}

function ofHost(head: RecordingHead, facts: readonly Fact[]): Story[] {
  const { runs, epoch, observations } = assembleHost(head, facts);
  const { name, version } = head.target;
  return runs.map((run) => ({
    runId: run.runId,
    host: version === undefined ? name : `${name} ${version}`,
    runner: run.runnerId,
    context: run.context,
    n: run.n,
    began: epoch + run.at,
    moments: timed(epoch, [
      ...run.pushed.map(({ n, at, value }) => ({ n, at, kind: 'result' as const, value })),
      ...run.calls.flatMap(({ n, at, action, data, replies }): Moment[] => {
        const last = replies.at(-1);
        return [
          { n, at, kind: 'call', id: n, action, data, ok: true },
          ...(last === undefined
            ? []
            : [
                {
                  n: last.n,
                  at: last.at,
                  kind: 'answer' as const,
                  id: n,
                  action,
                  data: last.data,
                  ok: last.code === 0,
                },
              ]),
        ];
      }),
      ...run.cancels.map(({ n, at, reason }) => ({ n, at, kind: 'cancel' as const, reason: textOf(reason) })),
      ...(run.end === undefined ? [] : [{ ...run.end, kind: 'end' as const }]),
      ...observations
        .filter(({ runId }) => runId === run.runId)
        .map(({ n, at, shown }) => ({ n, at, kind: 'observed' as const, delivered: wasDelivered(shown) })),
    ]),
  }));
}

/** Delivered is what the host says it delivered; a result alone is not. */
const wasDelivered = ({ deliveries }: JsonObject): boolean =>
  Array.isArray(deliveries) && deliveries.some((delivery) => isObject(delivery));

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const timed = (epoch: number, moments: readonly Moment[]): Moment[] =>
  moments.map((moment) => ({ ...moment, at: epoch + moment.at }));
