import type { SessionEvent, Usage } from '../../shared/events.ts';
import { eventTokens } from './event-tokens.ts';
import type { TokenScale } from './scale.ts';

/** What was added to a conversation between two requests: as the provider counted it, and in estimated o200k tokens. */
export interface Sample {
  counted: number;
  estimated: number;
}

/** Less text than this says too little: what a client adds unseen would weigh too much. */
const LEAST_TEXT = 300;
const LEAST_SAMPLES = 20;
const LEAST_TOKENS = 20_000;
/** A factor outside of this is a broken count, not a tokenizer. */
const [LOWEST, HIGHEST] = [0.7, 2.5];
const WIDEST = 0.25;
const NARROWEST = 0.03;

/**
 * Samples of a session's active branch, oldest first. Each answer tells the size of its request; what lies between two
 * requests is the answer before, its results and new prompts. Stretches with anything whose size cannot be seen are
 * passed over: reasoning, images, cut outputs, compactions, notes of the client.
 */
export function samplesOf(events: Iterable<SessionEvent>): Sample[] {
  const samples: Sample[] = [];
  let response: string | null = null;
  let size = 0;
  let before: number | null = null;
  let estimated = 0;
  let isClean = false;
  const close = (): void => {
    if (before !== null && size > before && isClean && estimated >= LEAST_TEXT)
      samples.push({ counted: size - before, estimated });
  };
  // texts of the answer whose request is being read
  let own = 0;
  let ownClean = true;
  for (const event of events) {
    const { payload, type } = event;
    const id = typeof payload.response === 'string' ? payload.response : null;
    if (id !== null && id !== response) {
      close();
      [before, estimated, isClean] = [response === null || size === 0 ? null : size, own, ownClean];
      [response, size, own, ownClean] = [id, 0, 0, true];
    }
    if (id !== null) size = Math.max(size, requestOf(payload.usage));
    if (VISIBLE.has(type) && payload.truncated === undefined && !hasMedia(payload.content)) own += eventTokens(event);
    else if (!SILENT.has(type)) ownClean = false;
  }
  close();
  return samples;
}

const VISIBLE: ReadonlySet<string> = new Set(['message.user', 'message.assistant', 'tool.call', 'tool.result']);
/** Never sent to a model. */
const SILENT: ReadonlySet<string> = new Set([
  'file.read',
  'file.edit',
  'command.run',
  'todo.add',
  'todo.update',
  'meta',
  'handoff',
  'checkpoint',
  'session.start',
  'session.fork',
]);

function requestOf(usage: unknown): number {
  const { input = 0, cache_read = 0, cache_write = 0 } = (usage ?? {}) as Usage;
  return input + cache_read + cache_write;
}

const hasMedia = (content: unknown): boolean =>
  Array.isArray(content) && content.some((block: { kind?: unknown } | null) => block?.kind !== 'text');

/** Factor and margin from what sessions counted; null = there is not enough of it, or it does not agree. */
export function calibrated(samples: readonly Sample[]): (TokenScale & { samples: number }) | null {
  const tokens = samples.reduce((sum, { estimated }) => sum + estimated, 0);
  if (samples.length < LEAST_SAMPLES || tokens < LEAST_TOKENS) return null;
  const ratios = samples.map(({ counted, estimated }) => counted / estimated);
  const factor = median(ratios);
  // of a normal spread, this is its standard deviation
  const spread = (1.4826 * median(ratios.map((ratio) => Math.abs(ratio - factor)))) / factor;
  if (factor < LOWEST || factor > HIGHEST || spread > WIDEST) return null;
  const rounded = Math.round(factor * 100) / 100;
  const margin = Math.round(Math.max(spread, NARROWEST) * 1000) / 1000;
  return { factor: rounded, margin, basis: `calibrated on ${samples.length} logged requests`, samples: samples.length };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
