import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppEvent } from '../../shared/api.ts';
import { connectHttp } from './http-bridge.ts';

/** Sockets as they were opened; a test opens, feeds and closes them. */
class FakeSocket {
  static opened: FakeSocket[] = [];
  onopen = (): void => {};
  onmessage: (message: { data: string }) => void = () => {};
  onclose = (): void => {};
  readonly url: URL;
  constructor(url: URL) {
    this.url = url;
    FakeSocket.opened.push(this);
  }
  close(): void {
    this.onclose();
  }
}

beforeEach(() => {
  FakeSocket.opened = [];
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', FakeSocket);
  vi.stubGlobal('window', { location: { href: 'http://127.0.0.1:4000/sessions' } });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('events of the web host', () => {
  it('come to all listeners over one socket, which goes with the last of them', () => {
    const { subscribe } = connectHttp();
    const seen: AppEvent[] = [];
    const stops = [subscribe((event) => seen.push(event)), subscribe((event) => seen.push(event))];
    expect(FakeSocket.opened.map(({ url }) => url.href)).toEqual(['ws://127.0.0.1:4000/api/events']);
    FakeSocket.opened[0]?.onopen();
    FakeSocket.opened[0]?.onmessage({ data: '{"topic":"sources"}' });
    expect(seen).toEqual([{ topic: 'sources' }, { topic: 'sources' }]);
    for (const stop of stops) stop();
    vi.runAllTimers();
    expect(FakeSocket.opened).toHaveLength(1);
  });

  it('may have been missed when the connection comes back, and that is told', () => {
    const { subscribe } = connectHttp();
    const seen: AppEvent[] = [];
    subscribe((event) => seen.push(event));
    FakeSocket.opened[0]?.onopen();
    FakeSocket.opened[0]?.onclose();
    vi.runOnlyPendingTimers();
    FakeSocket.opened[1]?.onclose();
    vi.runOnlyPendingTimers();
    expect(seen).toEqual([]);
    FakeSocket.opened[2]?.onopen();
    expect(seen).toEqual([{ topic: 'missed' }]);
  });
});
