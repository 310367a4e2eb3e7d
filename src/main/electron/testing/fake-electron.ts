import { EventEmitter } from 'node:events';

/**
 * As much of the `electron` module as our host touches, with its behaviour where we rely on it, so that the host's entry
 * runs in tests on machines without Electron's binary.
 */
export function fakeElectron() {
  const app = Object.assign(new EventEmitter(), {
    locked: true,
    quits: 0,
    exits: [] as number[],
    requestSingleInstanceLock: () => app.locked,
    whenReady: () => Promise.resolve(),
    quit: () => {
      app.quits++;
      app.emit('before-quit', { preventDefault: () => {} });
    },
    exit: (code: number) => app.exits.push(code),
  });

  class FakeContents extends EventEmitter {
    readonly id: number;
    readonly sent: [string, unknown][] = [];
    openHandler: ((details: { url: string }) => { action: string }) | null = null;
    constructor(id: number) {
      super();
      this.id = id;
    }
    setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
      this.openHandler = handler;
    }
    send(channel: string, payload: unknown): void {
      this.sent.push([channel, payload]);
    }
    isDestroyed(): boolean {
      return false;
    }
  }

  class FakeWindow extends EventEmitter {
    static all: FakeWindow[] = [];
    static getAllWindows(): FakeWindow[] {
      return FakeWindow.all;
    }
    readonly options: { webPreferences: Record<string, unknown> };
    readonly webContents: FakeContents;
    url = '';
    shown = false;
    focused = 0;
    constructor(options: { webPreferences: Record<string, unknown> }) {
      super();
      this.options = options;
      this.webContents = new FakeContents(FakeWindow.all.length + 1);
      FakeWindow.all.push(this);
      app.emit('web-contents-created', {}, this.webContents);
    }
    async loadURL(url: string): Promise<void> {
      this.url = url;
      this.emit('ready-to-show');
    }
    show(): void {
      this.shown = true;
    }
    isMinimized(): boolean {
      return false;
    }
    restore(): void {}
    focus(): void {
      this.focused++;
    }
  }

  const handlers = new Map<string, (...args: never[]) => unknown>();
  const ipcMain = Object.assign(new EventEmitter(), {
    handlers,
    handle: (channel: string, handler: (...args: never[]) => unknown) => handlers.set(channel, handler),
    removeHandler: (channel: string) => handlers.delete(channel),
  });

  const schemes = new Map<string, (request: Request) => Promise<Response> | Response>();
  const protocol = {
    schemes,
    privileged: [] as unknown[],
    registerSchemesAsPrivileged: (list: unknown[]) => protocol.privileged.push(...list),
    handle: (scheme: string, handler: (request: Request) => Promise<Response> | Response) =>
      schemes.set(scheme, handler),
  };

  const permissions = { request: null as ((...args: unknown[]) => void) | null, check: null as (() => boolean) | null };
  const session = {
    defaultSession: {
      setPermissionRequestHandler: (handler: (...args: unknown[]) => void) => {
        permissions.request = handler;
      },
      setPermissionCheckHandler: (handler: () => boolean) => {
        permissions.check = handler;
      },
    },
  };
  const dialog = {
    errors: [] as [string, string][],
    showErrorBox: (title: string, text: string) => dialog.errors.push([title, text]),
  };
  return { app, BrowserWindow: FakeWindow, ipcMain, protocol, session, dialog, permissions };
}

export type FakeElectron = ReturnType<typeof fakeElectron>;
