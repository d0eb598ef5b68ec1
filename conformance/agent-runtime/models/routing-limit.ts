// routing_limit_summary: which model was chosen for a turn and why, what it cost, and which limits stand. No price is `unknown`, never nought.
import type { RuntimeEvent } from '../event.ts';
import { defineModel, keep, keepIn, known, type Step, values } from './model.ts';

const TURNS = 20;
const EVENTS = 50;
const LIMITS = 100;

interface Routing {
  turnId: string;
  profile:
    | {
        kind: string | undefined;
        latency: string | undefined;
        budget: string | undefined;
        fallback: string | undefined;
      }
    | undefined;
  candidates: number | undefined;
  excluded: readonly unknown[] | undefined;
  mode: string | undefined;
  source: string | undefined;
  reason: string | undefined;
  selected: string | undefined;
  requested: string | undefined;
  gap: unknown;
  fallbacks: { from: string | undefined; to: string | undefined; reason: string | undefined }[];
}

interface Cost {
  /** Sums by currency; `undefined` amounts are counted apart and never guessed. */
  amounts: Map<string, number>;
  unpriced: number;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}

interface Limit {
  key: string;
  state: string;
  reason: string | undefined;
  resetAt: string | undefined;
  remaining: number | undefined;
}

export interface RoutingState {
  turns: Map<string, Routing>;
  turnCount: number;
  estimated: Cost;
  actual: Cost;
  limits: Map<string, Limit>;
  events: { type: string; key: string; turn_id: string | null }[];
}

const newCost = (): Cost => ({
  amounts: new Map(),
  unpriced: 0,
  inputTokens: undefined,
  outputTokens: undefined,
});

const routing =
  (step: (routing: Routing, event: RuntimeEvent) => void): Step<RoutingState> =>
  (state, event) => {
    const turnId = event.turnId ?? event.taskId ?? '';
    if (!state.turns.has(turnId)) {
      state.turnCount++;
      const fresh: Routing = {
        turnId,
        profile: undefined,
        candidates: undefined,
        excluded: undefined,
        mode: undefined,
        source: undefined,
        reason: undefined,
        selected: undefined,
        requested: undefined,
        gap: undefined,
        fallbacks: [],
      };
      keepIn(state.turns, turnId, fresh, TURNS);
    }
    step(state.turns.get(turnId)!, event);
  };

const decided = (mode?: string): Step<RoutingState> =>
  routing((routing, event) => {
    routing.mode = event.text('routingMode', 'routingDecision') ?? mode;
    routing.source = event.text('decisionSource', 'routingDecision');
    routing.reason = event.text('decisionReason', 'routingDecision') ?? event.text('reason');
    routing.selected = mode === 'no_candidate' ? undefined : event.text('selectedModel', 'routingDecision');
    routing.requested = event.text('requestedModel', 'routingDecision') ?? routing.requested;
    routing.candidates = event.number('candidateCount', 'routingDecision') ?? routing.candidates;
    routing.gap = event.get('capabilityGap', 'routingDecision');
  });

const costs =
  (which: 'estimated' | 'actual'): Step<RoutingState> =>
  (state, event) => {
    const cost = state[which];
    const amount = event.number('amount', 'costState');
    if (amount === undefined) cost.unpriced++;
    else {
      const currency = event.text('currency', 'costState') ?? 'unknown';
      cost.amounts.set(currency, (cost.amounts.get(currency) ?? 0) + amount);
    }
    const input = event.number('inputTokens', 'costState');
    const output = event.number('outputTokens', 'costState');
    if (input !== undefined) cost.inputTokens = (cost.inputTokens ?? 0) + input;
    if (output !== undefined) cost.outputTokens = (cost.outputTokens ?? 0) + output;
  };

