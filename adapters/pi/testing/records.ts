import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Captured, captureSource, withHome } from './fixtures.ts';

type Fields = Record<string, unknown>;

export const ID = '01a22777-1715-772b-b299-85848922b56e';

/** Builds the records of a small session. Each entry hangs on the one before it, unless `parentId` says otherwise. */
export class Records {
  readonly list: Fields[] = [];
  #n = 0;
  #last: string | null = null;

  constructor(header: Fields = {}) {
    this.list.push({
      type: 'session',
      version: 3,
      id: ID,
      timestamp: this.#time(),
      cwd: '/home/dev/orchard',
      ...header,
    });
  }

  /** Any entry; returns its id. */
  entry(type: string, fields: Fields = {}): string {
    const id = `e${++this.#n}`;
    this.list.push({ type, id, parentId: this.#last, timestamp: this.#time(), ...fields });
    this.#last = String(fields.id ?? id);
    return this.#last;
  }

  message(role: string, message: Fields, fields: Fields = {}): string {
    return this.entry('message', { message: { role, ...message, timestamp: 1 }, ...fields });
  }

  user(words: string, fields: Fields = {}): string {
    return this.message('user', { content: [{ type: 'text', text: words }] }, fields);
  }

  assistant(content: unknown, message: Fields = {}, fields: Fields = {}): string {
    const usage = { input: 10, output: 5, cacheRead: 2, cacheWrite: 1, totalTokens: 18 };
    const known = { api: 'openai-completions', provider: 'local', model: 'm-1', usage, stopReason: 'stop' };
    return this.message('assistant', { content, ...known, ...message }, fields);
  }

  say(words: string, message: Fields = {}, fields: Fields = {}): string {
    return this.assistant([{ type: 'text', text: words }], message, fields);
  }

  call(id: string, name: string, args: Fields, message: Fields = {}): string {
    return this.assistant([{ type: 'toolCall', id, name, arguments: args }], { stopReason: 'toolUse', ...message });
  }

  result(id: string, name: string, words: string, message: Fields = {}): string {
    const content = [{ type: 'text', text: words }];
    return this.message('toolResult', { toolCallId: id, toolName: name, content, isError: false, ...message });
  }

  get text(): string {
    return this.list.map((record) => `${JSON.stringify(record)}\n`).join('');
  }

  /** Captures the records as a session file; `files` are laid beside it, below the home folder. */
  capture(files: Record<string, string> = {}): Promise<Captured> {
    return withHome(async (env) => {
      const path = join(
        env.home,
        '.pi',
        'agent',
        'sessions',
        '--home-dev-orchard--',
        `2026-11-29T13-00-00-000Z_${ID}.jsonl`,
      );
      const all = { ...files, [path.slice(env.home.length)]: this.text };
      for (const [name, text] of Object.entries(all)) {
        await mkdir(dirname(join(env.home, name)), { recursive: true });
        await writeFile(join(env.home, name), text.replaceAll('$HOME', env.home));
      }
      return captureSource({ agent: 'pi', path, native_id: ID, bytes: 1, mtime_ms: 1 }, env);
    });
  }

  #time(): string {
    return new Date(Date.UTC(2026, 10, 29, 13, 0, this.#n)).toISOString();
  }
}
