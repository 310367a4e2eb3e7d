import type { Usage } from '../../../src/shared/events.ts';
import type { StoreArtifact } from '../../io/cut-text.ts';
import { isObject, type Json, numberOf, objectOf } from '../json.ts';
import { shrink } from './shrink.ts';
import type { Message, Part } from './units.ts';

/** Kept with a message: its own record and those of its parts, as they were after secrets were taken out. */
export interface Closing {
  key: 'usage' | 'record';
  value: unknown;
  native: { message: unknown; parts: [id: string, data: unknown, ...times: unknown[]][]; times?: readonly unknown[] };
}

/** A string of a part that is said elsewhere in it: `metadata.output` repeats `output`, so it is kept by name. */
const SAME = { $same: 'output' };

/**
 * The record of a message behind its events: usage where it is an answer of its own, and the message's rows, so that they
 * can be written again (rebuild.ts). Written anew when anything of the message has changed. What the events say stands in
 * it once more: rows change in place, and only a whole one says what it is now.
 */
export function closingOf(message: Message, store: StoreArtifact): Closing {
  const native = {
    message: shrink(message.data, store),
    parts: message.parts.map((part): [string, unknown, ...unknown[]] => [
      part.id,
      restOf(part, store),
      ...(part.times ?? []),
    ]),
    ...(message.times === undefined ? {} : { times: message.times }),
  };
  const usage = usageOf(message);
  if (usage === null) return { key: 'record', value: { table: 'message', id: message.id }, native };
  return { key: 'usage', value: { response: message.id, ...usage }, native };
}

/** Tokens count with the step that used them: a session that was handed over has numbers of the whole in its last message. */
function usageOf({ data, parts }: Message): Usage | null {
  if (data.role !== 'assistant' || !parts.some((part) => part.data.type === 'step-finish')) return null;
  const tokens = objectOf(data.tokens);
  const cache = objectOf(tokens.cache);
  const cost = numberOf(data.cost);
  const count = (value: unknown): number => Math.max(0, numberOf(value) ?? 0);
  return {
    input: count(tokens.input),
    output: count(tokens.output),
    cache_read: count(cache.read),
    cache_write: count(cache.write),
    reasoning: count(tokens.reasoning),
    ...(cost === null ? {} : { cost }),
  };
}

function restOf({ data }: Part, store: StoreArtifact): unknown {
  return shrink(isObject(data.state) ? toolRest(data, data.state) : data, store);
}

/** Output and its twin in the metadata once. */
function toolRest(data: Json, state: Json): Json {
  const { output } = state;
  const metadata = objectOf(state.metadata);
  if (typeof output !== 'string' || output === '' || metadata.output !== output) return data;
  return { ...data, state: { ...state, metadata: { ...metadata, output: SAME } } };
}
