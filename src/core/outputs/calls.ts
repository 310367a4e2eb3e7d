import type { ToolCard } from '../../shared/transcript.ts';

/** What a reader sees of a call's arguments besides the one line in its head: names and texts. */
export function argumentsOf({ arguments: args, header, diff }: ToolCard): [name: string, text: string][] {
  if (args === null || args === undefined) return [];
  if (typeof args === 'string') return args === header ? [] : [['input', args]];
  if (typeof args !== 'object' || Array.isArray(args)) return [['input', jsonText(args)]];
  const shown: [string, string][] = [];
  for (const [name, value] of Object.entries(args)) {
    if (value === header) continue;
    // a diff says it better
    if (diff !== undefined && EDITED.has(name)) continue;
    shown.push([name, typeof value === 'string' ? value : jsonText(value)]);
  }
  return shown;
}

const EDITED: ReadonlySet<string> = new Set(['old_string', 'new_string', 'oldString', 'newString']);

function jsonText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Whether an argument fits a line. */
export function isShort(text: string): boolean {
  return text !== '' && text.length <= 100 && !/\s/.test(text.trim().replace(/ /g, ''));
}
