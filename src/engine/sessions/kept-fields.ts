import type { Redactor } from '../../core/redact/redactor.ts';

/**
 * Where a field stands in a record: `message.content[].signature`, with `[]` for each entry of a list. A field of the same
 * name elsewhere (in a tool's input, in an output) is text like any other.
 */
export type FieldPath = string;

interface Place {
  holder: Record<string, unknown>;
  name: string;
}

/** A redacted copy of a record in which texts at the `kept` places, ids and signatures, stay as they are. */
export function redactedRecord<T>(redactor: Redactor, record: T, kept: readonly FieldPath[]): T {
  const copy = structuredClone(record);
  const places = kept.flatMap((path) => placesOf(copy, path.split('.')));
  const values = places.map(({ holder, name }) => holder[name]);
  for (const { holder, name } of places) holder[name] = null;
  redactor.record(copy);
  for (const [at, { holder, name }] of places.entries()) holder[name] = values[at];
  return copy;
}

function placesOf(value: unknown, [step = '', ...rest]: readonly string[]): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  const isList = step.endsWith('[]');
  const name = isList ? step.slice(0, -2) : step;
  if (!Object.hasOwn(holder, name)) return [];
  const field = holder[name];
  if (rest.length === 0) return typeof field === 'string' ? [{ holder, name }] : [];
  if (!isList) return placesOf(field, rest);
  return Array.isArray(field) ? field.flatMap((entry) => placesOf(entry, rest)) : [];
}
