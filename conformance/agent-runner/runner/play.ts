// Plays a stimulus: sends the runs, answers the runner's API calls as Host (and Plugin Runtime), cancels where told,
// and waits for every stream to end, for its deadline and grace to pass, or for the case to be over. It never hangs.
import { isObject, type JsonObject } from '../../../common/json.ts';
import type { Clock } from '../../driving/clock.ts';
import type { Stage } from '../../driving/suite.ts';
import { bySchedule } from '../../wire/interleaving.ts';
import { RunActor } from './actor.ts';
import { declaredRunners, type RunnerEntry } from './manifests.ts';
import type { RunnerStimulus, RunPlan } from './stimulus.ts';
import { refuse } from './world.ts';

/** A runner that no target offers. */
export const NOBODY: RunnerEntry = { author: 'nobody', plugin: 'nothing', name: 'no-such-runner', manifest: {} };

export async function playRunner(stimulus: RunnerStimulus, stage: Stage): Promise<void> {
  const { session, signal } = stage;
  const { peer, info } = session;
  const runners = declaredRunners(info.declared);
  const actors = new Map<string, RunActor>();
  peer.handleOther((action, data, request) => {
    const actor = actors.get(String(data['run_id']));
    if (actor === undefined) throw refuse('unauthorized', 'no such run');
    return actor.answer(action, data, request);
  });

  if (stimulus.holds !== undefined) session.interleave?.(bySchedule(stimulus.holds), laneOf);
  for (let asked = 0; asked < (stimulus.discover ?? 0); asked++)
    await peer.call(info.seat === 'runtime' ? 'list_agent_runners' : 'get_plugin_container', {}, { signal });

  const over: Promise<void>[] = [];
  for (const plan of stimulus.runs) over.push(playRun(plan, plan.after === undefined ? undefined : over[plan.after]));
  await Promise.all(over);
  if (stimulus.cancelUnknown)
    await peer.call('cancel_run', { run_id: 'no-such-run', reason: 'cancel_requested' }, { signal });
  await stage.clock.sleep(linger(stage, [...actors.values()], stimulus.linger === true), signal);

  async function playRun(plan: RunPlan, before: Promise<void> | undefined): Promise<void> {
    await before;
    if (plan.at) await stage.clock.sleep(plan.at, signal);
    if (signal.aborted || peer.isClosed) return;
    const context = contextToSend(plan, stage.clock);
    const runner = plan.runner === 'unknown' ? NOBODY : runners[(plan.runner ?? 0) % Math.max(1, runners.length)];
    const actor = new RunActor(plan, context, stage, runner?.manifest);
    actors.set(String(context['run_id']), actor);
    await actor.play(requestFor(info.seat === 'runtime', runner ?? NOBODY, context));
  }
}

/** Runs do not wait for one another, nor do the answers to calls; a cancel comes after the run that it means. */
function laneOf({ action, seq_id, data }: JsonObject): string | undefined {
  if (action === undefined) return `answer ${seq_id}`;
  const { context, run_id: runId } = isObject(data) ? data : {};
  if (action === 'cancel_run') return `run ${runId}`;
  return action === 'run_agent' && isObject(context) ? `run ${context['run_id']}` : undefined;
}

/** The context as the stimulus has it, with its deadline on the clock's time. */
function contextToSend(plan: RunPlan, clock: Clock): JsonObject {
  const context = plan.context as JsonObject;
  if (plan.deadline === undefined) return context;
  const runtime = context['runtime'];
  return { ...context, runtime: { ...(runtime as JsonObject), deadline_at: (clock.now() + plan.deadline) / 1000 } };
}

const requestFor = (control: boolean, runner: RunnerEntry, context: JsonObject): JsonObject =>
  control
    ? {
        runner_id: runner.manifest['id'] ?? `plugin:${runner.author}/${runner.plugin}/${runner.name}`,
        runner_name: runner.name,
        plugin_author: runner.author,
        plugin_name: runner.plugin,
        context,
      }
    : { runner_name: runner.name, context };

/** Virtual time costs nothing: a runner that comes back much later is heard as well. */
const LONG_AFTER = 60_000;

/** How long to listen after the last run for what should not come. On real time only where the stimulus asks for it. */
function linger({ clock, grace }: Stage, actors: readonly RunActor[], wanted: boolean): number {
  const now = clock.now();
  const deadlines = actors.flatMap(({ deadline }) => (deadline === undefined ? [] : [deadline]));
  if (clock.kind === 'virtual') return Math.max(now, ...deadlines) - now + 2 * grace + LONG_AFTER;
  return wanted ? Math.max(now, ...deadlines) - now + grace + 100 : 0;
}
