import { randomUUID } from 'node:crypto';
import { sha256Hex } from '../../core/hash.ts';
import { canonicalJson } from '../../core/log/canonical-json.ts';
import type { Operation, Store } from '../store/contract.ts';

/** A request that is done at most once under its id, however often it is made. */
export interface Once {
  id: string;
  kind: string;
  digest: string;
}

/** `request` is all that tells two requests apart; an id that is not given is a new one. */
export function onceOf(kind: string, id: string | undefined, request: object): Once {
  return { id: id ?? randomUUID(), kind, digest: sha256Hex(canonicalJson({ command: kind, ...request })) };
}

/** The operation as a decision with `once` records it: done. */
export function doneOf({ id, kind, digest }: Once, data: Record<string, unknown>): Operation {
  return { id, kind, digest, state: 'done', step: null, data, updated: Date.now() / 1000 };
}

/**
 * What an earlier request under this id recorded, before any work is begun; null when it is new, or another request (which
 * the decision refuses).
 */
export async function recordedBy(store: Store, { id, digest }: Once): Promise<Operation['data'] | null> {
  const known = await store.reader.operation(id);
  return known?.state === 'done' && known.digest === digest ? known.data : null;
}

/** Id of a session that an operation makes: a second try cannot make a second one. */
export const sessionOf = ({ id, kind }: Once): string => `sess_${sha256Hex(`${kind} ${id}`).slice(0, 20)}`;

/** The receipt's id, by the same rule. */
export const receiptOf = ({ id, kind }: Once): string => `rcpt_${sha256Hex(`${kind} ${id}`).slice(0, 20)}`;
