import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClaudeSessionEntry, ClaudeSessionStore } from './claude-session-store.ts';
import { Store } from './store.ts';
import { type SdkLab, sdkLab } from './testing.ts';

let lab: SdkLab;
let mirror: ClaudeSessionStore;
beforeEach(async () => {
  lab = await sdkLab();
  mirror = new ClaudeSessionStore(lab.store);
});
afterEach(() => lab.close());

const PROJECT = '-home-dev-app';
const main = { projectKey: PROJECT, sessionId: '5e55100a-0000-4000-8000-000000000001' };
const sub = { ...main, subpath: 'subagents/agent-1' };
const entry = (n: number): ClaudeSessionEntry => ({ type: 'user', n, message: { content: [{ text: `é ${n}` }] } });

/** What the SDK's own conformance suite asks of a store, in our words. */
describe('a session store for the Claude Agent SDK', () => {
  it('1: gives back what was appended, in the same order', async () => {
    await mirror.append(main, [entry(1), entry(2), entry(3)]);
    expect(await mirror.load(main)).toEqual([entry(1), entry(2), entry(3)]);
  });

  it('2: knows nothing of a key that was never written', async () => {
    expect(await mirror.load(main)).toBeNull();
  });

  it('3: keeps the order of the calls', async () => {
    for (let n = 0; n < 5; n++) await mirror.append(main, [entry(2 * n), entry(2 * n + 1)]);
    await Promise.all([10, 11, 12].map((n) => mirror.append(main, [entry(n)])));
    expect(await mirror.load(main)).toEqual(Array.from({ length: 13 }, (_, n) => entry(n)));
  });

  it('4: makes nothing of an append of nothing', async () => {
    await mirror.append(main, []);
    expect(await mirror.load(main)).toBeNull();
    expect(await mirror.listSessions(PROJECT)).toEqual([]);
  });

  it('5: keeps sub-agents apart from the main transcript', async () => {
    await mirror.append(main, [entry(1)]);
    await mirror.append(sub, [entry(2)]);
    expect(await mirror.load(main)).toEqual([entry(1)]);
    expect(await mirror.load(sub)).toEqual([entry(2)]);
  });

  it('6: keeps projects apart', async () => {
    const other = { ...main, projectKey: '-home-dev-app-2' };
    await mirror.append(main, [entry(1)]);
    await mirror.append(other, [entry(2)]);
    expect(await mirror.load(main)).toEqual([entry(1)]);
    expect(await mirror.load(other)).toEqual([entry(2)]);
    expect((await mirror.listSessions(PROJECT)).map(({ sessionId }) => sessionId)).toEqual([main.sessionId]);
  });

  it('7: lists the sessions of a project with the time of the last append in whole milliseconds', async () => {
    const second = { ...main, sessionId: 'second' };
    await mirror.append(main, [entry(1)]);
    await mirror.append(second, [entry(1)]);
    const listed = await mirror.listSessions(PROJECT);
    expect(listed.map(({ sessionId }) => sessionId).toSorted()).toEqual([main.sessionId, 'second'].toSorted());
    for (const { mtime } of listed) {
      expect(Number.isInteger(mtime)).toBe(true);
      expect(mtime).toBeGreaterThan(1e12);
    }
  });

  it('8: lists no session of which only a sub-agent was written', async () => {
    await mirror.append(sub, [entry(1)]);
    expect(await mirror.listSessions(PROJECT)).toEqual([]);
  });

  it('9: deletes a main transcript; what was never there can be deleted too', async () => {
    await mirror.append(main, [entry(1)]);
    await mirror.delete(main);
    await mirror.delete({ ...main, sessionId: 'never' });
    expect(await mirror.load(main)).toBeNull();
    expect(await mirror.listSessions(PROJECT)).toEqual([]);
  });

  it('10: deletes the sub-agents with it, and nothing else', async () => {
    const other = { ...main, sessionId: `${main.sessionId}2` };
    await mirror.append(main, [entry(1)]);
    await mirror.append(sub, [entry(2)]);
    await mirror.append({ ...sub, subpath: 'subagents/agent-2' }, [entry(3)]);
    await mirror.append(other, [entry(4)]);
    await mirror.delete(main);
    expect(await mirror.load(sub)).toBeNull();
    expect(await mirror.listSubkeys(main)).toEqual([]);
    expect(await mirror.load(other)).toEqual([entry(4)]);
  });

  it('11: deletes a sub-agent alone', async () => {
    await mirror.append(main, [entry(1)]);
    await mirror.append(sub, [entry(2)]);
    await mirror.delete(sub);
    expect(await mirror.load(sub)).toBeNull();
    expect(await mirror.load(main)).toEqual([entry(1)]);
  });

  it('12: lists the sub-agents of a session', async () => {
    await mirror.append(sub, [entry(1)]);
    await mirror.append({ ...main, subpath: 'subagents/ä b%/c' }, [entry(2)]);
    await mirror.append({ ...sub, sessionId: 'other' }, [entry(3)]);
    expect((await mirror.listSubkeys(main)).toSorted()).toEqual(['subagents/agent-1', 'subagents/ä b%/c']);
  });

  it('13: does not list the main transcript among them', async () => {
    await mirror.append(main, [entry(1)]);
    expect(await mirror.listSubkeys(main)).toEqual([]);
  });
});

