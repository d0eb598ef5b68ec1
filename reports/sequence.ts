// A recording as a conversation: who said what to whom, in order. The diagram and the frame list are drawn from it.
import { isObject, type JsonObject } from '../common/json.ts';
import type { Outcome } from '../conformance/judging/outcome.ts';
import type { Fact } from '../conformance/recording/fact.ts';
import { requestDetail, resultDetail } from './frame-words.ts';

export type Lane = 'host' | 'runtime' | 'runner';
export const LANES: readonly Lane[] = ['host', 'runtime', 'runner'];

export interface Step {
  readonly n: number;
  readonly at: number;
  readonly from: Lane;
  /** The same lane for a note. */
  readonly to: Lane;
  readonly label: string;
  /** What the frame is about, where that can be said in a word. */
  readonly detail?: string;
  readonly tone: 'request' | 'answer' | 'error' | 'note' | 'end';
  /** Whether this fact proves the violation. */
  readonly marked: boolean;
  /** What the fact holds, for the frame list. */
  readonly body: unknown;
}

/** A stretch that is not shown. */
export interface Gap {
  readonly left: number;
}

export interface Seats {
  /** The lanes that the target takes; Runcert plays the others. */
  readonly target: readonly Lane[];
  readonly harness: readonly Lane[];
}

export function seatsOf({ party, target }: Pick<Outcome, 'party' | 'target'>): Seats {
  if (party === 'host') return { target: ['host'], harness: ['runtime', 'runner'] };
  // An Agent Runtime has no runner behind it: what drives it stands on one side, the runtime on the other.
  if (party === 'runtime') return { target: ['runtime'], harness: ['host'] };
  if (target.traits.includes('seat:runtime')) return { target: ['runtime', 'runner'], harness: ['host'] };
  return { target: ['runner'], harness: ['runtime', 'host'] };
}

/** Facts as steps. A response goes back the way its request came. */
export function stepsOf(
  outcome: Pick<Outcome, 'party' | 'target'>,
  facts: readonly Fact[],
  proof: readonly number[],
): Step[] {
  const seats = seatsOf(outcome);
  const asked = new Map<string, { from: Lane; to: Lane; action: string }>();
  const marked = new Set(proof);
  const steps: Step[] = [];
  for (const fact of facts) {
    const base = { n: fact.n, at: fact.at, marked: marked.has(fact.n) };
    if (fact.fact === 'sent' || fact.fact === 'received')
      steps.push({ ...base, ...frameStep(fact.fact, fact.frame as JsonObject, seats, asked) });
    else if (fact.fact !== 'case') steps.push({ ...base, ...noteStep(fact, seats) });
    else if (base.marked)
      steps.push({
        ...base,
        from: seats.harness[0]!,
        to: seats.harness[0]!,
        label: 'the case as a whole',
        tone: 'note',
        body: fact.stimulus,
      });
  }
  return steps;
}

type Body = Omit<Step, 'n' | 'at' | 'marked'>;

function frameStep(
  way: 'sent' | 'received',
  frame: JsonObject,
  seats: Seats,
  asked: Map<string, { from: Lane; to: Lane; action: string }>,
): Body {
  const direct = directly(way, seats);
  const id = String(frame['seq_id']);
  if (typeof frame['action'] === 'string') {
    const action = frame['action'];
    const route = routeOf(action);
    const fits =
      route !== undefined &&
      (way === 'sent' ? seats.harness : seats.target).includes(route.from) &&
      (way === 'sent' ? seats.target : seats.harness).includes(route.to);
    const { from, to } = fits ? route : direct;
    asked.set(`${way} ${id}`, { from, to, action });
    return { from, to, label: action, ...about(requestDetail(action, frame['data'])), tone: 'request', body: frame };
  }
  const question = asked.get(`${way === 'sent' ? 'received' : 'sent'} ${id}`);
  const { from, to } = question === undefined ? direct : { from: question.to, to: question.from };
  const failed = typeof frame['code'] === 'number' && frame['code'] !== 0;
  return {
    from,
    to,
    label: answerLabel(frame, question?.action),
    ...about(!failed && isObject(frame['data']) ? resultDetail(frame['data']) : undefined),
    tone: failed ? 'error' : 'answer',
    body: frame,
  };
}

const about = (detail: string | undefined): Pick<Step, 'detail'> => (detail === undefined ? {} : { detail });

const directly = (way: 'sent' | 'received', seats: Seats): { from: Lane; to: Lane } => {
  const [near, far] = [seats.harness[0]!, seats.target[0]!];
  return way === 'sent' ? { from: near, to: far } : { from: far, to: near };
};

