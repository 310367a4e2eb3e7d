import type { Usage } from '../../../src/shared/events.ts';
import { isObject, number } from '../json.ts';
import type { Reading } from './state.ts';

/** Pi's `usage`: `input` excludes what was cached, `reasoning` is part of `output`. undefined = it says nothing. */
export function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const usage: Usage = {
    input: count(value.input),
    output: count(value.output),
    cache_read: count(value.cacheRead),
    cache_write: count(value.cacheWrite),
  };
  if (!Object.values(usage).some((tokens) => tokens > 0)) return undefined;
  if (count(value.reasoning) > 0) usage.reasoning = count(value.reasoning);
  const cost = isObject(value.cost) ? count(value.cost.total) : 0;
  return cost > 0 ? { ...usage, cost } : usage;
}

const count = (value: unknown): number => Math.max(0, number(value) ?? 0);

/** Usage beside that of the answers: of tools that ask a model, of summaries. */
export function usage({ log }: Reading, value: unknown, what: string): void {
  const known = usageOf(value);
  if (known !== undefined) log.meta('usage', { response: `${log.place.id ?? log.place.line}:${what}`, ...known });
}
