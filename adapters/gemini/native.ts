import type { ContentBlock, SessionEvent } from '../../src/shared/events.ts';
import type { StoreArtifact } from '../io/cut-text.ts';
import { isObject, type Json } from './read/record.ts';

/*
 * A native record is kept with its first event, with holes for what the events say already, so that nothing stands twice
 * and the record can be written again as it was (rebuild.ts). A hole is an object with one member:
 *   $t  number of a slot: a text, the arguments of a call, a result's structure, in the order of the record's events
 *   $a  artifact with a long text      $b  artifact with bytes that stood there as base64
 *   $same  id of a message whose last version is the same
 *   $own  an object of the agent's own that looks like a hole
 */

const HOLES: ReadonlySet<string> = new Set(['$t', '$a', '$b', '$same', '$own']);
/** Shorter texts cost less than a hole. */
const WORTH = 12;
/** Longer texts that no event holds become artifacts. */
const INLINE = 8192;

/** A text that stands in its event only in part. */
class Cut {
  readonly artifact: string;
  constructor(artifact: string) {
    this.artifact = artifact;
  }
}

/** What of events can fill holes: texts and objects, in order. */
export type Slot = string | Json | Cut;

type Said = Pick<SessionEvent, 'type' | 'payload'>;

/** The slots of a record's events. Long texts are named by their artifact. */
export function* slotsOf(events: Iterable<Said>): Generator<Slot> {
  for (const { type, payload } of events) {
    if (!/^(message|tool|context)\./.test(type)) continue;
    if (type === 'tool.call' && isObject(payload.arguments)) yield payload.arguments;
    if (typeof payload.text === 'string') yield payload.text;
    const cut = payload.truncated;
    const content = payload.content ?? payload.summary;
    let first = true;
    for (const block of Array.isArray(content) ? (content as ContentBlock[]) : []) {
      if (block.kind !== 'text') continue;
      yield first && isObject(cut) ? new Cut(String(cut.artifact)) : block.text;
      first = false;
    }
    if (isObject(payload.structured)) yield payload.structured;
  }
}

/** Makes the holes. `whole`: texts that stand in events only in part, by their artifact. */
export class Puncher {
  readonly #texts = new Map<string, number>();
  readonly #objects = new Map<object, number>();
  readonly #store: StoreArtifact;
  #slots = 0;

  constructor(store: StoreArtifact) {
    this.#store = store;
  }

  /** Learns what the next events of the record say. `whole`: the uncut text of each cut one, in order. */
  know(events: readonly Said[], whole: readonly string[]): void {
    let cut = 0;
    for (const slot of slotsOf(events)) {
      const n = this.#slots++;
      if (typeof slot === 'string') this.#text(slot, n);
      else if (slot instanceof Cut) this.#text(whole[cut++] ?? '', n);
      else this.#objects.set(slot, n);
    }
  }

  #text(text: string, slot: number): void {
    if (text.length >= WORTH && !this.#texts.has(text)) this.#texts.set(text, slot);
  }

  punch(value: unknown): unknown {
    if (typeof value === 'string') return this.#string(value);
    if (Array.isArray(value)) return value.map((item) => this.punch(item));
    if (!isObject(value)) return value;
    const slot = this.#objects.get(value);
    if (slot !== undefined) return { $t: slot };
    const copy: Json = {};
    for (const key of Object.keys(value)) setOwn(copy, key, this.#member(value, key));
    return isHole(copy) ? { $own: copy } : copy;
  }

  #member(object: Json, key: string): unknown {
    const value = object[key];
    if (key !== 'data' || typeof value !== 'string' || typeof object.mimeType !== 'string') return this.punch(value);
    const bytes = Buffer.from(value, 'base64');
    if (value.length < WORTH || bytes.toString('base64') !== value) return this.punch(value);
    return { $b: this.#store(bytes, object.mimeType) };
  }

  #string(text: string): unknown {
    const slot = this.#texts.get(text);
    if (slot !== undefined) return { $t: slot };
    return text.length > INLINE ? { $a: this.#store(Buffer.from(text), 'text/plain') } : text;
  }
}

function isHole(value: Json): boolean {
  const keys = Object.keys(value);
  return keys.length === 1 && HOLES.has(keys[0]!);
}

export type ReadArtifact = (ref: string) => Promise<Uint8Array>;

/** Fills the holes of a kept value. `same` gives the last version of a message. */
export async function fill(
  value: unknown,
  slots: readonly Slot[],
  read: ReadArtifact,
  same: (id: string) => unknown,
): Promise<unknown> {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await fill(item, slots, read, same));
    return items;
  }
  if (!isObject(value)) return value;
  if (isHole(value)) return fillHole(value, slots, read, same);
  const copy: Json = {};
  for (const key of Object.keys(value)) setOwn(copy, key, await fill(value[key], slots, read, same));
  return copy;
}

async function fillHole(
  hole: Json,
  slots: readonly Slot[],
  read: ReadArtifact,
  same: (id: string) => unknown,
): Promise<unknown> {
  if (isObject(hole.$own)) {
    const copy: Json = {};
    for (const key of Object.keys(hole.$own)) setOwn(copy, key, await fill(hole.$own[key], slots, read, same));
    return copy;
  }
  if (typeof hole.$same === 'string') return same(hole.$same);
  if (typeof hole.$a === 'string') return Buffer.from(await read(hole.$a)).toString();
  if (typeof hole.$b === 'string') return Buffer.from(await read(hole.$b)).toString('base64');
  const slot = slots[Number(hole.$t)];
  return slot instanceof Cut ? Buffer.from(await read(slot.artifact)).toString() : slot;
}

/** Sets a member of any name, `__proto__` too. */
function setOwn(object: Json, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  else object[key] = value;
}
