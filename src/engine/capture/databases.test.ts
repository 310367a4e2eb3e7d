import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionPath } from '../../../adapters/io/database-path.ts';
import type { AppEvent } from '../../shared/api.ts';
import { unwrap } from '../../shared/errors.ts';
import { sessionIdOf } from './session-id.ts';
import { agentDatabase, databaseOf } from './testing/fake-database.ts';
import { type TempCapture, tempCapture } from './testing/temp-capture.ts';

let temp: TempCapture;
let agent: Database;

beforeEach(async () => {
  temp = await tempCapture();
  agent = agentDatabase({ home: temp.agentHome });
});
afterEach(async () => {
  agent.close();
  await temp.remove();
});

const say = (session: string, ...texts: string[]) => {
  for (const text of texts) agent.prepare('INSERT INTO message(session, text) VALUES(?, ?)').run(session, text);
};
const path = (native_id: string) => sessionPath(databaseOf({ home: temp.agentHome }), native_id);
const id = (native_id: string) => sessionIdOf({ agent: 'claude', native_id, path: path(native_id) });
const textsOf = async (session: string) =>
  (await temp.store.reader.events(session, 0, 100)).map(
    ({ payload }) => (payload.content as { text: string }[])[0]?.text,
  );

describe('a database with many sessions', () => {
  it('gives each session for itself, those that are only in its log too', async () => {
    say('a', 'one', 'two');
    say('b', 'three');
    expect(unwrap(await temp.capture.import({}))).toMatchObject({ sessions_changed: 2, events: 3, warnings: [] });
    expect(await textsOf(id('a'))).toEqual(['one', 'two']);
    expect(await temp.store.reader.session(id('b'))).toMatchObject({ native_id: 'b', source: path('b') });
  });

  it('is not opened when nothing was written, and else gives what is new', async () => {
    say('a', 'one');
    say('b', 'two');
    unwrap(await temp.capture.import({}));
    expect(unwrap(await temp.capture.import({}))).toMatchObject({ done: 0, unchanged: 1 });
    say('b', 'three');
    expect(unwrap(await temp.capture.import({}))).toMatchObject({ events: 1, changed: [id('b')], unchanged: 1 });
    expect(await textsOf(id('b'))).toEqual(['two', 'three']);
  });

  it('keeps the sessions that can be read when one cannot, and tries that one again', async () => {
    say('a', 'broken');
    say('b', 'fine');
    const first = unwrap(await temp.capture.import({}));
    expect(first.changed).toEqual([id('b')]);
    expect(first.warnings).toMatchObject([{ about: 'source_unreadable', file: path('a') }]);
    agent.exec("UPDATE message SET text = 'mended' WHERE text = 'broken'");
    expect(unwrap(await temp.capture.import({})).changed).toEqual([id('a')]);
  });

  it('gives one session alone when it is named', async () => {
    say('a', 'one');
    say('b', 'two');
    expect(unwrap(await temp.capture.import({ path: path('b') })).changed).toEqual([id('b')]);
    expect(unwrap(await temp.capture.import({})).changed).toEqual([id('a')]);
  });

  it('stays as it is, byte for byte, with nothing left beside it', async () => {
    say('a', 'one');
    const folder = join(temp.agentHome, '.fake');
    const bytes = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]);
    const before = bytes();
    unwrap(await temp.capture.import({}));
    expect(bytes()).toEqual(before);
  });

  it('is followed live', async () => {
    say('a', 'one');
    const heads = new Map<string, (head: number) => void>();
    const seen = (session: string, head: number) =>
      new Promise<void>((resolve) => {
        heads.set(session, (now) => now === head && resolve());
      });
    const first = seen(id('a'), 0);
    const onEvent = (event: AppEvent) => {
      if (event.topic === 'session') heads.get(event.id)?.(event.head_seq);
    };
    const watch = unwrap(await temp.capture.watch(onEvent));
    if ('heldBy' in watch) throw new Error('held');
    try {
      await first;
      const second = seen(id('a'), 1);
      say('a', 'two');
      await second;
      expect(await textsOf(id('a'))).toEqual(['one', 'two']);
    } finally {
      await watch.close();
    }
  });
});
