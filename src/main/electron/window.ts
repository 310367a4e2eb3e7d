import type { App, BrowserWindow, BrowserWindowConstructorOptions, Session } from 'electron';
import { APP_ORIGIN } from './ipc.ts';

/** What a window of ours is: isolated, sandboxed, without Node. */
export function windowOptions(preload: string): BrowserWindowConstructorOptions {
  return {
    width: 1280,
    height: 800,
    minWidth: 720,
    minHeight: 480,
    show: false,
    title: 'sessionctl',
    webPreferences: {
      preload,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      webviewTag: false,
      spellcheck: false,
    },
  };
}

/** Denies everything a page of ours never needs: other pages, new windows, embedded views, permissions. */
export function lockDown(app: App, session: Session): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-navigate', (event) => {
      if (!event.url.startsWith(`${APP_ORIGIN}/`)) event.preventDefault();
    });
    contents.on('will-attach-webview', (event) => event.preventDefault());
  });
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
}

/** Shows the window once it can be painted, so that no white flash is seen. */
export async function openWindow(window: BrowserWindow): Promise<void> {
  window.once('ready-to-show', () => window.show());
  await window.loadURL(`${APP_ORIGIN}/`);
}
