import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { NativeSource } from '../../contract.ts';
import { claude } from '../adapter.ts';
import { type Captured, captureAll, withHome } from './fixtures.ts';

export const SESSION = '5f6a0c1e-2d3b-4c4d-8e5f-60718293a4b5';
const CWD = '/home/dev/orchard';

/** A uuid that ends in a number, so that tests can name records. */
export const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

type Fields = Record<string, unknown>;

/** Builds the records of a small session. Each record hangs on the one before it, unless `parentUuid` says otherwise. */
export class Records {
  readonly list: Fields[] = [];
  private n = 0;
  private last: string | null = null;

  /** Any chain record; returns its uuid. */
  chain(type: string, fields: Fields): string {
    const id = uuid(++this.n);
    const timestamp = new Date(Date.UTC(2026, 4, 4, 10, 0, this.n)).toISOString();
    const base = { isSidechain: false, userType: 'external', cwd: CWD, sessionId: SESSION, version: '2.1.332' };
    this.list.push({ parentUuid: this.last, ...base, gitBranch: 'main', type, uuid: id, timestamp, ...fields });
    this.last = id;
    return id;
  }

  user(content: unknown, fields: Fields = {}): string {
    return this.chain('user', { message: { role: 'user', content }, ...fields });
  }

  assistant(id: string, block: Fields, fields: Fields = {}): string {
    const usage = { input_tokens: 1, output_tokens: 2 };
    const message = { id, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [block] };
    return this.chain('assistant', {
      message: { ...message, stop_reason: null, stop_sequence: null, usage },
      ...fields,
    });
  }

  say(id: string, text: string, fields: Fields = {}): string {
    return this.assistant(id, { type: 'text', text }, fields);
  }

  call(id: string, callId: string, name: string, input: Fields, fields: Fields = {}): string {
    return this.assistant(id, { type: 'tool_use', id: callId, name, input }, fields);
  }

  result(callId: string, content: unknown, toolUseResult?: unknown, fields: Fields = {}): string {
    const block = { type: 'tool_result', tool_use_id: callId, content };
    return this.user([block], { ...(toolUseResult === undefined ? {} : { toolUseResult }), ...fields });
  }

  /** A line without a place in the chain. */
  line(type: string, fields: Fields): void {
    this.list.push({ type, sessionId: SESSION, ...fields });
  }

  get text(): string {
    return this.list.map((record) => `${JSON.stringify(record)}\n`).join('');
  }

  /** Captures the records as a session file; `files` are laid beside it, below the home folder. */
  capture(files: Record<string, string> = {}): Promise<Captured> {
    return withHome(async (home) => {
      const source = await this.lay(home);
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(home, path)), { recursive: true });
        await writeFile(join(home, path), text);
      }
      return captureAll(source, home);
    });
  }

  /** Writes the session file into a home folder. */
  async lay(home: string, folder = '-home-dev-orchard', id = SESSION): Promise<NativeSource> {
    const path = join(home, '.claude', 'projects', folder, `${id}.jsonl`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, this.text);
    const found = await claude.recognise(path, { home, env: {} });
    if (!found.ok) throw new Error(found.error.message);
    return found.value;
  }
}
