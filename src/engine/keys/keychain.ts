import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fail, ok, type Result } from '../../shared/errors.ts';
import { workerUrl } from '../worker-url.ts';
import type { SecretStore } from './secret-store.ts';

const SERVICE = 'sessionctl';
/** A person may have to answer the system's prompt; without a display nobody can. */
const WAIT_PROMPT_MS = 60_000;
const WAIT_MS = 5_000;

export interface KeychainOptions {
  env: Record<string, string | undefined>;
  /** how long the keychain may take to answer, in ms */
  timeout?: number;
}

/** The system's keychain: Keychain, Credential Manager or Secret Service. */
export function keychain(options: KeychainOptions): SecretStore {
  return {
    get: (account) => ask(options, { op: 'get', service: SERVICE, account }),
    set: async (account, secret) => {
      const answered = await ask(options, { op: 'set', service: SERVICE, account, secret });
      return answered.ok ? ok(undefined) : answered;
    },
  };
}

function patience({ env, timeout }: KeychainOptions): number {
  if (timeout !== undefined) return timeout;
  const display = process.platform !== 'linux' || env.DISPLAY || env.WAYLAND_DISPLAY;
  return display ? WAIT_PROMPT_MS : WAIT_MS;
}

/** One question to a child that is killed when it takes too long. Secrets travel by pipe only. */
function ask(options: KeychainOptions, request: Record<string, string>): Promise<Result<string | null>> {
  const limit = patience(options);
  const child = spawn(process.execPath, [fileURLToPath(workerUrl(import.meta.url, './keychain-child.ts'))], {
    env: { ...options.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  return new Promise((resolve) => {
    let out = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      resolve(fail('key_locked', `The system's keychain did not answer within ${limit / 1000} s. ${WHAT_TO_DO}`));
    }, limit);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    child.stdin.on('error', () => {});
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve(refused(error.message));
    });
    child.on('close', () => {
      clearTimeout(timer);
      resolve(parse(out));
    });
    child.stdin.end(JSON.stringify(request));
  });
}

const WHAT_TO_DO = 'Unlock it (or log in to the desktop) and try again.';

function parse(out: string): Result<string | null> {
  try {
    const answer = JSON.parse(out) as { value: string | null } | { error: string };
    return 'error' in answer ? refused(answer.error) : ok(answer.value);
  } catch {
    return refused('the helper process ended without an answer');
  }
}

function refused(reason: string): Result<never> {
  return fail('key_locked', `The system's keychain cannot be used: ${reason.trim()}. ${WHAT_TO_DO}`, {
    reason: reason.trim(),
  });
}
