import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppEvent } from '../../shared/api.ts';
import { ok } from '../../shared/errors.ts';
import { type FakeElectron, fakeElectron } from './testing/fake-electron.ts';

let electron: FakeElectron;
let listeners: Set<(event: AppEvent) => void>;
let signals: (AbortSignal | undefined)[];
let closed: number;
let openHost: () => Promise<unknown>;

beforeEach(() => {
  vi.resetModules();
  electron = fakeElectron();
  listeners = new Set();
  signals = [];
  closed = 0;
  const host = {
    served: {
      call: (name: string, _input: unknown, signal?: AbortSignal) => {
        signals.push(signal);
        if (name === 'compile.run')
          return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(ok('cancelled'))));
        return Promise.resolve(ok(name));
      },
      subscribe: (listener: (event: AppEvent) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    close: async () => {
      closed++;
    },
  };
  openHost = async () => host;
  vi.doMock('electron', () => electron);
  vi.doMock('../host.ts', () => ({ openHost: () => openHost() }));
});
afterEach(() => {
  vi.doUnmock('electron');
  vi.doUnmock('../host.ts');
});

/** Runs the entry until its first window is there, or until it gave up. */
async function start(): Promise<void> {
  await import('./main.ts');
  await vi.waitFor(() =>
    expect(electron.BrowserWindow.all.length + electron.app.quits + electron.app.exits.length).toBeGreaterThan(0),
  );
}

const ours = { sender: { id: 1 }, senderFrame: { url: 'app://sessionctl/', parent: null } };
const call = (event: unknown, id: number, name: string): Promise<unknown> =>
  (electron.ipcMain.handlers.get('sessionctl:call') as unknown as (...args: unknown[]) => Promise<unknown>)(
    event,
    id,
    name,
    {},
  );

describe('Electron host', () => {
  it('opens one isolated, sandboxed window on its own scheme', async () => {
    await start();
    const window = electron.BrowserWindow.all[0];
    expect(window?.url).toBe('app://sessionctl/');
    expect(window?.shown).toBe(true);
    expect(window?.options.webPreferences).toMatchObject({
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
    });
  });

  it('denies new windows, foreign pages, embedded views and permissions', async () => {
    await start();
    const contents = electron.BrowserWindow.all[0]?.webContents;
    expect(contents?.openHandler?.({ url: 'https://example.org' })).toEqual({ action: 'deny' });
    const prevented: string[] = [];
    for (const url of ['https://example.org/', 'app://sessionctl.evil/', 'app://sessionctl/s/1']) {
      contents?.emit('will-navigate', { url, preventDefault: () => prevented.push(url) });
    }
    contents?.emit('will-attach-webview', { preventDefault: () => prevented.push('webview') });
    expect(prevented).toEqual(['https://example.org/', 'app://sessionctl.evil/', 'webview']);
    const answers: unknown[] = [];
    electron.permissions.request?.({}, 'media', (granted: boolean) => answers.push(granted));
    expect([...answers, electron.permissions.check?.()]).toEqual([false, false]);
  });

  it('answers the contract to its own top frame only', async () => {
    await start();
    expect(await call(ours, 1, 'app.info')).toEqual(ok('app.info'));
    expect(await call(ours, 2, 'constructor')).toMatchObject({ ok: false, error: { code: 'not_found' } });
    const foreign = [
      { sender: { id: 2 }, senderFrame: { url: 'https://example.org/', parent: null } },
      { sender: { id: 2 }, senderFrame: { url: 'app://sessionctl.evil/', parent: null } },
      { sender: { id: 2 }, senderFrame: { url: 'app://sessionctl/', parent: {} } },
      { sender: { id: 2 }, senderFrame: null },
    ];
    for (const event of foreign)
      expect(await call(event, 3, 'app.info')).toMatchObject({ ok: false, error: { code: 'scope_denied' } });
  });

  it('cancels a running call by its number', async () => {
    await start();
    const answer = call(ours, 7, 'compile.run');
    electron.ipcMain.emit('sessionctl:cancel', ours, 8);
    expect(signals[0]?.aborted).toBe(false);
    electron.ipcMain.emit('sessionctl:cancel', ours, 7);
    expect(await answer).toEqual(ok('cancelled'));
  });

  it('tells every window what the engine tells', async () => {
    await start();
    for (const listener of listeners) listener({ topic: 'sources' });
    expect(electron.BrowserWindow.all[0]?.webContents.sent).toEqual([['sessionctl:event', { topic: 'sources' }]]);
  });

  it('serves its own origin only', async () => {
    await start();
    const handle = electron.protocol.schemes.get('app');
    expect((await handle?.(new Request('app://other/')))?.status).toBe(404);
    expect((await handle?.(new Request('app://sessionctl/')))?.headers.get('content-security-policy')).toContain(
      "script-src 'self'",
    );
  });

  it('quits at once when another instance runs, which then comes to the front', async () => {
    electron.app.locked = false;
    await start();
    expect([electron.app.quits, electron.BrowserWindow.all.length]).toEqual([1, 0]);
    vi.resetModules();
    electron.app.locked = true;
    await start();
    await vi.waitFor(() => expect(electron.BrowserWindow.all).toHaveLength(1));
    electron.app.emit('second-instance');
    expect(electron.BrowserWindow.all[0]?.focused).toBe(1);
  });

  it('closes the store before it quits and leaves no handler behind', async () => {
    await start();
    electron.app.quit();
    await vi.waitFor(() => expect(electron.app.quits).toBe(2));
    expect([
      closed,
      listeners.size,
      electron.ipcMain.handlers.size,
      electron.ipcMain.listenerCount('sessionctl:cancel'),
    ]).toEqual([1, 0, 0, 0]);
  });

  it('says why when the store cannot be opened', async () => {
    openHost = async () => {
      const { AppFailure } = await import('../../shared/errors.ts');
      throw new AppFailure({ code: 'key_locked', message: 'The keychain is locked. Unlock it and start again.' });
    };
    await start();
    expect(electron.dialog.errors).toEqual([
      ['sessionctl cannot start', 'The keychain is locked. Unlock it and start again.'],
    ]);
    expect(electron.app.exits).toEqual([1]);
  });
});
