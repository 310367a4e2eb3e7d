import type { Usage } from '../../../src/shared/events.ts';
import { isObject } from './item.ts';
import type { Reading } from './state.ts';

type Json = Record<string, unknown>;

/**
 * Token usage, each response once: `token_usage_record` lines where a version writes them (≥ 0.160), else the steps of
 * `token_count`, which repeats itself. Never both.
 */
export function usageRecord(reading: Reading, payload: Json): void {
  const { state, accounts, log } = reading;
  state.usage.records = true;
  const usage = usageOf(payload.usage);
  if (usage === null) {
    accounts.declare('token_usage_record without usage');
    return;
  }
  accounts.mapped++;
  const response = typeof payload.response_id === 'string' ? payload.response_id : `line-${log.place.line + 1}`;
  log.meta('usage', { response, ...usage });
}

export function tokenCount(reading: Reading, payload: Json): void {
  const { state, accounts, log } = reading;
  const info = isObject(payload.info) ? payload.info : {};
  const total = isObject(info.total_token_usage) ? count(info.total_token_usage.total_tokens) : state.usage.total;
  const usage = usageOf(info.last_token_usage);
  const grown = total !== state.usage.total;
  state.usage.total = total;
  if (state.usage.records || usage === null || !grown) {
    accounts.declare('token_count, counted already');
    return;
  }
  accounts.mapped++;
  log.meta('usage', { response: `line-${log.place.line + 1}`, ...usage });
}

/** Cached tokens are part of Codex's `input_tokens`; ours are disjoint. */
function usageOf(value: unknown): Usage | null {
  if (!isObject(value)) return null;
  const [read, write] = [count(value.cached_input_tokens), count(value.cache_write_input_tokens)];
  if (count(value.total_tokens) === 0 && count(value.input_tokens) === 0) return null;
  return {
    input: Math.max(0, count(value.input_tokens) - read - write),
    output: count(value.output_tokens),
    cache_read: read,
    cache_write: write,
    reasoning: count(value.reasoning_output_tokens),
  };
}

const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