function answerLabel(frame: JsonObject, action: string | undefined): string {
  const data = isObject(frame['data']) ? frame['data'] : {};
  if (typeof frame['code'] === 'number' && frame['code'] !== 0) {
    const error = isObject(data['error']) ? data['error']['code'] : undefined;
    return `error ${typeof error === 'string' ? error : String(frame['message'] ?? '')}`;
  }
  if (typeof data['type'] === 'string') return data['type'];
  if (frame['chunk_status'] === 'end') return 'end of stream';
  return action === undefined ? 'answer' : `${action} → ok`;
}

function noteStep(fact: Exclude<Fact, { fact: 'sent' | 'received' | 'case' }>, seats: Seats): Body {
  const target = seats.target[0]!;
  const harness = seats.harness[0]!;
  const note = (lane: Lane, label: string, body: unknown, tone: Step['tone'] = 'note'): Body => ({
    from: lane,
    to: lane,
    label,
    tone,
    body,
  });
  switch (fact.fact) {
    case 'noise':
      return note(target, `noise, ${fact.bytes} bytes`, fact.text);
    case 'did':
      return note(harness, fact.what, fact.detail);
    case 'shown':
      return note(target, `shows ${fact.what}`, fact.data);
    case 'life':
      return note(target, fact.event, fact.detail);
    case 'fault':
      return note(fact.by === 'target' ? target : harness, fact.code, fact.message, 'error');
    case 'end':
      return note(
        target,
        fact.how === 'done'
          ? 'case over'
          : `case over: ${fact.how}${fact.pending === undefined ? '' : `, waiting for ${fact.pending}`}`,
        undefined,
        'end',
      );
  }
}

const API = new Set(
  `invoke_llm invoke_llm_stream invoke_rerank get_tool_detail call_tool retrieve_knowledge_base history_page history_search event_get event_page
   artifact_metadata artifact_read artifact_open_stream state_get state_set state_delete platform_request_action
   set_binary_storage get_binary_storage delete_binary_storage get_binary_storage_keys
   get_plugin_storage set_plugin_storage delete_plugin_storage get_plugin_storage_keys
   get_workspace_storage set_workspace_storage delete_workspace_storage get_workspace_storage_keys
   get_binding_storage set_binding_storage delete_binding_storage get_binding_storage_keys`.split(/\s+/),
);

/** Between whom an action passes, whoever carries it. */
function routeOf(action: string): { from: Lane; to: Lane } | undefined {
  if (API.has(action)) return { from: 'runner', to: 'host' };
  if (action === 'run_agent' || action === 'cancel_run') return { from: 'host', to: 'runner' };
  if (action === 'list_agent_runners') return { from: 'host', to: 'runtime' };
  if (action.startsWith('driver_')) return { from: 'runtime', to: 'host' };
  if (action === 'register_plugin') return { from: 'runner', to: 'runtime' };
  if (action === 'initialize_plugin') return { from: 'runtime', to: 'runner' };
  return undefined;
}

const FIRST = 10;
const AROUND = 6;
const LAST = 3;

/** The steps that matter when there are too many: the beginning, what surrounds the violation, the end. */
export function essential(steps: readonly Step[], most: number): (Step | Gap)[] {
  // What comes long after the violation says nothing about it, however few steps there are.
  const rest = steps.findLastIndex(({ marked }) => marked) + 1 + AROUND;
  const idle = steps.length - LAST - rest;
  if (rest > AROUND && idle > AROUND)
    return [...essential(steps.slice(0, rest), most - LAST), { left: idle }, ...steps.slice(-LAST)];
  if (steps.length <= most) return [...steps];
  const keep = new Set<number>();
  const add = (from: number, to: number): void => {
    for (let at = Math.max(0, from); at <= Math.min(steps.length - 1, to); at++) if (keep.size < most) keep.add(at);
  };
  steps.forEach((step, at) => {
    if (step.marked) add(at, at);
  });
  steps.forEach((step, at) => {
    if (step.marked) add(at - AROUND, at + AROUND);
  });
  add(steps.length - LAST, steps.length - 1);
  add(0, FIRST - 1);
  add(0, steps.length - 1);
  const shown: (Step | Gap)[] = [];
  let left = 0;
  steps.forEach((step, at) => {
    if (!keep.has(at)) {
      left++;
      return;
    }
    if (left > 0) shown.push({ left });
    left = 0;
    shown.push(step);
  });
  if (left > 0) shown.push({ left });
  return shown;
}

export const isGap = (step: Step | Gap): step is Gap => 'left' in step;
