import { join } from 'node:path';
import { app, BrowserWindow, dialog, ipcMain, protocol, session } from 'electron';
import { AppFailure } from '../../shared/errors.ts';
import { openHost } from '../host.ts';
import { artifactResponse, assetResponse } from '../web/pages.ts';
import { APP_ORIGIN, serveIpc } from './ipc.ts';
import { openTerminal } from './terminal.ts';
import { lockDown, openWindow, windowOptions } from './window.ts';

const built = import.meta.dirname;

protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
]);

if (app.requestSingleInstanceLock()) void start();
else app.quit();

async function start(): Promise<void> {
  await app.whenReady();
  const host = await openHost({ host: 'electron', sample: process.argv.includes('--sample'), openTerminal }).catch(
    (thrown: unknown) => {
      const reason = thrown instanceof AppFailure ? thrown.error.message : String(thrown);
      dialog.showErrorBox('sessionctl cannot start', reason);
      app.exit(1);
      return null;
    },
  );
  if (host === null) return;
  lockDown(app, session.defaultSession);
  protocol.handle('app', (request) => {
    const url = new URL(request.url);
    if (`${url.protocol}//${url.host}` !== APP_ORIGIN) return new Response(null, { status: 404 });
    if (url.pathname.startsWith('/artifact/'))
      return artifactResponse(host.served, decodeURIComponent(url.pathname.slice('/artifact/'.length)));
    return assetResponse(join(built, '..', 'renderer'), url.pathname);
  });
  const stopServing = serveIpc(ipcMain, host.served, () =>
    BrowserWindow.getAllWindows().map((window) => window.webContents),
  );
  const open = (): void =>
    void openWindow(new BrowserWindow(windowOptions(join(built, '..', 'preload', 'preload.cjs'))));
  app.on('second-instance', () => {
    const [window] = BrowserWindow.getAllWindows();
    if (window === undefined) return open();
    if (window.isMinimized()) window.restore();
    return window.focus();
  });
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) open();
  });
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  // quitting waits for the store to be closed, once
  app.once('before-quit', (event) => {
    event.preventDefault();
    stopServing();
    void host
      .close()
      .catch(() => undefined)
      .finally(() => app.quit());
  });
  open();
}
