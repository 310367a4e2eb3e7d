import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { AppEvent } from '../../shared/api.ts';
import { unwrap } from '../../shared/errors.ts';
import type { Watch } from './contract.ts';
import { type TempCapture, tempCapture } from './testing/temp-capture.ts';

let temp: TempCapture;
let watching: Watch | undefined;
afterEach(async () => {
  await watching?.close();
  watching = undefined;
  await temp.remove();
});

type Change = Extract<AppEvent, { topic: 'session' }>;

/** Starts to watch and gives a function that waits for the next event of a session. */
async function start(): Promise<(id: string, head: number) => Promise<Change>> {
  const seen: Change[] = [];
  const waiting = new Set<() => void>();
  const watch = unwrap(
    await temp.capture.watch((event) => {
      if (event.topic === 'session') seen.push(event);
      for (const wake of waiting) wake();
    }),
  );
  if ('heldBy' in watch) throw new Error('held');
  watching = watch;
  return (id, head) =>
    new Promise((resolve) => {
      const look = () => {
        const event = seen.find((one) => one.id === id && one.head_seq === head);
        if (event === undefined) return;
        waiting.delete(look);
        resolve(event);
      };
      waiting.add(look);
      look();
    });
}

describe('watching', () => {
  it('captures what is there, then each line as it is appended', async () => {
    temp = await tempCapture();
    const id = temp.id('a');
    temp.write('a', { text: 'one' }, { text: 'two' });
    const event = await start();
    expect(await event(id, 1)).toMatchObject({ change: 'added' });
    for (let head = 2; head < 12; head++) {
      temp.write('a', { text: `more ${head}` });
      expect(await event(id, head)).toMatchObject({ change: 'appended' });
    }
    const events = await temp.store.reader.events(id, 0, 100);
    expect(events.map(({ parent_seq }) => parent_seq)).toEqual([null, ...Array.from({ length: 11 }, (_, i) => i)]);
    expect(await temp.store.reader.verify(id)).toMatchObject({ ok: true, events: 12 });
  });

  it('waits for the rest of a torn line', async () => {
    temp = await tempCapture();
    const id = temp.id('a');
    const event = await start();
    appendFileSync(temp.path('a'), '{"text": "whole"}\n{"text": "to');
    await event(id, 0);
    appendFileSync(temp.path('a'), 'rn"}\n');
    await event(id, 1);
    expect((await temp.store.reader.session(id))?.last_prompt).toBe('torn');
  });

  it('finds new sessions and those that are moved into place', async () => {
    temp = await tempCapture();
    const event = await start();
    temp.write('new', { text: 'hello' });
    expect(await event(temp.id('new'), 0)).toMatchObject({ change: 'added' });
    const draft = join(temp.agentHome, 'draft.tmp');
    writeFileSync(draft, '{"text": "moved"}\n');
    renameSync(draft, temp.path('moved'));
    expect(await event(temp.id('moved'), 0)).toMatchObject({ change: 'added' });
  });

  it('begins with a source when it is enabled', async () => {
    temp = await tempCapture({ enabled: false });
    temp.write('a', { text: 'one' });
    const event = await start();
    expect(await temp.store.reader.stats()).toMatchObject({ sessions: 0 });
    unwrap(await temp.store.writer.setSourceEnabled('claude', true));
    await watching?.refresh();
    await event(temp.id('a'), 0);
  });

  it('goes on from memory when a decision has added to the session', async () => {
    temp = await tempCapture();
    const id = temp.id('a');
    const event = await start();
    temp.write('a', { text: 'one' });
    await event(id, 0);
    const note = { ts: null, agent: 'sessionctl', actor: 'system', type: 'meta', level: 0 as const };
    const draft = { ...note, payload: { key: 'label', value: 'x' }, refs: [], parent_seq: null, origin: null };
    unwrap(await temp.store.writer.decide({ append: [{ session: id, drafts: [draft] }] }));
    temp.write('a', { text: 'two' });
    await event(id, 2);
    const events = await temp.store.reader.events(id, 0, 10);
    expect(events.map(({ type, parent_seq }) => [type, parent_seq])).toEqual([
      ['message.user', null],
      ['meta', null],
      ['message.user', 0],
    ]);
  });

  it('is the right of one process at a time', async () => {
    temp = await tempCapture();
    await start();
    expect(await temp.capture.watch(() => {})).toEqual({ ok: true, value: { heldBy: process.pid } });
    await watching?.close();
    await start();
  });
});
