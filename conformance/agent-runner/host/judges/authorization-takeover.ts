// §8, §11: whoever uses the id of an artifact again, in a conversation and under a binding of its own, does not get at the first one.
import { isObject, sameJson } from '../../../../common/json.ts';
import { type Finding, hold } from '../../../judging/judge.ts';
import type { ApiCall, HostCase, HostRun } from '../view.ts';

/** Of one conversation, binding and runner: they share what they made. */
const shares = (one: HostRun, other: HostRun): boolean =>
  one.runnerId === other.runnerId &&
  typeof one.submission?.event['conversation_id'] === 'string' &&
  ['conversation_id', 'thread_id', 'bot_id', 'workspace_id'].every((key) =>
    sameJson(one.submission?.event[key] ?? null, other.submission?.event[key] ?? null),
  ) &&
  one.submission.binding['binding_id'] === other.submission?.binding['binding_id'];

/** Where a run used this id for something that it made. */
const madeIn = ({ pushed, runId }: HostRun, id: unknown): number | undefined =>
  pushed.find(
    ({ value }) =>
      isObject(value) &&
      value['type'] === 'artifact.created' &&
      value['run_id'] === runId &&
      isObject(value['data']) &&
      value['data']['artifact_id'] === id,
  )?.n;

/** An artifact that was read, before and after a stranger used its id for something else, in the same way. */
export function* takenOver(view: HostCase): Iterable<Finding> {
  const reads = view.runs.flatMap((run) =>
    run.calls
      .filter(({ action, identity, reply }) => action === 'artifact_read' && identity === run.identity && reply)
      .map((call) => ({ run, call })),
  );
  for (const before of reads) {
    const id = before.call.data['artifact_id'];
    const maker = view.runs.find((run) => madeIn(run, id) !== undefined);
    if (before.call.reply!.code !== 0 || maker === undefined || maker === before.run || !shares(maker, before.run))
      continue;
    const stranger = view.runs.find((run) => (madeIn(run, id) ?? -1) > before.call.n && !shares(run, maker));
    const after = reads.find(
      ({ run, call }) =>
        stranger !== undefined &&
        call.n > madeIn(stranger, id)! &&
        shares(run, maker) &&
        ['artifact_id', 'offset', 'length'].every((key) =>
          sameJson(call.data[key] ?? null, before.call.data[key] ?? null),
        ),
    );
    if (stranger === undefined || after === undefined) continue;
    const same = bytesIn(after.call) === bytesIn(before.call);
    yield hold(same, [before.call.n, madeIn(stranger, id)!, after.call.reply!.n], () => ({
      expected: `artifact ${String(id)} to be what it was before another run used its id`,
      found: after.call.reply!.code === 0 ? 'other bytes' : after.call.reply!.message,
    }));
  }
}

const bytesIn = ({ reply }: ApiCall): unknown => (reply?.code === 0 ? reply.data['content_base64'] : undefined);