const limited =
  (state_: string | undefined): Step<RoutingState> =>
  (state, event) => {
    const key = event.text('limitKey', 'limitState') ?? event.text('kind', 'limitState') ?? event.type;
    const said = event.text('state', 'limitState');
    const limit: Limit = {
      key,
      state: said ?? state_ ?? 'unknown',
      reason: event.text('reason', 'limitState'),
      resetAt: event.text('resetAt', 'limitState'),
      remaining: event.number('remaining', 'limitState'),
    };
    keepIn(state.limits, key, limit, LIMITS);
    keep(state.events, { type: event.type, key, turn_id: event.turnId ?? null }, EVENTS);
  };

export const routingLimit = defineModel({
  name: 'routing_limit_summary',
  initial: (): RoutingState => ({
    turns: new Map(),
    turnCount: 0,
    estimated: newCost(),
    actual: newCost(),
    limits: new Map(),
    events: [],
  }),
  on: {
    'task.profile.resolved': routing((routing, event) => {
      routing.profile = {
        kind: event.text('kind', 'taskProfile'),
        latency: event.text('latencyTarget', 'taskProfile'),
        budget: event.text('budgetClass', 'taskProfile'),
        fallback: event.text('fallbackPolicy', 'taskProfile'),
      };
    }),
    'routing.candidates.resolved': routing((routing, event) => {
      routing.candidates =
        event.number('candidateCount', 'candidateModelSet') ?? event.list('candidates', 'candidateModelSet')?.length;
      routing.excluded = event.list('excluded', 'candidateModelSet');
    }),
    'routing.decided': decided(),
    'routing.single_candidate': decided('single_candidate'),
    'routing.not_possible': decided('no_candidate'),
    'routing.fallback.applied': routing((routing, event) => {
      const to = event.text('toModel');
      keep(
        routing.fallbacks,
        { from: event.text('fromModel') ?? routing.selected, to, reason: event.text('reason') },
        TURNS,
      );
      routing.selected = to ?? routing.selected;
    }),
    'cost.estimated': costs('estimated'),
    'cost.recorded': costs('actual'),
    'rate_limit.hit': limited('limited'),
    'quota.low': limited('low'),
    'quota.blocked': limited('blocked'),
    'limit.changed': limited(undefined),
  },
  show: (state, fresh) => ({
    status: state.turns.size === 0 && state.limits.size === 0 && isNothing(state.actual) ? 'unknown' : 'known',
    turns: values(state.turns).map((routing) => ({
      turn_id: known(routing.turnId || undefined),
      task_profile:
        routing.profile === undefined
          ? 'unknown'
          : {
              kind: known(routing.profile.kind),
              latency_target: known(routing.profile.latency),
              budget_class: known(routing.profile.budget),
              fallback_policy: known(routing.profile.fallback),
            },
      candidate_count: known(routing.candidates),
      excluded: routing.excluded ?? 'unknown',
      routing_mode: known(routing.mode),
      decision_source: known(routing.source),
      decision_reason: known(routing.reason),
      selected_model: routing.mode === 'no_candidate' ? 'unavailable' : known(routing.selected),
      requested_model: known(routing.requested),
      capability_gap: routing.gap ?? null,
      fallbacks: routing.fallbacks.map(({ from, to, reason }) => ({
        from: known(from),
        to: known(to),
        reason: known(reason),
      })),
    })),
    truncated: state.turnCount > state.turns.size,
    cost: { estimated: showCost(state.estimated), actual: showCost(state.actual) },
    limits: values(state.limits).map((limit) => ({
      limit_key: limit.key,
      state: limit.state,
      reason: known(limit.reason),
      reset_at: known(limit.resetAt),
      remaining: known(limit.remaining),
    })),
    limit_events: state.events,
    freshness: fresh,
  }),
});

const isNothing = (cost: Cost): boolean => cost.amounts.size === 0 && cost.unpriced === 0;

const showCost = (cost: Cost) => ({
  amount: cost.unpriced > 0 || isNothing(cost) ? 'unknown' : Object.fromEntries(cost.amounts),
  priced_so_far: Object.fromEntries(cost.amounts),
  unpriced_records: cost.unpriced,
  input_tokens: known(cost.inputTokens),
  output_tokens: known(cost.outputTokens),
});
