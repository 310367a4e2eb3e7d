import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventDraft } from '../../shared/events.ts';
import { migrations } from '../store/migrations/all.ts';
import { chatDraft, sessionId, TEST_KEY } from '../store/testing/temp-store.ts';
import { createSearch } from './search.ts';
import { asked, LONG, placesOf, type SearchLab, saying, searchLab, searchOf, termsOf } from './testing/search-lab.ts';

const CHILD = fileURLToPath(new URL('./testing/index-child.ts', import.meta.url));

let lab: SearchLab;
beforeEach(async () => {
  lab = await searchLab();
});
afterEach(() => lab.close());

/** `n` events, each with a word of its own. */
const numbered = (n: number, word = 'item'): EventDraft[] =>
  Array.from({ length: n }, (_, i) => chatDraft(i, `${word}${i} of common things`));

/** How many events are in the index, and how many entries there are of them. */
const entries = (): { rows: number; ids: number } =>
  lab.database(
    (db) =>
      db
        .prepare<[], { rows: number; ids: number }>(
          'SELECT count(*) AS rows, count(DISTINCT id) AS ids FROM search_docsize',
        )
        .get() as { rows: number; ids: number },
  );

/** Removes a session, as emptying a trash will. */
const remove = (id: string): void =>
  lab.database((db) => {
    db.transaction(() => {
      const number = db.prepare<[string], number>('SELECT id FROM session WHERE uid = ?').pluck().get(id);
      for (const table of ['listing', 'session']) db.prepare(`DELETE FROM ${table} WHERE id = ?`).run(number);
    }).immediate();
  });

