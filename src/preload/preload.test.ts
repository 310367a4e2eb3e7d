import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AppEvent, PreloadBridge } from '../shared/api.ts';

afterEach(() => vi.doUnmock('electron'));

describe('preload bridge', () => {
  it('exposes the contract and nothing of Electron', async () => {
    const exposed: Record<string, PreloadBridge> = {};
    const sent: unknown[][] = [];
    const channels = new Map<string, (event: unknown, payload: AppEvent) => void>();
    vi.doMock('electron', () => ({
      contextBridge: {
        exposeInMainWorld: (name: string, value: PreloadBridge) => Object.assign(exposed, { [name]: value }),
      },
      ipcRenderer: {
        invoke: async (...args: unknown[]) => sent.push(args),
        send: (...args: unknown[]) => sent.push(args),
        on: (channel: string, listener: (event: unknown, payload: AppEvent) => void) => channels.set(channel, listener),
        off: (channel: string) => channels.delete(channel),
      },
    }));
    await import('./preload.ts');
    expect(Object.keys(exposed)).toEqual(['sessionctl']);
    const bridge = exposed.sessionctl as PreloadBridge;
    expect(Object.keys(bridge).sort()).toEqual(['artifactUrl', 'cancel', 'host', 'invoke', 'subscribe']);

    const { id } = bridge.invoke('app.info', {});
    bridge.cancel(id);
    expect(sent).toEqual([
      ['sessionctl:call', id, 'app.info', {}],
      ['sessionctl:cancel', id],
    ]);

    const seen: AppEvent[] = [];
    const stop = bridge.subscribe((event) => seen.push(event));
    // the listener gets the payload alone, never Electron's event with its sender
    channels.get('sessionctl:event')?.({ sender: 'secret' }, { topic: 'sources' });
    stop();
    expect([seen, channels.size]).toEqual([[{ topic: 'sources' }], 0]);
  });
});
