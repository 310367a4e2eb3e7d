import { sha256Hex } from '../../src/core/hash.ts';
import { charFloor } from '../../src/core/text.ts';
import type { ContentBlock, ToolKind, ToolResult } from '../../src/shared/events.ts';
import { cutText, type StoreArtifact } from '../io/cut-text.ts';
import { isObject, type Json, type Part, textOf } from './session.ts';

/** Names of the editor's tools and of the command line's. */
const KINDS: Record<string, ToolKind> = {
  run_terminal_cmd: 'shell',
  run_terminal_command: 'shell',
  run_terminal_command_v2: 'shell',
  shell: 'shell',
  read_file: 'read',
  read_file_v2: 'read',
  read: 'read',
  write: 'write',
  edit_file: 'edit',
  edit_file_v2: 'edit',
  search_replace: 'edit',
  apply_patch: 'edit',
  strreplace: 'edit',
  edit: 'edit',
  delete_file: 'edit',
  grep_search: 'search',
  grep: 'search',
  ripgrep_raw_search: 'search',
  codebase_search: 'search',
  semantic_search_full: 'search',
  list_dir: 'search',
  ls: 'search',
  file_search: 'search',
  glob: 'search',
  glob_file_search: 'search',
  web_search: 'web',
  web_fetch: 'web',
  todo_write: 'todo',
  todowrite: 'todo',
  create_plan: 'plan',
  task: 'agent',
};

export function toolOf(name: string): { kind: ToolKind; server?: string } {
  const plain = name.toLowerCase();
  if (Object.hasOwn(KINDS, plain)) return { kind: KINDS[plain]! };
  const server = /^mcp[_-]+([^_-]+)[_-]/.exec(plain)?.[1];
  return server === undefined ? { kind: 'other' } : { kind: 'mcp', server };
}

export function callPart(id: string, name: string, args: unknown): Part {
  const { kind, server } = toolOf(name);
  const payload: Json = {
    call_id: id,
    name,
    arguments: isObject(args) || typeof args === 'string' ? args : {},
    tool: kind,
  };
  if (server !== undefined) payload.server = server;
  return { fact: `c${short(id)}`, type: 'tool.call', actor: 'agent:cursor', payload };
}

/** The result of a call, with what it did to commands and files. */
export function resultPart(
  call: { id: string; name: string; args: unknown },
  text: string,
  state: { isError: boolean; closed: ToolResult['closed'] },
  store: StoreArtifact,
): Part {
  const cut = cutText(text, store);
  const content: ContentBlock[] = text === '' ? [] : [{ kind: 'text', text: cut.text }];
  const payload: Json = { call_id: call.id, content, is_error: state.isError, closed: state.closed };
  if (cut.truncated !== undefined) payload.truncated = cut.truncated;
  const exit = toolOf(call.name).kind === 'shell' ? /\bexit code:? (-?\d+)/i.exec(text)?.[1] : undefined;
  if (exit !== undefined) payload.exit_code = Number(exit);
  const derived = derive(call, text, state.isError, payload.exit_code);
  return { fact: `x${short(call.id)}`, type: 'tool.result', actor: 'system', payload, derived };
}

const TAIL = 1000;

function derive(
  { name, args }: { name: string; args: unknown },
  text: string,
  failed: boolean,
  exit: unknown,
): NonNullable<Part['derived']> {
  const { kind } = toolOf(name);
  const of = isObject(args) ? args : {};
  if (kind === 'shell') {
    const tail = text.length <= TAIL ? text : text.slice(charFloor(text, text.length - TAIL));
    const code = exit === undefined ? {} : { exit_code: exit };
    return [{ type: 'command.run', payload: { cmd: textOf(of.command) ?? '', stdout_tail: tail, ...code } }];
  }
  const path = [of.target_file, of.file_path, of.path, of.relative_workspace_path].find(
    (one) => typeof one === 'string',
  );
  if (failed || path === undefined) return [];
  if (kind === 'read') return [{ type: 'file.read', payload: { path } }];
  const op = name === 'delete_file' ? 'delete' : 'edit';
  return kind === 'write' || kind === 'edit' ? [{ type: 'file.edit', payload: { path, op } }] : [];
}

export const short = (text: string): string => sha256Hex(text).slice(0, 10);

export function textPart(type: 'message.user' | 'message.assistant', text: string, more: Json = {}): Part {
  const own = type === 'message.user' ? { via: 'prompt' } : {};
  return {
    fact: `${type === 'message.user' ? 'u' : 'r'}${short(text)}`,
    type,
    actor: type === 'message.user' ? 'user' : 'agent:cursor',
    payload: { content: [{ kind: 'text', text }], ...own, ...more },
  };
}

export function thinkingPart(text: string, signature?: string): Part {
  const signed = signature === undefined ? { form: 'plain' } : { form: 'signed', opaque: signature };
  return { fact: `t${short(text)}`, type: 'message.thinking', actor: 'agent:cursor', payload: { text, ...signed } };
}

export function systemPart(text: string, about: string, toModel: boolean): Part {
  const payload: Json = { content: [{ kind: 'text', text }], role: 'user', about };
  if (toModel) payload.to_model = true;
  return { fact: `s${short(text)}`, type: 'message.system', actor: 'system', payload };
}
