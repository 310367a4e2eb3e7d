import type { Mapped } from './content.ts';
import { Usual } from './native.ts';
import type { Json } from './record.ts';

const USUAL = new Usual(['content'], { role: 'user' });

/** What of a user message its events do not give back: fields beside content and role, the form of its content. */
export function messageRest(message: Json, mapped: Pick<Mapped, 'native'>): Json | undefined {
  const rest = USUAL.rest(message);
  return rest === undefined ? mapped.native : { message: rest, ...mapped.native };
}
