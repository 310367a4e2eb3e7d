import type { SessionEvent, Usage } from '../../shared/events.ts';
import { isCopy } from '../view/copies.ts';
import { type AgentStep, contentOf, type Metrics, metricsOf, type Step, type UserStep } from './atif-step.ts';
import { isoTime } from './facts.ts';
import type { Images } from './output.ts';

export interface FinalMetrics {
  total_prompt_tokens: number;
  total_completion_tokens: number;
  total_cached_tokens: number;
  total_steps: number;
}

/** Steps that may still wait for a result or for the rest of an answer. */
const MOST_OPEN = 64;

type Event = SessionEvent & { active: boolean };

/**
 * Events as steps of a trajectory, in order. An answer is complete when the next one began and its calls have their results;
 * until then it and all behind it are kept back. What comes later than that becomes a step of its own.
 */
export class AtifSteps {
  readonly metrics: FinalMetrics = {
    total_prompt_tokens: 0,
    total_completion_tokens: 0,
    total_cached_tokens: 0,
    total_steps: 0,
  };
  /** events that are no steps, by type */
  readonly omitted: Record<string, number> = {};
  readonly #embedded: ReadonlySet<string>;
  readonly #open: Step[] = [];
  readonly #answers = new Map<string, AgentStep>();
  readonly #calls = new Map<string, AgentStep>();
  #last: AgentStep | null = null;
  #nextId = 1;

  constructor(embedded: ReadonlySet<string>) {
    this.#embedded = embedded;
  }

