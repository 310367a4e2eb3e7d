import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '..', '..', 'cli', 'main.ts');

/** A message of the protocol, as far as tests look into it. */
export interface Message {
  id?: number | string | null;
  method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of any shape
  params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  result?: any;
  error?: { code: number; message: string };
}

/** The real `sessionctl mcp` in a process of its own, spoken to line by line. For tests. */
export interface RawServer {
  child: ChildProcessWithoutNullStreams;
  /** every message that came, in order; a line that is no JSON fails the reading */
  messages: Message[];
  stderr(): string;
  send(message: object | string): void;
  /** Sends a request and waits for its answer. */
  ask(method: string, params?: object): Promise<Message>;
  /** Waits until a message is as wanted. */
  until(wanted: (message: Message) => boolean): Promise<Message>;
  /** initialize and its notification; resolves to the server's answer */
  greet(clientName?: string): Promise<Message>;
  /** Calls a tool; resolves to its result. */
  call(name: string, args?: object, meta?: object): Promise<Message['result']>;
  /** Ends stdin and resolves to the exit code. */
  end(): Promise<number | null>;
}

export function startServer(env: Record<string, string | undefined>, cwd: string, ...args: string[]): RawServer {
  const child = spawn(process.execPath, [MAIN, 'mcp', ...args], { cwd, env: env as NodeJS.ProcessEnv });
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  let broken: Error | null = null;
  let stderr = '';
  let ids = 0;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  const wake = (): void => {
    for (const look of waiting) look();
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    try {
      messages.push(JSON.parse(line) as Message);
    } catch {
      broken = new Error(`stdout carries what is no message: ${line.slice(0, 200)}`);
    }
    wake();
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  closed.then(() => {
    broken ??= new Error(`the server ended; it said: ${stderr}`);
    wake();
  });
  const until = (wanted: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = messages.find(wanted);
        if (!found && !broken) return;
        waiting.delete(look);
        if (found) resolve(found);
        else reject(broken);
      };
      waiting.add(look);
      look();
    });
  const send = (message: object | string): void =>
    void child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  const ask = (method: string, params: object = {}): Promise<Message> => {
    const id = ++ids;
    send({ jsonrpc: '2.0', id, method, params });
    return until((message) => message.id === id && message.method === undefined);
  };
  return {
    child,
    messages,
    stderr: () => stderr,
    send,
    ask,
    until,
    greet: async (name = 'test') => {
      const clientInfo = { name, version: '1' };
      const answer = await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
      send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      return answer;
    },
    call: async (name, args = {}, meta) => {
      const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
      return (await ask('tools/call', params)).result;
    },
    end: async () => {
      child.stdin.end();
      return (await closed)[0];
    },
  };
}
