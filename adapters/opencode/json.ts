import { parseJson } from '../../src/core/json-depth.ts';

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value when it is an object, else an empty one. */
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

/** The value when it is a string that says something, else null. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** A count or time; null for anything else. */
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** The object that a text holds as JSON; null when it holds none. */
export function parsedObject(text: unknown): Json | null {
  if (typeof text !== 'string') return null;
  try {
    const value = parseJson(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Milliseconds of the agent as seconds of ours; null stays. */
export const seconds = (ms: unknown): number | null => {
  const value = numberOf(ms);
  return value === null ? null : value / 1000;
};
