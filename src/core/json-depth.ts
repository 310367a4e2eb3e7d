/**
 * Levels of nesting that are read. Whatever walks a record later (JSON.stringify, structured clone, redaction, views) does so
 * by recursion and would overflow the stack some thousands of levels down; what people and agents write has a few dozen.
 */
export const MAX_NESTING = 500;

/** Whether a parsed JSON value is nested deeper than is read. `chars` = length of its text; short ones cannot be. */
export function isTooDeep(value: unknown, chars: number): boolean {
  return chars > 2 * MAX_NESTING && deeper(value, MAX_NESTING);
}

function deeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (deeper(item, levels - 1)) return true;
    return false;
  }
  for (const key in value) if (deeper((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
}

/** JSON.parse for text that a stranger wrote. @throws SyntaxError, also for JSON that is nested too deep */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isTooDeep(value, text.length)) throw new SyntaxError(`nested deeper than ${MAX_NESTING} levels`);
  return value;
}
