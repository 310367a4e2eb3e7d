/**
 * RFC 8785 (JSON Canonicalization Scheme): keys sorted by UTF-16 code units, no white space, ECMAScript numbers.
 * JSON.stringify already writes numbers and strings as the RFC asks, so the work is the order of keys. Most objects come
 * in order or in one of a few shapes; both are cheap. Objects whose keys V8 would reorder (integer-like names) or drop
 * (`__proto__`) take a serialiser of their own.
 */

/**
 * Orders of keys, as a trie over the keys as they stand: a log repeats few shapes, and looking at each key once is cheaper
 * than sorting or joining them. Bounded.
 */
interface Shape {
  next: Map<string, Shape>;
  /** places of the keys in sorted order */
  order: number[] | null;
}
const root: Shape = { next: new Map(), order: null };
const MAX_SHAPES = 20_000;
let shapes = 0;

let odd = false;

/**
 * The canonical text of a JSON value. `undefined` members are left out, as JSON.stringify does.
 * The caller makes sure that strings hold no lone surrogates (src/core/text.ts) and numbers are finite.
 */
export function canonicalJson(value: unknown): string {
  odd = false;
  const sorted = inOrder(value);
  return odd ? serialise(value) : JSON.stringify(sorted);
}

/** The value itself when all its keys are in order, else a copy in order; sets `odd` where a copy cannot hold the order. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? arrayInOrder(value) : objectInOrder(value as Record<string, unknown>);
}

function arrayInOrder(list: unknown[]): unknown[] {
  let copy: unknown[] | null = null;
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (typeof item !== 'object' || item === null) continue;
    const sorted = inOrder(item);
    if (sorted !== item) {
      copy ??= list.slice();
      copy[i] = sorted;
    }
  }
  return copy ?? list;
}

function objectInOrder(object: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(object);
  let ordered = true;
  let values: unknown[] | null = null;
  let last = '';
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    if (last > key) ordered = false;
    if (key === '__proto__') odd = true;
    last = key;
    const item = object[key];
    if (typeof item !== 'object' || item === null) continue;
    const sorted = inOrder(item);
    if (sorted === item) continue;
    values ??= keys.map((one) => object[one]);
    values[i] = sorted;
  }
  // V8 lists integer-like keys first, so the first key tells whether there are any
  if (keys.length > 1 && isDigit((keys[0] as string).charCodeAt(0))) odd = true;
  if (ordered && values === null) return object;
  const copy: Record<string, unknown> = {};
  if (ordered) for (let i = 0; i < keys.length; i++) copy[keys[i] as string] = (values as unknown[])[i];
  else
    for (const i of orderOf(keys)) {
      const key = keys[i] as string;
      copy[key] = values === null ? object[key] : values[i];
    }
  return copy;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Places of the keys in sorted order. */
function orderOf(keys: string[]): number[] {
  let shape: Shape = root;
  for (const key of keys) {
    let next = shape.next.get(key);
    if (next === undefined) {
      next = { next: new Map(), order: null };
      if (shapes < MAX_SHAPES) {
        shapes++;
        shape.next.set(key, next);
      }
    }
    shape = next;
  }
  shape.order ??= keys.map((_, i) => i).sort((a, b) => ((keys[a] as string) < (keys[b] as string) ? -1 : 1));
  return shape.order;
}

/** Slow and always right: writes the text member by member. */
function serialise(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(serialise).join(',')}]`;
  const object = value as Record<string, unknown>;
  const members: string[] = [];
  for (const key of Object.keys(object).sort()) {
    if (object[key] !== undefined) members.push(`${JSON.stringify(key)}:${serialise(object[key])}`);
  }
  return `{${members.join(',')}}`;
}
