import { contextBridge, ipcRenderer } from 'electron';
import type { AppEvent, PreloadBridge } from '../shared/api.ts';

/**
 * The only door between the page and the engine in Electron: the contract, nothing else. A call can be cancelled by its
 * number; events come on one channel.
 */
let calls = 0;

const bridge: PreloadBridge = {
  host: 'electron',
  invoke(name, input) {
    const id = ++calls;
    return { id, answer: ipcRenderer.invoke('sessionctl:call', id, name, input) };
  },
  cancel(id) {
    ipcRenderer.send('sessionctl:cancel', id);
  },
  subscribe(listener) {
    const forward = (_event: unknown, payload: AppEvent): void => listener(payload);
    ipcRenderer.on('sessionctl:event', forward);
    return () => ipcRenderer.off('sessionctl:event', forward);
  },
  artifactUrl: (hash) => `app://sessionctl/artifact/${encodeURIComponent(hash)}`,
};

contextBridge.exposeInMainWorld('sessionctl', bridge);
