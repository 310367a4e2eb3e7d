import { parseJson } from '../../src/core/json-depth.ts';

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The parsed value; undefined for text that is no JSON, or JSON nested too deep. */
export function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

export function objectOf(text: unknown): Json {
  const value = parsed(text);
  return isObject(value) ? value : {};
}

/** A string that says something, else null. */
export function word(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * JSON as Python's `json.dumps` writes it by default: a space after commas and colons, everything beyond ASCII escaped.
 * That is how Hermes fills its JSON columns.
 */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (isObject(value))
    return `{${Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => `${ascii(JSON.stringify(key))}: ${pythonJson(member)}`)
      .join(', ')}}`;
  return typeof value === 'string' ? ascii(JSON.stringify(value)) : (JSON.stringify(value) ?? 'null');
}

function ascii(text: string): string {
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
