import type { IpcMain, IpcMainEvent, IpcMainInvokeEvent, WebContents } from 'electron';
import { type ProcedureName, procedures } from '../../shared/api.ts';
import { fail } from '../../shared/errors.ts';
import type { Served } from '../web/pages.ts';

/** Origin of our own pages; every call is checked against it. */
export const APP_ORIGIN = 'app://sessionctl';

/**
 * Serves the contract over IPC. Only the top frame of our own page is answered.
 * Returns the function that takes all handlers away.
 */
export function serveIpc(ipc: IpcMain, served: Served, windows: () => WebContents[]): () => void {
  const running = new Map<string, AbortController>();
  const keyOf = (event: IpcMainEvent | IpcMainInvokeEvent, id: number): string => `${event.sender.id}:${id}`;

  ipc.handle('sessionctl:call', async (event, id: number, name: string, input: unknown) => {
    if (!trusted(event)) return fail('scope_denied', 'This page may not call the engine.');
    if (!Object.hasOwn(procedures, name)) return fail('not_found', `There is no procedure "${name}".`);
    const controller = new AbortController();
    running.set(keyOf(event, id), controller);
    try {
      return await served.call(name as ProcedureName, input as never, controller.signal);
    } finally {
      running.delete(keyOf(event, id));
    }
  });
  const cancel = (event: IpcMainEvent, id: number): void => {
    if (trusted(event)) running.get(keyOf(event, id))?.abort();
  };
  ipc.on('sessionctl:cancel', cancel);
  const unsubscribe = served.subscribe((payload) => {
    for (const contents of windows()) if (!contents.isDestroyed()) contents.send('sessionctl:event', payload);
  });
  return () => {
    ipc.removeHandler('sessionctl:call');
    ipc.off('sessionctl:cancel', cancel);
    unsubscribe();
    for (const controller of running.values()) controller.abort();
  };
}

/** True for the top frame of a page of ours; frames that are gone or of other origins are not. */
export function trusted(event: IpcMainEvent | IpcMainInvokeEvent): boolean {
  const frame = event.senderFrame;
  return (
    frame !== null && frame.parent === null && (frame.url === APP_ORIGIN || frame.url.startsWith(`${APP_ORIGIN}/`))
  );
}
