import Database from 'better-sqlite3';
import type { SessionEvent } from '../../../src/shared/events.ts';

/**
 * What Hermes sends to its model when it resumes a session, by the rules of its own reader (FORMAT.md), coded here once more
 * and apart from the adapter: live rows in the order of their ids; `api_content` before `content`; fences of memory
 * stripped; rows of roles that it drops left out; neighbours of one role merged; results without a call dropped.
 */
export interface Said {
  role: string;
  text: string;
  calls: { id: string; name: string; arguments: unknown }[];
  answers: string | null;
}

interface NativeRow {
  role: string;
  content: Buffer | null;
  api_content: string | null;
  tool_calls: string | null;
  tool_call_id: string | null;
  codex_message_items: string | null;
}

/** `file` must be at rest: it is opened where it lies. */
export function sentByHermes(file: string, id: string): Said[] {
  const db = new Database(file, { readonly: true });
  try {
    const columns = new Set((db.prepare('PRAGMA table_info(messages)').all() as { name: string }[]).map((c) => c.name));
    const or = (name: string): string => (columns.has(name) ? name : `NULL AS ${name}`);
    const active = columns.has('active') ? 'AND active IS NOT 0' : '';
    const rows = db
      .prepare(
        `SELECT role, CAST(content AS BLOB) AS content, tool_calls, tool_call_id, ${or('api_content')},
                ${or('codex_message_items')} FROM messages WHERE session_id = ? ${active} ORDER BY id`,
      )
      .all(id) as NativeRow[];
    return merged(rows.filter(({ role }) => role !== 'system' && role !== 'session_meta').map(saidBy));
  } finally {
    db.close();
  }
}

function saidBy(row: NativeRow): Said {
  const clean = decoded(row.content).replace(/<memory-context>[\s\S]*?<\/memory-context>/g, '');
  const text = row.api_content ?? (clean === '' ? itemTexts(row.codex_message_items) : clean);
  const calls = (row.tool_calls === null ? [] : JSON.parse(row.tool_calls)) as {
    id: string;
    function: { name: string; arguments: string };
  }[];
  return {
    role: row.role,
    text,
    calls: calls.map((call) => ({
      id: call.id,
      name: call.function.name,
      arguments: JSON.parse(call.function.arguments) as unknown,
    })),
    answers: row.tool_call_id,
  };
}

function decoded(content: Buffer | null): string {
  const text = content?.toString('utf8') ?? '';
  if (!text.startsWith('\0json:')) return text;
  const parts = JSON.parse(text.slice(6)) as { text?: string; image_url?: { url: string } }[];
  return parts.map((part) => part.text ?? (part.image_url?.url.startsWith('data:') ? '[image]' : '')).join('\n');
}

function itemTexts(items: string | null): string {
  const list = (items === null ? [] : JSON.parse(items)) as { content?: { text?: string }[] }[];
  return list.flatMap(({ content }) => (content ?? []).map(({ text }) => text ?? '')).join('\n');
}

function merged(messages: Said[]): Said[] {
  const out: Said[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    const open = new Set(out.findLast(({ role }) => role === 'assistant')?.calls.map(({ id }) => id));
    if (message.role === 'tool' && !open.has(message.answers ?? '')) continue;
    if (last?.role === message.role && message.role !== 'tool') {
      last.text += `\n${message.text}`;
      last.calls.push(...message.calls);
    } else out.push({ ...message, calls: [...message.calls] });
  }
  return out.map((message) => ({ ...message, text: plain(message.text) }));
}

/** The model view of a captured session in the same form. */
export function sentByUs(events: readonly SessionEvent[]): Said[] {
  const messages = events.flatMap((event): Said[] => {
    const { payload, type } = event;
    const base = { text: textOf(payload.content), calls: [], answers: null };
    switch (type) {
      case 'message.user':
      case 'message.system':
        return [{ ...base, role: payload.role === 'developer' ? 'developer' : 'user' }];
      case 'context.compacted': {
        const native = payload.native as { row?: { role?: string } } | undefined;
        return [{ ...base, role: native?.row?.role ?? 'user', text: textOf(payload.summary) }];
      }
      case 'message.assistant':
        return [{ ...base, role: 'assistant' }];
      case 'tool.call': {
        const { call_id, name, arguments: args } = payload as { call_id: string; name: string; arguments: unknown };
        return [{ ...base, role: 'assistant', calls: [{ id: call_id, name, arguments: args }] }];
      }
      case 'tool.result':
        return [{ ...base, role: 'tool', answers: String(payload.call_id) }];
      default:
        return [];
    }
  });
  return merged(messages);
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return (content as { kind: string; text?: string }[])
    .map(({ kind, text }) => (kind === 'image' ? '[image]' : (text ?? '')))
    .join('\n');
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
