import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadFixture } from '../../fixtures/load.ts';
import { unwrap } from '../../src/shared/errors.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { cursor } from './adapter.ts';

let home: string;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'cursor-older-'));
  await loadFixture('cursor', 'terminal', home);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A protobuf field that holds bytes, shorter than 128. */
const field = (number: number, value: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2, Buffer.byteLength(value)]), Buffer.from(value)]);

/** Puts messages in place of those of the session. */
function replace(path: string, messages: Buffer[]): void {
  const db = new Database(path);
  const put = (data: Buffer): Buffer => {
    const id = createHash('sha256').update(data).digest();
    db.prepare('INSERT OR REPLACE INTO blobs(id, data) VALUES (?, ?)').run(id.toString('hex'), data);
    return id;
  };
  const root = put(Buffer.concat(messages.map((message) => field(1, put(message)))));
  const { value } = db.prepare("SELECT value FROM meta WHERE key = '0'").get() as { value: string };
  const meta = { ...JSON.parse(Buffer.from(value, 'hex').toString()), latestRootBlobId: root.toString('hex') };
  db.prepare("UPDATE meta SET value = ? WHERE key = '0'").run(Buffer.from(JSON.stringify(meta)).toString('hex'));
  db.close();
}

it('reads messages of older clients, which are no JSON, and keeps what it does not know', async () => {
  const options = { env: { home, env: {} }, redactionKey: new Uint8Array(32) };
  const source = (await cursor.discover(options.env)).sources[0]!;
  replace(source.path, [
    Buffer.concat([field(1, 'What is 你?'), field(2, '0f0e0d0c-0b0a-4908-8706-050403020100')]),
    field(1, field(1, 'A letter.')),
    Buffer.from([0xff, 0xff, 0x41]),
    field(1, 'text that is no message'),
  ]);
  const opened = unwrap(await cursor.openDatabase!(source, null, options));
  const sink = new MemorySink();
  const outcome = unwrap(await opened.capture(opened.changed[0]!, null, sink, options));
  await opened.close();
  const said = [...sink.sessions.values()][0]!.events.flatMap(({ type, payload }) =>
    type.startsWith('message.') ? [[type, (payload.content as { text: string }[])[0]?.text]] : [],
  );
  expect(said).toEqual([
    ['message.user', 'What is 你?'],
    ['message.assistant', 'A letter.'],
  ]);
  expect(outcome.unknown).toEqual({ 'blob that is no JSON': 2 });
});