describe('the index', () => {
  it('is made when somebody searches first, and says how far it is until then', async () => {
    await lab.add(sessionId(1), numbered(900));
    const { index } = await lab.engine.search(asked('item5'));
    expect(index).toEqual({ complete: false, sessions: 0, sessions_total: 1, events: 0, events_total: 900 });
    const told: number[] = [];
    const done = await lab.engine.catchUp(LONG, { onProgress: ({ events }) => void told.push(events) });
    expect(done).toEqual({ complete: true, sessions: 1, sessions_total: 1, events: 900, events_total: 900 });
    expect(told.length).toBeGreaterThan(2);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(await lab.found('item899')).toEqual(['1:899']);
  });

  it('follows a session that grows, once for each event', async () => {
    await lab.add(sessionId(1), numbered(10));
    expect(await lab.found('things', { hits: 500 })).toHaveLength(10);
    await lab.append(sessionId(1), numbered(700, 'late'));
    expect(await lab.found('late650')).toEqual(['1:660']);
    expect(entries()).toEqual({ rows: 710, ids: 710 });
  });

  it('goes on in the background when nobody waits for it any longer', async () => {
    await lab.add(sessionId(1), numbered(1500));
    expect((await lab.engine.catchUp(0)).complete).toBe(false);
    // whoever comes next waits for the work that is under way
    expect((await lab.engine.catchUp(LONG)).complete).toBe(true);
  });

  it('is brought up to date though nobody searches, but not during an import', async () => {
    await lab.add(sessionId(1), numbered(500));
    let importing = true;
    const asked = Promise.withResolvers<void>();
    const engine = createSearch({
      home: lab.temp.home,
      key: TEST_KEY,
      store: lab.temp.store,
      importing: () => {
        asked.resolve();
        return importing;
      },
    });
    engine.somethingNew();
    await asked.promise;
    expect((await engine.state()).events).toBe(0);
    importing = false;
    await expect.poll(async () => (await engine.state()).complete, { timeout: LONG, interval: 50 }).toBe(true);
    await engine.close();
  });

  it('can be given up by who waits', async () => {
    await lab.add(sessionId(1), numbered(1500));
    const given = new AbortController();
    const waiting = lab.engine.catchUp(LONG, { signal: given.signal });
    given.abort();
    expect((await waiting).events_total).toBe(1500);
  });

  it('finds every word of every event, and none of what was removed', async () => {
    const word = fc.oneof(
      fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,14}$/),
      fc.constantFrom('错误', '修复登录', 'naïve', '🚀', 'E0308', 'ログイン', 'проверка', '/src/a.ts', 'Straße'),
    );
    const sessions = fc.array(
      fc.array(fc.array(word, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      {
        minLength: 2,
        maxLength: 4,
      },
    );
    let next = 1;
    await fc.assert(
      fc.asyncProperty(sessions, async (texts) => {
        const ids = texts.map(() => sessionId(next++));
        for (const [i, said] of texts.entries())
          await lab.add(ids[i] as string, saying(...said.map((words) => words.join(' '))));
        const gone = ids[0] as string;
        await lab.engine.catchUp(LONG);
        remove(gone);
        await lab.engine.catchUp(LONG);
        for (const [i, said] of texts.entries()) {
          for (const [seq, words] of said.entries()) {
            for (const one of words) {
              const { sessions: found } = await lab.engine.search(asked(`"${one}"`));
              const places = found.flatMap(({ session, hits }) => hits.map((hit) => `${session.id} ${hit.seq}`));
              if (i === 0) expect(places.join()).not.toContain(gone);
              else expect(places).toContain(`${ids[i]} ${seq}`);
            }
          }
        }
      }),
      { numRuns: 8 },
    );
  });

  it('loses the words of a removed session, from the file too, and finds none of it at once', async () => {
    await lab.add(sessionId(1), saying('zyxwvut is only here', 'common'));
    await lab.add(sessionId(2), numbered(600, 'common'));
    await lab.engine.catchUp(LONG);
    remove(sessionId(1));
    expect(placesOf(await lab.engine.search(asked('zyxwvut')))).toEqual([]);
    expect((await lab.engine.state()).complete).toBe(false);
    expect((await lab.engine.catchUp(LONG)).complete).toBe(true);
    lab.database((db) => {
      expect(termsOf(db)).not.toContain('zyxwvut');
      const blocks = db.prepare<[], Buffer>('SELECT block FROM search_data').pluck().all();
      expect(blocks.some((block) => block.includes('zyxwvut'))).toBe(false);
    });
    expect(entries()).toEqual({ rows: 600, ids: 600 });
  });

  it('takes the words of a session anew when other events stand in their place', async () => {
    await lab.add(sessionId(1), saying('the old secretive word', 'reply'));
    await lab.add(sessionId(2), saying('the new word', 'reply'));
    await lab.engine.catchUp(LONG);
    // as if the log of session 1 had been written again with what is in session 2
    lab.database((db) => {
      db.transaction(() => {
        const [one, two] = [1, 2].map((n) => n * 2 ** 32);
        db.prepare('DELETE FROM segment WHERE id = ?').run(one);
        db.prepare('INSERT INTO segment SELECT ?, n, raw, start, head, idx, data FROM segment WHERE id = ?').run(
          one,
          two,
        );
        db.prepare('UPDATE session SET head = (SELECT head FROM session WHERE id = 2) WHERE id = 1').run();
      }).immediate();
    });
    expect(await lab.found('secretive')).toEqual([]);
    expect((await lab.found('new word')).sort()).toEqual(['1:0', '2:0']);
    expect(lab.database(termsOf)).not.toContain('secretive');
  });

  it('holds no word that is not in the store', async () => {
    await lab.add(sessionId(1), saying('alpha [REDACTED:token:1] beta', 'reply'));
    await lab.engine.catchUp(LONG);
    expect(lab.database(termsOf).filter((term) => !term.startsWith('\ue000'))).toEqual(
      ['1', 'alpha', 'beta', 'redacted', 'reply', 'token'].sort(),
    );
  });

  it('is made for a store from before there was one', async () => {
    await lab.add(sessionId(1), numbered(20));
    await lab.engine.close();
    await lab.temp.close();
    lab.database((db) => {
      db.exec(`DROP TRIGGER search_session_removed; DROP TRIGGER search_session_replaced; DROP TABLE search;
        DROP TABLE search_session; DROP TABLE search_removed; DROP TABLE search_state`);
      db.pragma('user_version=2');
    });
    await lab.temp.reopen();
    const engine = searchOf(lab.temp);
    expect((await engine.catchUp(LONG)).complete).toBe(true);
    expect(placesOf(await engine.search(asked('item7')))).toEqual(['1:7']);
    await engine.close();
    lab.database((db) => expect(db.pragma('user_version', { simple: true })).toBe(migrations.length));
  });

  it('is made anew when it holds other tokens than are made now', async () => {
    await lab.add(sessionId(1), saying('hello there', 'reply'));
    await lab.engine.catchUp(LONG);
    lab.database((db) => {
      db.exec(`UPDATE search_state SET value = 0 WHERE name = 'tokens';
        INSERT INTO search(rowid, words) VALUES(4294967296 + 77, 'stale')`);
    });
    expect((await lab.engine.state()).complete).toBe(false);
    expect(await lab.found('hello')).toEqual(['1:0']);
    expect(lab.database(termsOf)).not.toContain('stale');
  });

  it('goes on without a log that cannot be read, and never says that it is complete', async () => {
    await lab.add(sessionId(1), numbered(100));
    await lab.add(sessionId(2), saying('a readable one', 'reply'));
    lab.database((db) => db.prepare('UPDATE segment SET data = zeroblob(50) WHERE id = ?').run(2 ** 32));
    const state = await lab.engine.catchUp(LONG);
    expect(state).toMatchObject({ complete: false, sessions: 1, sessions_total: 2 });
    expect(await lab.found('readable')).toEqual(['2:0']);
  });
});

describe('processes that index', () => {
  const index = (...until: number[]) => {
    const child = spawn(process.execPath, [CHILD, lab.temp.home, ...until.map(String)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    return { lines, ended: once(child, 'close') };
  };

  it('can be killed at any step: the next goes on, and each event is there once', async () => {
    for (let n = 1; n <= 4; n++) await lab.add(sessionId(n), numbered(1100));
    for (const at of [400, 1600]) {
      const [, signal] = await index(at).ended;
      expect(signal).toBe('SIGKILL');
    }
    const { events } = await lab.engine.state();
    expect(events).toBeGreaterThan(0);
    expect(entries().rows).toBe(events);
    expect((await lab.engine.catchUp(LONG)).complete).toBe(true);
    expect(entries()).toEqual({ rows: 4400, ids: 4400 });
    expect((await lab.found('item1099')).sort()).toEqual(['1:1099', '2:1099', '3:1099', '4:1099']);
  });

  it('do it once between them, and each waits for the other', async () => {
    for (let n = 1; n <= 3; n++) await lab.add(sessionId(n), numbered(1000));
    const [one, two] = [index(), index()];
    const state = await lab.engine.catchUp(LONG);
    await Promise.all([one.ended, two.ended]);
    expect([one.lines.at(-1), two.lines.at(-1), state.complete]).toEqual(['complete true', 'complete true', true]);
    expect(entries()).toEqual({ rows: 3000, ids: 3000 });
  });
});
