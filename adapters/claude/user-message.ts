import { remainder } from './native.ts';
import type { Json } from './record.ts';

const HANDLED: ReadonlySet<string> = new Set(['content']);
const DEFAULTS: Json = { role: 'user' };

/** What of a user message is neither its content nor the usual role; undefined when nothing is. */
export function messageRest(message: Json): Json | undefined {
  return remainder(message, HANDLED, DEFAULTS, 1);
}
