import { textOf } from '../json.ts';
import type { Message } from './units.ts';

/** Which model gave the answer; its proofs of reasoning hold with that one alone. */
export function modelOf({ data }: Message): { model?: string; provider?: string } {
  const model = textOf(data.modelID);
  const provider = textOf(data.providerID);
  return { ...(model === null ? {} : { model }), ...(provider === null ? {} : { provider }) };
}