describe('and beyond that', () => {
  it('gives back any JSON, and survives a restart', async () => {
    const values = fc.sample(
      fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), { noNullPrototype: true }),
      60,
    );
    const entries = values.map((value) => JSON.parse(JSON.stringify({ ...value, type: 'x' })) as ClaudeSessionEntry);
    await mirror.append(main, entries);
    await lab.store.close();
    lab.store = await Store.local(lab.options);
    expect(await new ClaudeSessionStore(lab.store).load(main)).toEqual(entries);
  });

  it('begins anew after a deletion', async () => {
    await mirror.append(main, [{ ...entry(1), uuid: 'a' }]);
    await mirror.delete(main);
    await mirror.append(main, [{ ...entry(2), uuid: 'a' }]);
    expect(await mirror.load(main)).toEqual([{ ...entry(2), uuid: 'a' }]);
  });

  it('keeps an entry with a uuid once, though a batch is tried again', async () => {
    const batch = [{ ...entry(1), uuid: 'a' }, { ...entry(2), uuid: 'b' }, entry(3)];
    await mirror.append(main, batch);
    await mirror.append(main, [...batch, { ...entry(4), uuid: 'c' }, { ...entry(4), uuid: 'c' }]);
    expect(await mirror.load(main)).toEqual([...batch, entry(3), { ...entry(4), uuid: 'c' }]);
  });

  it('stores no secret: a placeholder stands in its place, the same for the same one, and all else is equal', async () => {
    const secret = ['ghp', '_', 'Zk3v9QmX7LpR2sT8wY4bN6cD1fG5hJ0aVeUx'].join('');
    const given = (text: string) => ({
      ...entry(1),
      uuid: `u-${text.length}`,
      signature: 'c2ln',
      env: { TOKEN: text },
    });
    await mirror.append(main, [given(secret)]);
    await mirror.append(main, [given(`${secret} again`)]);
    expect(await mirror.load(main)).toEqual([
      { ...given(secret), env: { TOKEN: '[REDACTED:github-token:1]' } },
      { ...given(`${secret} again`), env: { TOKEN: '[REDACTED:github-token:1] again' } },
    ]);
  });

  it('keeps ids and signatures where records have them, and no secret in a field of the same name elsewhere', async () => {
    const secret = ['ghp', '_', 'Zk3v9QmX7LpR2sT8wY4bN6cD1fG5hJ0aVeUx'].join('');
    const record = (inside: string): ClaudeSessionEntry => ({
      type: 'assistant',
      uuid: secret,
      sessionId: secret,
      message: {
        content: [
          { type: 'thinking', thinking: '…', signature: secret },
          {
            type: 'tool_use',
            id: 't1',
            name: 'Http',
            input: { sessionId: inside, signature: inside, deep: [{ uuid: inside }] },
          },
          { type: 'tool_result', tool_use_id: secret, content: [{ type: 'text', text: 'x', signature: inside }] },
        ],
      },
      toolUseResult: { requestId: inside, leafUuid: inside },
      signature: inside,
      parentUuid: { tool_use_id: inside },
    });
    await mirror.append(main, [record(secret)]);
    expect(await mirror.load(main)).toEqual([record('[REDACTED:github-token:1]')]);
  });

  it('takes appends of two programs at once without a loss', async () => {
    const other = await Store.local(lab.options);
    try {
      const mirrors = [mirror, new ClaudeSessionStore(other)];
      await Promise.all(Array.from({ length: 12 }, (_, n) => mirrors[n % 2]!.append(main, [entry(n)])));
      const loaded = (await mirror.load(main))!.map(({ n }) => n as number).toSorted((a, b) => a - b);
      expect(loaded).toEqual(Array.from({ length: 12 }, (_, n) => n));
    } finally {
      await other.close();
    }
  });

  it('keeps an entry with a uuid once, though two programs append it at once', async () => {
    const other = await Store.local(lab.options);
    try {
      const mirrors = [mirror, new ClaudeSessionStore(other)];
      await mirror.append(main, [entry(0)]);
      const batch = (n: number) => Array.from({ length: 5 }, (_, i) => ({ ...entry(i), uuid: `u${n}-${i}` }));
      for (let n = 0; n < 8; n++) await Promise.all(mirrors.map((one) => one.append(main, batch(n))));
      const uuids = (await mirror.load(main))!.flatMap(({ uuid }) => uuid ?? []);
      expect(uuids).toEqual(Array.from({ length: 8 }, (_, n) => batch(n).map(({ uuid }) => uuid)).flat());
    } finally {
      await other.close();
    }
  });

  it('gives two secrets two placeholders, though two programs store them at once', async () => {
    const other = await Store.local(lab.options);
    try {
      const mirrors = [mirror, new ClaudeSessionStore(other)];
      const secret = (n: number) =>
        ['ghp', '_', `Zk3v9QmX7LpR2sT8wY4bN6cD1fG5hJ0aVe${String(n).padStart(2, '0')}`].join('');
      await Promise.all(
        Array.from({ length: 12 }, (_, n) => mirrors[n % 2]!.append(main, [{ type: 'x', text: secret(n) }])),
      );
      expect(new Set((await mirror.load(main))!.map(({ text }) => text)).size).toBe(12);
    } finally {
      await other.close();
    }
  });

  it('deletes what was appended before, though nobody waited for that', async () => {
    await mirror.append(main, [entry(1)]);
    await Promise.all([mirror.append(main, [entry(2)]), mirror.delete(main)]);
    expect(await mirror.load(main)).toBeNull();
  });

  it('stays out of the list of sessions', async () => {
    await mirror.append(main, [entry(1)]);
    expect((await lab.store.list()).total).toBe(0);
    expect((await lab.store.list({ empty: true })).total).toBe(1);
  });

  it('refuses an empty subpath and a closed store', async () => {
    await expect(mirror.load({ ...main, subpath: '' })).rejects.toMatchObject({ code: 'invalid_request' });
    await lab.store.close();
    await expect(mirror.load(main)).rejects.toMatchObject({ name: 'SessionctlError', code: 'invalid_request' });
  });
});
