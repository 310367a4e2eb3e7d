import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fail, ok, type Result } from '../../src/shared/errors.ts';
import { VERSION } from '../../src/shared/version.ts';
import type { AgentEnv } from '../contract.ts';
import { processEnv } from '../io/program.ts';

const TIMEOUT_MS = 20_000;
const QUIT_MS = 3000;

/**
 * One JSON-RPC call to `codex app-server`, the official way to its thread list. No model is called. Stdin stays open
 * until the answer is there (else Codex ends before it acts), and the whole takes a bounded time.
 *
 * @returns the answer's `result`; `register_failed` with Codex's own words otherwise
 */
export async function callAppServer(
  codex: string,
  env: AgentEnv,
  method: string,
  params: Record<string, unknown>,
): Promise<Result<unknown>> {
  const child = spawn(codex, ['app-server'], { cwd: env.home, env: processEnv(env), stdio: 'pipe' });
  child.stderr.resume();
  child.stdin.on('error', () => {});
  try {
    return await conversation(child, method, params);
  } finally {
    await quit(child);
  }
}

function conversation(
  child: ChildProcessWithoutNullStreams,
  method: string,
  params: Record<string, unknown>,
): Promise<Result<unknown>> {
  return new Promise((resolve) => {
    const settle = (result: Result<unknown>): void => {
      clearTimeout(timer);
      resolve(result);
    };
    const failed = (why: string): void => settle(fail('register_failed', `Codex did not carry out ${method}: ${why}.`));
    const timer = setTimeout(() => failed(`no answer within ${TIMEOUT_MS / 1000} s`), TIMEOUT_MS);
    child.once('error', (error) => failed(error.message));
    child.once('close', (code) => failed(`it ended with code ${String(code)}`));
    const send = (message: Record<string, unknown>): void => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    };
    createInterface({ input: child.stdout }).on('line', (line) => {
      const answer = parse(line);
      if (answer?.error !== undefined) return failed(wordsOf(answer.error));
      if (answer?.id === 1) {
        send({ method: 'initialized' });
        send({ id: 2, method, params });
      }
      if (answer?.id === 2) settle(ok(answer.result));
    });
    send({ id: 1, method: 'initialize', params: { clientInfo: { name: 'sessionctl', version: VERSION } } });
  });
}

function parse(line: string): { id?: unknown; result?: unknown; error?: unknown } | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

function wordsOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : JSON.stringify(error);
}

async function quit(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.stdin.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), QUIT_MS);
  await closed;
  clearTimeout(timer);
}
