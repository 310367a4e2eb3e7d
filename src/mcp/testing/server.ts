import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { engineFor } from '../../cli/engine-host.ts';
import type { CliLab } from '../../cli/testing.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ConnectionOptions } from '../connection.ts';
import { serveMcp } from '../server.ts';

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

/** One client of a server, speaking line by line. For tests. */
export interface TestClient {
  /** every message that came, in order */
  messages: Message[];
  send(message: object | string): void;
  /** Sends a request and waits for its answer. */
  ask(method: string, params?: object): Promise<Message>;
  /** Waits until a message is as wanted; fails when the server ends, or says what is no message. */
  until(wanted: (message: Message) => boolean): Promise<Message>;
  /** initialize and its notification; resolves to the server's answer */
  greet(clientName?: string): Promise<Message>;
  /** Calls a tool; resolves to its result. */
  call(name: string, args?: object, meta?: object): Promise<Message['result']>;
}

/** A server in this process, on the lab's home. */
export interface LocalServer extends TestClient {
  /** what the server reported beside the protocol */
  reports: string[];
  /** Ends stdin and waits until the server has ended. */
  end(): Promise<void>;
}

/** The real `sessionctl mcp` in a process of its own. */
export interface ServerProcess extends TestClient {
  child: ChildProcessWithoutNullStreams;
  stderr(): string;
  /** Ends stdin and resolves to the exit code. */
  end(): Promise<number | null>;
}

/** Tests wait for sessions to be read, however busy the machine is. */
const PATIENT_MS = 600_000;

export async function serveHere(lab: CliLab, options: Partial<ConnectionOptions> = {}): Promise<LocalServer> {
  const io = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: lab.env,
    cwd: lab.home,
  };
  const reports: string[] = [];
  const { signal } = new AbortController();
  const wait = { scanWaitMs: PATIENT_MS };
  let engine: Engine | undefined;
  const open = async (actor: string): Promise<Engine> => {
    engine = await engineFor({ io }, { host: 'cli', actor });
    return engine;
  };
  const served = serveMcp(open, io, {
    ...wait,
    ...options,
    signal,
    report: (text) => reports.push(text),
  });
  const ended = served.finally(() => engine?.close());
  return {
    ...clientOf(io.stdin, io.stdout, ended),
    reports,
    end: async () => {
      io.stdin.end();
      await ended;
    },
  };
}

export function startServer(lab: CliLab, ...args: string[]): ServerProcess {
  const env = lab.env as NodeJS.ProcessEnv;
  const child = spawn(process.execPath, [MAIN, 'mcp', ...args], { cwd: lab.home, env });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  const closed = once(child, 'close') as Promise<[number | null]>;
  return {
    ...clientOf(child.stdin, child.stdout, closed),
    child,
    stderr: () => stderr,
    end: async () => {
      child.stdin.end();
      return (await closed)[0];
    },
  };
}

function clientOf(input: Writable, output: Readable, ended: Promise<unknown>): TestClient {
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  let broken: Error | null = null;
  let ids = 0;
  const wake = (): void => {
    for (const look of waiting) look();
  };
  createInterface({ input: output }).on('line', (line) => {
    try {
      messages.push(JSON.parse(line) as Message);
    } catch {
      broken = new Error(`stdout carries what is no message: ${line.slice(0, 200)}`);
    }
    wake();
  });
  const over = (): void => {
    broken ??= new Error('the server has ended');
    wake();
  };
  ended.then(over, over);
  const until: TestClient['until'] = (wanted) =>
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
  const send: TestClient['send'] = (message) =>
    void input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  const ask: TestClient['ask'] = (method, params = {}) => {
    const id = ++ids;
    send({ jsonrpc: '2.0', id, method, params });
    return until((message) => message.id === id && message.method === undefined);
  };
  return {
    messages,
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
  };
}
