import { afterEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import type { EventDraft } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import { addSession, chatDraft, chatDrafts, sessionId, type TempStore, tempStore } from './testing/temp-store.ts';

let temp: TempStore;
afterEach(() => temp.remove());

function startAt(cwd: string): EventDraft {
  return { ...chatDraft(0), actor: 'system', type: 'session.start', level: 1, payload: { cwd } };
}

function prompt(text: string, ts: number, parent: number | null = 0): EventDraft {
  return { ...chatDraft(2, text), ts, parent_seq: parent };
}

async function child(
  id: string,
  parent: string,
  kind: SessionRow['parent_kind'],
  drafts = chatDrafts(2),
): Promise<void> {
  unwrap(
    await temp.store.writer.decide({
      create: [{ id, agent: 'codex', native_id: id, source: null, parent, parent_kind: kind }],
      append: [{ session: id, drafts }],
    }),
  );
}

const page = { offset: 0, limit: 200 };

describe('listing sessions', () => {
  it('sorts, filters, searches and pages', async () => {
    temp = await tempStore();
    const { store } = temp;
    await addSession(
      store,
      sessionId(1),
      [startAt('/home/dev/alpha'), prompt('Fix the Flaky test', 1_790_000_100)],
      'n1',
    );
    await addSession(store, sessionId(2), [startAt('/home/dev/beta'), prompt('Größe der Straße', 1_790_000_300)], 'n2');
    await addSession(
      store,
      sessionId(3),
      [startAt('/home/dev/alphabet'), prompt('100% of it_works', 1_790_000_200)],
      'n3',
    );
    await addSession(store, sessionId(4), [startAt('/home/dev/alpha/sub')], 'n4');
    const ids = async (query: object) => {
      const { total, rows } = await store.reader.sessions({ ...page, ...query });
      expect(total).toBe(rows.length);
      return rows.map((row) => Number.parseInt(row.id.slice(5), 16));
    };
    expect(await ids({})).toEqual([2, 3, 1]);
    expect(await ids({ empty: true, sort: 'oldest' })).toHaveLength(4);
    expect(await ids({ sort: 'title' })).toEqual([3, 1, 2]);
    expect(await ids({ text: 'flaky FIX' })).toEqual([1]);
    expect(await ids({ text: 'STRASSE' })).toEqual([]);
    expect(await ids({ text: 'grÖße' })).toEqual([2]);
    expect(await ids({ text: '% it_w' })).toEqual([3]);
    expect(await ids({ text: 'n2' })).toEqual([2]);
    expect(await ids({ cwd: '/home/dev/alpha/' })).toEqual([1]);
    expect(await ids({ cwd: '/home/dev/alpha', empty: true })).toEqual([1, 4]);
    expect(await ids({ after: 1_790_000_200, before: 1_790_000_300 })).toEqual([3]);
    expect(await ids({ agent: 'codex' })).toEqual([]);
    const second = await store.reader.sessions({ offset: 1, limit: 1 });
    expect([second.total, second.rows.map(({ id }) => id)]).toEqual([3, [sessionId(3)]]);
  });

  it('hides sub-agents unless asked, and finds who has them', async () => {
    temp = await tempStore();
    await addSession(temp.store, sessionId(1), chatDrafts(2));
    await addSession(temp.store, sessionId(2), chatDrafts(2));
    await child(sessionId(3), sessionId(1), 'subagent');
    await child(sessionId(4), sessionId(2), 'handoff');
    const ids = async (query: object) =>
      (await temp.store.reader.sessions({ ...page, ...query })).rows.map(({ id }) => id).sort();
    expect(await ids({})).toEqual([sessionId(1), sessionId(2), sessionId(4)]);
    expect(await ids({ subagents: true })).toHaveLength(4);
    expect(await ids({ has: ['subagent'] })).toEqual([sessionId(1)]);
  });

  it('finds by errors, secrets, images and warnings', async () => {
    temp = await tempStore();
    const failed: EventDraft = {
      ...chatDraft(2),
      type: 'tool.result',
      payload: { call_id: 'c', content: [], is_error: true, closed: 'ran' },
    };
    const warned: EventDraft = {
      ...chatDraft(2),
      type: 'meta',
      payload: { key: 'warning', value: { about: 'x', detail: 'y' } },
    };
    const image = { kind: 'image', media_type: 'image/png', artifact: `artifact:sha256:${'0'.repeat(64)}`, bytes: 1 };
    const seen: EventDraft = { ...chatDraft(2), payload: { content: [image], via: 'prompt' } };
    await addSession(temp.store, sessionId(1), [...chatDrafts(2), { ...failed, parent_seq: 1 }]);
    await addSession(temp.store, sessionId(2), [...chatDrafts(2), { ...warned, parent_seq: null }]);
    await addSession(temp.store, sessionId(3), [...chatDrafts(2), { ...seen, parent_seq: 1 }]);
    const ids = async (has: 'error' | 'image' | 'warning' | 'secret') =>
      (await temp.store.reader.sessions({ ...page, has: [has] })).rows.map(({ id }) => id);
    expect(await ids('error')).toEqual([sessionId(1)]);
    expect(await ids('warning')).toEqual([sessionId(2)]);
    expect(await ids('image')).toEqual([sessionId(3)]);
    expect(await ids('secret')).toEqual([]);
  });
});

describe('finding a session', () => {
  it('takes ids and paths exactly, prefixes of ids from four letters, and gives all candidates', async () => {
    temp = await tempStore();
    const { store } = temp;
    await addSession(store, sessionId(0xab1), chatDrafts(2), 'same');
    unwrap(
      await store.writer.decide({
        create: [
          {
            id: sessionId(0xab2),
            agent: 'codex',
            native_id: 'same',
            source: '/x.jsonl',
            parent: null,
            parent_kind: null,
          },
        ],
      }),
    );
    const find = async (handle: string) => (await store.reader.find(handle)).map(({ id }) => id);
    expect(await find(sessionId(0xab1))).toEqual([sessionId(0xab1)]);
    expect(await find('same')).toEqual([sessionId(0xab1), sessionId(0xab2)]);
    expect(await find('/x.jsonl')).toEqual([sessionId(0xab2)]);
    expect(await find(sessionId(0xab1).slice(0, -1))).toEqual([sessionId(0xab1), sessionId(0xab2)]);
    expect(await find('ses')).toEqual([]);
    expect(await find('_%__')).toEqual([]);
  });
});

describe('lineage', () => {
  it('holds the whole family, and ends in a cycle', async () => {
    temp = await tempStore();
    await addSession(temp.store, sessionId(1), chatDrafts(2));
    await child(sessionId(2), sessionId(1), 'fork');
    await child(sessionId(3), sessionId(2), 'handoff');
    await child(sessionId(4), sessionId(1), 'subagent');
    await addSession(temp.store, sessionId(9), chatDrafts(2));
    await child(sessionId(11), sessionId(12), 'fork');
    await child(sessionId(12), sessionId(11), 'fork');
    const ids = async (n: number) => (await temp.store.reader.lineage(sessionId(n))).map(({ id }) => id);
    expect(await ids(3)).toEqual([1, 2, 3, 4].map(sessionId));
    expect(await ids(9)).toEqual([sessionId(9)]);
    expect(await ids(12)).toEqual([11, 12].map(sessionId));
    expect(await temp.store.reader.session(sessionId(1))).toMatchObject({ children: [sessionId(2), sessionId(4)] });
  });
});
