import { statSync } from 'node:fs';
import { appendFile, truncate, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readText, textIfAny } from '../io/open-file.ts';

/** `session_index.jsonl`: Codex's append-only list of thread names, the last line of an id wins. */
export function sessionIndexPath(home: string): string {
  return join(home, 'session_index.jsonl');
}

/** Names by thread id. Unreadable lines are passed over, as Codex does. */
function readSessionIndex(home: string): Map<string, string> {
  return namesIn(textIfAny(sessionIndexPath(home)));
}

/** The last index that was read: it is asked for every thread of a home, one after the other. */
let last = { path: '', state: '', names: new Map<string, string>() };

/** Name of a thread; null = it has none. Reads the index again only when it has changed. */
export function nameOf(home: string, id: string): string | null {
  const path = sessionIndexPath(home);
  try {
    const { size, mtimeMs } = statSync(path);
    const state = `${size} ${mtimeMs}`;
    if (last.path !== path || last.state !== state) last = { path, state, names: namesIn(readText(path)) };
    return last.names.get(id) ?? null;
  } catch {
    return null;
  }
}

function namesIn(text: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const line of text.split('\n')) {
    const entry = parse(line);
    if (entry !== null) names.set(entry.id, entry.name);
  }
  return names;
}

function parse(line: string): { id: string; name: string } | null {
  try {
    const { id, thread_name } = JSON.parse(line) as { id?: unknown; thread_name?: unknown };
    return typeof id === 'string' && typeof thread_name === 'string' ? { id, name: thread_name } : null;
  } catch {
    return null;
  }
}

/** Appends a name unless it is there already. `at` in seconds. A torn last line is closed first. */
export async function appendName(home: string, id: string, name: string, at: number): Promise<void> {
  if (readSessionIndex(home).get(id) === name) return;
  const path = sessionIndexPath(home);
  const before = textIfAny(path);
  const line = JSON.stringify({ id, thread_name: name, updated_at: new Date(at * 1000).toISOString() });
  await appendFile(path, `${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`, { mode: 0o600 });
}

/** Takes back our line where it is still the last one; true = no line of this id is left. */
export async function dropName(home: string, id: string): Promise<boolean> {
  const path = sessionIndexPath(home);
  const text = textIfAny(path);
  const start = text.lastIndexOf('\n', text.length - 2) + 1;
  if (text.endsWith('\n') && parse(text.slice(start))?.id === id)
    // a list with this one line alone was made for it
    await (start === 0 ? unlink(path) : truncate(path, Buffer.byteLength(text.slice(0, start))));
  return !readSessionIndex(home).has(id);
}
