// A model is chosen, asked, and streams; what it cost is recorded, or said to be unknown.
import type { JsonObject } from '../../../../common/json.ts';
import type { Desk } from '../desk.ts';
import type { Play } from '../play.ts';
import type { Ids } from '../world.ts';

export function model(desk: Desk, ids: Ids, play: Extract<Play, { do: 'model' }>): void {
  const say = (type: string, payload: JsonObject = {}): void => desk.say(type, ids, payload);
  const count = play.candidates ?? 1;
  const names = ['small', 'large'].slice(0, count);
  say('task.profile.resolved', {
    kind: 'chat',
    source: 'user',
    latency_target: 'interactive',
    budget_class: 'low',
    fallback_policy: 'allow',
  });
  say('routing.candidates.resolved', {
    candidate_count: count,
    candidates: names.map((name) => ({ provider: 'reference', model: name })),
    excluded: [],
  });
  const decision = {
    decision_source: 'policy_auto',
    decision_reason: count === 1 ? 'the only one' : 'the cheapest',
    selected_provider: 'reference',
    selected_model: 'small',
    candidate_count: count,
  };
  if (count === 1) say('routing.single_candidate', { routing_mode: 'single_candidate', ...decision });
  else say('routing.decided', { routing_mode: 'multi_candidate', ...decision });
  say('cost.estimated', { cost_class: 'unknown', amount: 'unknown' });
  let used = 'small';
  if (play.fallback && count > 1) {
    say('model.requested', { provider: 'reference', model: used });
    say('rate_limit.hit', { kind: 'rate_limit_hit', limit_key: 'requests', state: 'limited' });
    say('model.failed', { error_category: 'rate_limited', retryable: true, error: { message: 'too many requests' } });
    say('routing.fallback.applied', { from_model: 'small', to_model: 'large', position: 1, reason: 'rate limited' });
    used = 'large';
  }
  say('model.requested', { provider: 'reference', model: used });
  if (play.reasoning !== undefined) {
    say('reasoning.delta', { text: play.reasoning });
    say('reasoning.summary', { summary: play.reasoning });
  }
  for (const [index, chunk] of play.chunks.entries()) say('model.delta', { text: chunk, index });
  say('model.completed', {
    text: play.chunks.join(''),
    usage: { input_tokens: 10, output_tokens: play.chunks.length },
    stop_reason: 'end',
  });
  const tokens = { input_tokens: 10, output_tokens: play.chunks.length };
  say(
    'cost.recorded',
    play.priced ? { ...tokens, amount: 0.5, currency: 'EUR', price_ref: 'price:1' } : { ...tokens, amount: 'unknown' },
  );
}