  add(event: Event, images: Images): void {
    const { type, payload } = event;
    if (type === 'message.user')
      this.#push({ ...base(event, 'user'), message: contentOf(payload.content, images) } satisfies UserStep);
    else if (type === 'message.system')
      this.#push({
        ...base(event, 'system', { about: payload.about, to_model: payload.to_model === true }),
        message: contentOf(payload.content, images),
      });
    else if (type === 'message.assistant') this.#said(event, images);
    else if (type === 'message.thinking') this.#thought(event);
    else if (type === 'tool.call') this.#call(event);
    else if (type === 'tool.result') this.#result(event, images);
    else if (type === 'context.compacted') this.#compacted(event, images);
    else if (type === 'session.merge')
      this.#push({
        ...base(event, 'system', { from_session: payload.from_session }),
        message: 'Result of another session',
        observation: { results: [{ content: contentOf(payload.summary, images) }] },
      });
    else if (payload.key === 'usage') this.#usage(payload.value);
    else this.omitted[type] = (this.omitted[type] ?? 0) + 1;
  }

  /** Steps that are complete by now. */
  take(): object[] {
    const done: object[] = [];
    while (this.#open.length > 0 && (this.#open.length > MOST_OPEN || this.#isComplete(this.#open[0]!)))
      done.push(this.#finish(this.#open.shift()!));
    return done;
  }

  end(): object[] {
    return this.#open.splice(0).map((step) => this.#finish(step));
  }

  #push(step: Step): void {
    this.#open.push(step);
    if (step.source === 'user') this.#last = null;
  }

  #isComplete(step: Step): boolean {
    return step.source !== 'agent' || (step !== this.#last && step.waiting.size === 0);
  }

  #finish(step: Step): object {
    const step_id = this.#nextId++;
    this.metrics.total_steps = step_id;
    if (step.source !== 'agent') return { step_id, ...step };
    const { response, waiting: _, usage, ...rest } = step;
    if (response !== null) this.#answers.delete(response);
    for (const { tool_call_id } of step.tool_calls ?? []) this.#calls.delete(tool_call_id);
    // a copy was paid for where it was said first
    const metrics = step.llm_call_count === 0 || step.is_copied_context ? undefined : metricsOf(usage);
    if (metrics) this.#count(metrics);
    return { step_id, ...rest, ...(metrics ? { metrics } : {}) };
  }

  #count({ prompt_tokens, completion_tokens, cached_tokens }: Metrics): void {
    this.metrics.total_prompt_tokens += prompt_tokens;
    this.metrics.total_completion_tokens += completion_tokens;
    this.metrics.total_cached_tokens += cached_tokens;
  }

  /** The step of the answer that an event belongs to. */
  #answer(event: Event): AgentStep {
    const { payload } = event;
    const response = typeof payload.response === 'string' ? payload.response : null;
    const known = response === null ? undefined : this.#answers.get(response);
    const step: AgentStep = known ?? {
      ...base(event, 'agent'),
      source: 'agent',
      message: '',
      llm_call_count: payload.synthetic === true && event.type === 'message.assistant' ? 0 : 1,
      response,
      waiting: new Set(),
      usage: {},
    };
    if (known === undefined) {
      this.#open.push(step);
      if (response !== null) this.#answers.set(response, step);
    }
    this.#last = step;
    if (typeof payload.model === 'string') step.model_name = payload.model;
    addUsage(step.usage, payload.usage);
    return step;
  }

  #said(event: Event, images: Images): void {
    const step = this.#answer(event);
    const content = contentOf(event.payload.content, images);
    if (step.message === '') step.message = content;
    else if (typeof step.message === 'string' && typeof content === 'string') step.message += `\n\n${content}`;
    else step.message = [...parts(step.message), ...parts(content)];
  }

  #thought(event: Event): void {
    const step = this.#answer(event);
    const { text } = event.payload;
    if (typeof text === 'string' && text.trim() !== '' && step.llm_call_count !== 0)
      step.reasoning_content = step.reasoning_content === undefined ? text : `${step.reasoning_content}\n\n${text}`;
    else step.extra.sessionctl.reasoning_withheld = (step.extra.sessionctl.reasoning_withheld ?? 0) + 1;
  }

  #call(event: Event): void {
    const step = this.#answer(event);
    const { call_id, name, arguments: args, tool, server, child_session: child } = event.payload;
    const id = this.#calls.has(String(call_id)) ? `${String(call_id)}#e${event.seq}` : String(call_id);
    const isObject = typeof args === 'object' && args !== null && !Array.isArray(args);
    step.tool_calls ??= [];
    step.tool_calls.push({
      tool_call_id: id,
      function_name: String(name ?? ''),
      arguments: isObject ? args : { input: args ?? null },
      extra: {
        sessionctl: {
          seq: event.seq,
          kind: tool,
          ...(isObject ? {} : { text_input: true }),
          ...(server === undefined ? {} : { server }),
          ...(child === undefined ? {} : { child_session: child }),
        },
      },
    });
    step.waiting.add(id);
    this.#calls.set(id, step);
  }

  #result(event: Event, images: Images): void {
    const { payload } = event;
    const id = String(payload.call_id);
    const step = this.#calls.get(id);
    const content = contentOf(payload.content, images);
    const { is_error, exit_code, duration_ms, closed, truncated } = payload;
    const facts = { seq: event.seq, is_error: is_error === true, closed, exit_code, duration_ms, truncated };
    if (!step?.waiting.has(id)) {
      const results = [{ content, extra: { sessionctl: { ...facts, call_id: id } } }];
      this.#push({ ...base(event, 'system'), message: 'Result of an earlier call', observation: { results } });
      return;
    }
    step.waiting.delete(id);
    step.observation ??= { results: [] };
    step.observation.results.push({
      source_call_id: id,
      content,
      ...this.#subagent(step, id),
      extra: { sessionctl: facts },
    });
  }

  #subagent(step: AgentStep, id: string): object {
    const child = step.tool_calls?.find(({ tool_call_id }) => tool_call_id === id)?.extra.sessionctl.child_session;
    if (typeof child !== 'string' || !this.#embedded.has(child)) return {};
    return { subagent_trajectory_ref: [{ trajectory_id: child }] };
  }

  /** Section VII of the RFC: from here on the agent knows the summary, and what it kept. */
  #compacted(event: Event, images: Images): void {
    const { summary, kept, edit, tokens_before, tokens_after, trigger } = event.payload;
    const step = base(event, 'system', { kept, trigger, tokens_before, tokens_after });
    const management =
      edit === true ? { type: 'pruning', boundary: 'truncate' } : { type: 'compaction', boundary: 'replace' };
    this.#push({
      ...step,
      message: edit === true ? 'Earlier turns were left out of the context' : 'The context was compacted',
      observation: { results: [{ content: contentOf(summary, images) }] },
      extra: { ...step.extra, context_management: management },
    });
  }

  #usage(value: unknown): void {
    const { response } = (value ?? {}) as { response?: unknown };
    const step = typeof response === 'string' ? this.#answers.get(response) : this.#last;
    if (step) addUsage(step.usage, value);
  }
}

function base<S extends Step['source']>(event: Event, source: S, more: Record<string, unknown> = {}) {
  const timestamp = isoTime(event.ts);
  return {
    ...(timestamp === undefined ? {} : { timestamp }),
    source,
    ...(isCopy(event) ? { is_copied_context: true } : {}),
    extra: {
      sessionctl: { seq: event.seq, ...(event.active ? {} : { active: false }), ...more } as Record<string, unknown> & {
        reasoning_withheld?: number;
      },
    },
  };
}

function parts(content: Step['message']): Exclude<Step['message'], string> {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Agents repeat the usage of an answer on each of its records: per field the largest counts. */
function addUsage(total: Usage, value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const name of ['input', 'output', 'cache_read', 'cache_write', 'reasoning', 'cost'] as const) {
    const count = (value as Record<string, unknown>)[name];
    if (typeof count === 'number' && Number.isFinite(count)) total[name] = Math.max(total[name] ?? 0, count);
  }
}
