import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import { type TempCapture, tempCapture } from './testing/temp-capture.ts';

let temp: TempCapture;
afterEach(() => temp.remove());

const texts = (n: number, from = 0): object[] => Array.from({ length: n }, (_, i) => ({ text: `line ${from + i}` }));

describe('an import', () => {
  it('reads all sessions, and nothing a second time', async () => {
    temp = await tempCapture();
    for (let i = 0; i < 150; i++) temp.write(`s${i}`, ...texts(20));
    const first = unwrap(await temp.capture.import({}));
    expect(first).toMatchObject({
      done: 150,
      total: 150,
      events: 3000,
      sessions_changed: 150,
      unchanged: 0,
      warnings: [],
    });
    const second = unwrap(await temp.capture.import({}));
    expect(second).toMatchObject({ done: 0, total: 0, unchanged: 150, changed: [] });
    expect(await temp.store.reader.stats()).toMatchObject({ sessions: 150, events: 3000 });
    expect(await temp.store.reader.verify(temp.id('s7'))).toMatchObject({ ok: true, events: 20 });
  });

  it('goes on where it was when a session has grown', async () => {
    temp = await tempCapture();
    const id = temp.id('a');
    temp.write('a', ...texts(5));
    unwrap(await temp.capture.import({}));
    temp.write('a', ...texts(3, 5));
    appendFileSync(temp.path('a'), '{"text": "torn');
    expect(unwrap(await temp.capture.import({}))).toMatchObject({ events: 3, changed: [id] });
    appendFileSync(temp.path('a'), ' line"}\n');
    unwrap(await temp.capture.import({}));
    const events = await temp.store.reader.events(id, 0, 100);
    expect(events.map(({ payload }) => (payload.content as { text: string }[])[0]?.text)).toEqual([
      ...Array.from({ length: 8 }, (_, i) => `line ${i}`),
      'torn line',
    ]);
    expect(events.map(({ parent_seq }) => parent_seq)).toEqual([null, 0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await temp.store.reader.session(id)).toMatchObject({ events: 9, counts: { user: 9 }, title: 'line 0' });
  });

  it('keeps sessions within a source apart, and links sub-agents to their parents in any order', async () => {
    temp = await tempCapture();
    temp.write('child', { text: 'hi', parent: 'boss' });
    temp.write('boss', { text: 'one' }, { text: 'side', part: 'side' }, { text: 'two', title: 'A title' });
    unwrap(await temp.capture.import({}));
    const { reader } = temp.store;
    expect(await reader.session(temp.id('boss'))).toMatchObject({
      children: [temp.id('child')],
      title: 'A title',
      title_from: 'user',
      events: 2,
    });
    expect(await reader.session(temp.id('child'))).toMatchObject({ parent: temp.id('boss'), parent_kind: 'subagent' });
    expect(await reader.session(temp.id('boss', 'side'))).toMatchObject({ events: 1, native_id: 'boss' });
    expect((await reader.lineage(temp.id('child'))).map(({ id }) => id).sort()).toEqual(
      [temp.id('boss'), temp.id('child')].sort(),
    );
  });

  it('reports a source that fails, keeps nothing of it, and reads the others', async () => {
    temp = await tempCapture();
    temp.write('bad', ...texts(700), { fail: 'the disk has a hole' });
    temp.write('good', ...texts(2));
    const summary = unwrap(await temp.capture.import({}));
    expect(summary.warnings).toEqual([
      { about: 'source_unreadable', detail: 'the disk has a hole', file: temp.path('bad') },
    ]);
    expect(summary.changed).toEqual([temp.id('good')]);
    expect(await temp.store.reader.session(temp.id('bad'))).toBeNull();
    expect(await temp.store.reader.stats()).toMatchObject({ sessions: 1, events: 2 });
  });

  it('warns when records are unaccounted for', async () => {
    temp = await tempCapture();
    temp.write('a', { text: 'one' }, { lose: true });
    const summary = unwrap(await temp.capture.import({}));
    expect(summary.warnings).toMatchObject([{ about: 'accounting', count: 1 }]);
    expect((await temp.store.reader.session(temp.id('a')))?.warnings).toMatchObject([{ about: 'accounting' }]);
  });

  it('carries large events, artifacts and long sessions', async () => {
    temp = await tempCapture();
    const large = 'x'.repeat(3 << 20);
    temp.write('a', ...texts(1500), { text: large }, { bytes: 5 << 20 }, { text: 'last', bytes: 5 << 20 });
    unwrap(await temp.capture.import({}));
    const { reader } = temp.store;
    const id = temp.id('a');
    expect(await reader.verify(id)).toMatchObject({ ok: true, events: 1503 });
    const [big, doc] = await reader.eventsAt(id, [1500, 1501]);
    expect(big?.payload).toMatchObject({ content: [{ text: large }] });
    const blocks = doc?.payload.content as { artifact?: string }[] | undefined;
    expect((await reader.artifact(blocks?.[1]?.artifact ?? ''))?.bytes.length).toBe(5 << 20);
  });

  it('needs an enabled source, but a path is consent', async () => {
    temp = await tempCapture({ enabled: false });
    const path = temp.write('a', ...texts(2));
    expect(await temp.capture.import({ agent: 'claude' })).toMatchObject({
      ok: false,
      error: { code: 'source_not_enabled' },
    });
    expect(unwrap(await temp.capture.import({}))).toMatchObject({ total: 0 });
    expect(unwrap(await temp.capture.import({ path })).changed).toEqual([temp.id('a')]);
    expect(await temp.capture.import({ agent: 'nobody' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    });
  });

  it('takes a folder of sessions from anywhere', async () => {
    temp = await tempCapture({ enabled: false });
    const folder = join(temp.agentHome, 'elsewhere', 'deep');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'x.jsonl'), '{"text":"far"}\n');
    writeFileSync(join(folder, 'notes.txt'), 'no session');
    expect(unwrap(await temp.capture.import({ path: join(temp.agentHome, 'elsewhere') })).changed).toHaveLength(1);
    expect(await temp.capture.import({ path: join(folder, 'notes.txt') })).toMatchObject({
      ok: false,
      error: { code: 'not_a_session' },
    });
    expect(await temp.capture.import({ path: '/nowhere' })).toMatchObject({
      ok: false,
      error: { code: 'source_unreadable' },
    });
  });

  it('gives a session that needs much memory further tries with more', async () => {
    temp = await tempCapture();
    temp.write('a', { text: 'one' }, { text: 'two', hog: 250 });
    temp.write('b', { text: 'three' });
    expect(unwrap(await temp.capture.import({})).warnings).toEqual([]);
    expect(await temp.store.reader.stats()).toMatchObject({ sessions: 2, events: 3 });
  });

  it('stops when cancelled', async () => {
    temp = await tempCapture();
    for (let i = 0; i < 300; i++) temp.write(`s${i}`, ...texts(20));
    const abort = new AbortController();
    const result = await temp.capture.import({}, () => abort.abort(), abort.signal);
    expect(result).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect((await temp.store.reader.stats()).sessions).toBeLessThan(300);
  });
});
