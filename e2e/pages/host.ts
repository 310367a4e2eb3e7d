import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import { laySample } from '../../src/engine/sample.ts';
import { installFakeCodex } from './fake-codex.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The real web host on a home of its own, with sample sessions and a stand-in for Codex. */
export class Host {
  readonly home: string;
  url = '';
  private child: ChildProcess | null = null;

  constructor() {
    this.home = mkdtempSync(join(tmpdir(), 'sessionctl-e2e-'));
  }

  async start(options: { sessions: boolean }): Promise<void> {
    if (options.sessions) await laySample(this.home);
    mkdirSync(join(this.home, '.codex'), { recursive: true });
    installFakeCodex(join(this.home, 'bin'));
    const env = {
      PATH: `${join(this.home, 'bin')}:${process.env.PATH}`,
      HOME: this.home,
      SESSIONCTL_HOME: join(this.home, '.sessionctl'),
      LANG: 'C.UTF-8',
      TZ: 'UTC',
    };
    const child = spawn(process.execPath, [join(ROOT, 'out', 'main', 'web.js')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.url = await addressOf(child);
  }

  /** Native files below a folder of the home. */
  files(below: string): string[] {
    try {
      return readdirSync(join(this.home, below), { recursive: true })
        .map(String)
        .filter((name) => name.endsWith('.jsonl'))
        .sort();
    } catch {
      return [];
    }
  }

  /** Appends a line to a native session, as its agent would. */
  append(path: string, line: Record<string, unknown>): void {
    appendFileSync(path, `${JSON.stringify(line)}\n`);
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child !== null && child.exitCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
    }
    rmSync(this.home, { recursive: true, force: true });
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      const address = /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/.exec(said);
      if (address) resolve(address[0]);
    };
    child.stdout?.on('data', listen);
    child.stderr?.on('data', listen);
    child.on('exit', (code) => reject(new Error(`the host ended with code ${code}: ${said}`)));
  });
}

/** Fails a test on any error in the page, a broken content policy included. */
export function watchErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return errors;
}

export const test = base.extend<{ empty: Host; host: Host; app: Page }>({
  /** a home without any agent's sessions */
  empty: async ({}, use) => {
    const host = new Host();
    await host.start({ sessions: false });
    await use(host);
    await host.stop();
  },
  /** a home with Claude Code sessions, before the first run */
  host: async ({}, use) => {
    const host = new Host();
    await host.start({ sessions: true });
    await use(host);
    await host.stop();
  },
  /** the app after its first run: sessions are read and listed */
  app: async ({ page, host }, use) => {
    const errors = watchErrors(page);
    await page.goto(host.url);
    await firstRun(page);
    await use(page);
    expect(errors).toEqual([]);
  },
});

/** Ticks what is found, keeps the key in a file, keeps the recovery key. */
export async function firstRun(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Read \d+ session/ }).click();
  await page.getByRole('radio', { name: 'Key file' }).click();
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await expect(sessionOf(page, 'The thousands test fails')).toBeVisible();
}

export function sessionOf(page: Page, title: string) {
  return page.getByRole('listbox', { name: 'Sessions' }).getByRole('option').filter({ hasText: title }).first();
}

export { expect };
