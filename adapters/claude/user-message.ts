import type { Mapped } from './content.ts';
import { bare, remainder } from './native.ts';
import type { Json } from './record.ts';

const HANDLED: ReadonlySet<string> = new Set(['content']);
const DEFAULTS = bare({ role: 'user' });

/** What of a user message its events do not give back: fields beside content and role, the form of its content. */
export function messageRest(message: Json, mapped: Pick<Mapped, 'native'>): Json | undefined {
  const rest = remainder(message, HANDLED, DEFAULTS, 1);
  return rest === undefined ? mapped.native : { message: rest, ...mapped.native };
}
