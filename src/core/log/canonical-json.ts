/**
 * RFC 8785 (JSON Canonicalization Scheme): keys sorted by UTF-16 code units, no white space, ECMAScript numbers.
 * JSON.stringify already writes numbers and strings as the RFC asks, so the work is the order of keys. Most objects come
 * in order or in one of a few shapes; both are cheap. Objects whose keys V8 would reorder (integer-like names) or drop
 * (`__proto__`) take a serialiser of their own.
 */

/** Sorted key lists by shape (the keys joined), since a log repeats few shapes. Bounded. */
const shapes = new Map<string, string[]>();
const MAX_SHAPES = 5000;

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
  let changed: Map<string, unknown> | null = null;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    if (i > 0 && (keys[i - 1] as string) > key) ordered = false;
    if (key === '__proto__') odd = true;
    const item = object[key];
    if (typeof item !== 'object' || item === null) continue;
    const sorted = inOrder(item);
    if (sorted === item) continue;
    changed ??= new Map();
    changed.set(key, sorted);
  }
  // V8 lists integer-like keys first, so the first key tells whether there are any
  if (keys.length > 1 && isDigit((keys[0] as string).charCodeAt(0))) odd = true;
  if (ordered && changed === null) return object;
  const copy: Record<string, unknown> = {};
  for (const key of ordered ? keys : sortedKeys(keys)) copy[key] = changed?.get(key) ?? object[key];
  return copy;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function sortedKeys(keys: string[]): string[] {
  const shape = keys.join('\0');
  const known = shapes.get(shape);
  if (known !== undefined) return known;
  const sorted = keys.slice().sort();
  if (shapes.size < MAX_SHAPES) shapes.set(shape, sorted);
  return sorted;
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
