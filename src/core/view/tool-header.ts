import type { ToolKind } from '../../shared/events.ts';
import { shorten, wellFormed } from '../text.ts';

const HEADER_CHARS = 400;

/** Names under which agents pass the one input that matters, by kind of tool. First match wins. */
const KEYS: Record<ToolKind, readonly string[]> = {
  shell: ['command', 'cmd', 'script'],
  read: ['file_path', 'path', 'filePath', 'notebook_path', 'uri'],
  write: ['file_path', 'path', 'filePath', 'notebook_path'],
  edit: ['file_path', 'path', 'filePath', 'notebook_path', 'input', 'patch'],
  search: ['pattern', 'query', 'regex', 'glob', 'path'],
  web: ['url', 'query'],
  todo: ['subject', 'content', 'taskId'],
  plan: ['plan', 'explanation'],
  agent: ['description', 'prompt', 'task', 'message'],
  mcp: [],
  code: ['code', 'input'],
  other: [],
};

/** The one line of a tool card: the command, the path, the pattern. Empty when the call has no such input. */
export function toolHeader(tool: ToolKind, args: unknown): string {
  const text = typeof args === 'string' ? fromText(tool, args) : fromObject(tool, args);
  return shorten(wellFormed(text.replace(/\s+/g, ' ').trim()), HEADER_CHARS);
}

function fromText(tool: ToolKind, text: string): string {
  const files = tool === 'edit' || tool === 'write' ? patchFiles(text) : [];
  return files.length > 0 ? files.join(', ') : firstLine(text);
}

function fromObject(tool: ToolKind, args: unknown): string {
  if (typeof args !== 'object' || args === null) return '';
  const input = args as Record<string, unknown>;
  for (const key of KEYS[tool]) {
    const value = asText(input[key]);
    if (value !== '') return key === 'input' || key === 'patch' ? fromText(tool, value) : value;
  }
  const list = Object.values(input).find((value) => Array.isArray(value) && value.length > 0);
  if ((tool === 'todo' || tool === 'plan') && Array.isArray(list))
    return list.length === 1 ? '1 item' : `${list.length} items`;
  for (const value of Object.values(input))
    if (typeof value === 'string' && value.trim() !== '') return firstLine(value);
  return '';
}

function asText(value: unknown): string {
  if (Array.isArray(value)) return value.filter((part) => typeof part === 'string').join(' ');
  return typeof value === 'string' ? value.slice(0, 4 * HEADER_CHARS) : '';
}

function firstLine(text: string): string {
  return (
    text
      .trimStart()
      .slice(0, 4 * HEADER_CHARS)
      .split('\n', 1)[0] ?? ''
  );
}

/** Files that a patch in the "*** Begin Patch" form or a unified diff touches. */
function patchFiles(patch: string): string[] {
  const files = new Set<string>();
  for (const match of patch.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(\S.*)$/gm))
    files.add(match[1]!.trim());
  return [...files];
}
