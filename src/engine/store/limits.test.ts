import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import { openDatabase } from './database.ts';
import { addSession, chatDrafts, sessionId, TEST_KEY, type TempStore, tempStore } from './testing/temp-store.ts';

let temp: TempStore;
afterEach(() => temp.remove());

const A = sessionId(1);

async function run(script: string, limit: string, ...args: string[]): Promise<string> {
  const path = fileURLToPath(new URL(`./testing/${script}`, import.meta.url));
  // the signal that a file has become too large is ignored, so that the write fails as on a full disk
  const child = spawn('sh', ['-c', `trap '' XFSZ; ${limit}; exec "$0" "$@"`, process.execPath, path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await once(child, 'close');
  return output.trim();
}

describe('a disk that is full', () => {
  it('refuses the write as store_full and keeps all that was there', async () => {
    temp = await tempStore();
    await addSession(temp.store, A, chatDrafts(100));
    await temp.close();
    const output = await run('fill-child.ts', 'ulimit -f 4096', temp.home);
    expect(JSON.parse(output)).toMatchObject({ code: 'store_full' });
    const { reader, writer } = await temp.reopen();
    const rows = (await reader.sessions({ offset: 0, limit: 1000 })).rows;
    expect(rows.length).toBeGreaterThan(0);
    for (const { id, events } of rows) expect(await reader.verify(id)).toMatchObject({ ok: true, events });
    unwrap(await writer.decide({ append: [{ session: A, drafts: chatDrafts(1, 100) }] }));
  });
});

describe('another process that writes', () => {
  it('is waited for, and not for ever', async () => {
    temp = await tempStore({ busyMs: 300 });
    const other = openDatabase(temp.home, TEST_KEY);
    other.exec('BEGIN IMMEDIATE');
    const short = temp.store.writer.decide({ settings: { a: 1 } });
    // readers go on while the writer waits
    expect(await temp.store.reader.stats()).toMatchObject({ sessions: 0 });
    expect(await short).toMatchObject({ ok: false, error: { code: 'store_busy' } });
    const waiting = temp.store.writer.decide({ settings: { a: 2 } });
    other.exec('COMMIT');
    unwrap(await waiting);
    expect(await temp.store.reader.setting('a')).toBe(2);
    other.close();
  });
});

describe('a lease', () => {
  it('belongs to one holder, and to the next when it is given back', async () => {
    temp = await tempStore();
    const { writer } = temp.store;
    const first = unwrap(await writer.lease('watch'));
    expect(unwrap(await writer.lease('watch'))).toEqual({ heldBy: process.pid });
    expect('release' in unwrap(await writer.lease('other'))).toBe(true);
    if ('release' in first) await first.release();
    expect('release' in unwrap(await writer.lease('watch'))).toBe(true);
  });

  it('is taken over from a killed process, not from a living one', async () => {
    temp = await tempStore();
    const path = fileURLToPath(new URL('./testing/lease-child.ts', import.meta.url));
    const child = spawn(process.execPath, [path, temp.home], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    expect(unwrap(await temp.store.writer.lease('watch'))).toEqual({ heldBy: child.pid });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect('release' in unwrap(await temp.store.writer.lease('watch'))).toBe(true);
  });
});
