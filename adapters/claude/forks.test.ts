import { mkdtempSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../../fixtures/load.ts';
import { SummaryProjector } from '../../src/core/view/summary.ts';
import { unwrap } from '../../src/shared/errors.ts';
import { type MemorySession, MemorySink } from '../testing/memory-sink.ts';
import { claude } from './adapter.ts';
import { KEY } from './testing/fixtures.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'claude-forks-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const folder = () => join(home, '.claude', 'projects', '-home-dev');

/** Sessions of the home by id, captured in this order of their ids. */
async function sessions(order: (ids: string[]) => string[] = (ids) => ids): Promise<Map<string, MemorySession>> {
  const { sources } = await claude.discover({ home, env: {} });
  const found = new Map<string, MemorySession>();
  for (const id of order(sources.map(({ native_id }) => native_id))) {
    const source = sources.find(({ native_id }) => native_id === id)!;
    const sink = new MemorySink();
    unwrap(await claude.capture(source, null, sink, { env: { home, env: {} }, redactionKey: KEY }));
    for (const session of sink.sessions.values()) if (!id.startsWith('agent-')) found.set(id, session);
  }
  return found;
}

function line(session: string, uuid: string, parent: string | null, second: number, more: object = {}): object {
  const timestamp = new Date(1_795_000_000_000 + 1000 * second).toISOString();
  const message = { role: 'user', content: uuid };
  return { type: 'user', uuid, parentUuid: parent, sessionId: session, timestamp, message, ...more };
}

async function write(id: string, ...lines: object[]): Promise<void> {
  await mkdir(folder(), { recursive: true });
  writeFileSync(join(folder(), `${id}.jsonl`), lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

const own = ({ events }: MemorySession) =>
  events.filter(({ type, origin }) => type === 'message.user' && origin?.session === undefined).map(textOf);
const copied = ({ events }: MemorySession) =>
  events.filter(({ type, origin }) => type === 'message.user' && origin?.session !== undefined).map(textOf);
const textOf = ({ payload }: { payload: Record<string, unknown> }) => (payload.content as { text: string }[])[0]!.text;

function usageOf({ events }: MemorySession): number {
  const projector = new SummaryProjector();
  for (const event of events) projector.add(event.seq, event);
  return projector.row().usage.output;
}

describe('a session that begins with a copy of another one', () => {
  it.each([
    ['claude', 'fc82b9b3', '8cd21a26'],
    ['claude-2.1.197', '0872968b', '6e665f39'],
    ['claude-2.0.76', '17cfcdce', 'a6bf4b11'],
    ['claude-1.0.128', '418733d9', '9bc21caa'],
  ])('is known for a fork in any order of reading, and counts its own usage: %s', async (agent, parent, child) => {
    await loadFixture(agent, 'fork', home);
    for (const order of [(ids: string[]) => ids.toSorted(), (ids: string[]) => ids.toSorted().reverse()]) {
      const all = await sessions(order);
      const [from, fork] = [parent, child].map((id) => [...all].find(([native]) => native.startsWith(id))![1]);
      expect(from!.ref.parent).toBeUndefined();
      expect(from!.events.some(({ origin }) => origin?.session !== undefined)).toBe(false);
      expect(fork!.ref.parent).toEqual({ kind: 'fork', native_id: from!.ref.native_id });
      expect(fork!.events.slice(0, 2).map(({ type }) => type)).toEqual(['session.start', 'session.fork']);
      expect([own(fork!).length, copied(fork!).length]).toEqual([1, 1]);
      expect([usageOf(from!), usageOf(fork!)]).toEqual([55, 23]);
    }
  });

  it('is told from its sisters and from its grandparent', async () => {
    const a = (id: string) => [line(id, 'u1', null, 1), line(id, 'u2', 'u1', 2)];
    await write('root', ...a('root'), line('root', 'late', 'u2', 90));
    await write('one', ...a('one'), line('one', 'u3', 'u2', 10));
    await write('two', ...a('two'), line('two', 'u4', 'u2', 20));
    await write('deep', ...a('deep'), line('deep', 'u3', 'u2', 10), line('deep', 'u5', 'u3', 15));
    await write('one', ...a('one'), line('one', 'u3', 'u2', 10), line('one', 'u6', 'u3', 80));
    const all = await sessions();
    const parents = [...all].map(([id, { ref }]) => [id, ref.parent?.native_id ?? null]);
    expect(Object.fromEntries(parents)).toEqual({ root: null, one: 'root', two: 'root', deep: 'one' });
    expect([...all.values()].flatMap(own).sort()).toEqual(['late', 'u1', 'u2', 'u3', 'u4', 'u5', 'u6']);
    expect(copied(all.get('deep')!)).toEqual(['u1', 'u2', 'u3']);
  });

  it('names the original where its copies say so, though that is gone', async () => {
    await loadFixture('claude', 'fork', home);
    const parent = (await claude.discover({ home, env: {} })).sources.find(({ native_id }) =>
      native_id.startsWith('fc82b9b3'),
    )!;
    unlinkSync(parent.path);
    const [fork] = (await sessions()).values();
    expect(fork!.ref.parent).toEqual({ kind: 'fork', native_id: parent.native_id });
    expect(usageOf(fork!)).toBe(23);
  });

  it('knows the lines that forkSession writes, which have ids of their own', async () => {
    const from = (uuid: string) => ({ forkedFrom: { sessionId: 'root', messageUuid: uuid } });
    await write('root', line('root', 'u1', null, 1), line('root', 'u2', 'u1', 2));
    await write(
      'sdk',
      line('sdk', 'n1', null, 1, from('u1')),
      line('sdk', 'n2', 'n1', 2, from('u2')),
      line('sdk', 'n3', 'n2', 9),
    );
    const fork = (await sessions()).get('sdk')!;
    expect(fork.ref.parent).toEqual({ kind: 'fork', native_id: 'root' });
    expect([copied(fork), own(fork)]).toEqual([['n1', 'n2'], ['n3']]);
  });

  it('is no fork when only its texts are those of another session', async () => {
    await write('a', line('a', 'u1', null, 1), line('a', 'u2', 'u1', 2));
    await write('b', line('b', 'v1', null, 1), line('b', 'v2', 'v1', 2));
    for (const { ref } of (await sessions()).values()) expect(ref.parent).toBeUndefined();
  });

  it('finds its original in a family of any size, by way of those that are near it in time', async () => {
    const id = (n: number): string => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;
    const size = 150;
    for (let n = 0; n < size; n++) {
      // each goes on from the one before, whose records it copies under its own id
      const said = Array.from({ length: n + 2 }, (_, i) => line(id(n), `u${i}`, i === 0 ? null : `u${i - 1}`, i));
      await write(id(n), ...said);
      utimesSync(join(folder(), `${id(n)}.jsonl`), 1_795_000_000 + n, 1_795_000_000 + n);
    }
    const all = await sessions();
    expect(all.get(id(0))!.ref.parent).toBeUndefined();
    for (const n of [1, 2, 70, 149]) {
      expect(all.get(id(n))!.ref.parent).toEqual({ kind: 'fork', native_id: id(n - 1) });
      expect(own(all.get(id(n))!)).toEqual([`u${n + 1}`]);
    }
  });
});
