import { appendFile, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';

/** `session_index.jsonl`: Codex's append-only list of thread names, the last line of an id wins. */
export function sessionIndexPath(home: string): string {
  return join(home, 'session_index.jsonl');
}

/** Names by thread id. Unreadable lines are passed over, as Codex does. */
export async function readSessionIndex(home: string): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const text = await readFile(sessionIndexPath(home), 'utf8').catch(() => '');
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
  if ((await readSessionIndex(home)).get(id) === name) return;
  const path = sessionIndexPath(home);
  const before = await readFile(path, 'utf8').catch(() => '');
  const line = JSON.stringify({ id, thread_name: name, updated_at: new Date(at * 1000).toISOString() });
  await appendFile(path, `${before === '' || before.endsWith('\n') ? '' : '\n'}${line}\n`, { mode: 0o600 });
}

/** Takes back our line where it is still the last one; true = no line of this id is left. */
export async function dropName(home: string, id: string): Promise<boolean> {
  const path = sessionIndexPath(home);
  const text = await readFile(path, 'utf8').catch(() => '');
  const start = text.lastIndexOf('\n', text.length - 2) + 1;
  if (text.endsWith('\n') && parse(text.slice(start))?.id === id)
    await truncate(path, Buffer.byteLength(text.slice(0, start)));
  return !(await readSessionIndex(home)).has(id);
}
