import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { findBreak } from '../../core/log/chain.ts';
import { unwrap } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import { type TempCapture, tempCapture } from './testing/temp-capture.ts';

let temp: TempCapture;
afterEach(() => temp.remove());

const script = fileURLToPath(new URL('./testing/import-child.ts', import.meta.url));
const KILLS = 10;

/** What each session holds by its file. */
const written = new Map<string, string[]>();

function write(name: string, n: number, size: number): void {
  const texts = Array.from({ length: n }, () => randomBytes(size).toString('base64'));
  temp.write(name, ...texts.map((text) => ({ text })));
  written.set(name, [...(written.get(name) ?? []), ...texts]);
}

function importing(): ChildProcess {
  return spawn(process.execPath, [script, temp.home, temp.agentHome], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Kills the child when it has written so much; in the middle of a transaction, as a rule. */
function killWhen(child: ChildProcess, bytes: number): NodeJS.Timeout {
  const log = join(temp.home, 'store.db-wal');
  return setInterval(() => {
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > bytes) child.kill('SIGKILL');
  }, 1);
}

async function textsOf(name: string): Promise<string[]> {
  const events: SessionEvent[] = [];
  for await (const some of temp.store.reader.stream(temp.id(name))) events.push(...some);
  expect(findBreak(events)).toBeNull();
  expect(await temp.store.reader.verify(temp.id(name))).toMatchObject({ ok: true, events: events.length });
  return events.map(({ payload }) => (payload.content as { text: string }[])[0]?.text ?? '');
}

describe('an import that is killed', () => {
  it('leaves a store that verifies, and goes on with nothing lost or doubled', async () => {
    temp = await tempCapture();
    written.clear();
    // one session is larger than what is written in one piece
    write('large', 9000, 3000);
    for (let i = 0; i < 200; i++) write(`small${i}`, 20, 100);
    await temp.close();
    for (let kill = 0; kill < KILLS; kill++) {
      const child = importing();
      const ended = once(child, 'exit');
      const killer = killWhen(child, randomInt(20 << 20));
      await ended;
      clearInterval(killer);
      const { reader } = await temp.reopen();
      for (const { native_id, events } of (await reader.sessions({ offset: 0, limit: 1000, empty: true })).rows) {
        const texts = await textsOf(native_id);
        expect(texts).toHaveLength(events);
        expect(written.get(native_id)?.slice(0, events)).toEqual(texts);
      }
      await temp.close();
      write(`small${kill}`, randomInt(90), 100);
      if (kill % 3 === 0) write('large', 5, 3000);
    }
    await temp.reopen();
    unwrap(await temp.capture.import({}));
    for (const [name, texts] of written) expect(await textsOf(name), name).toEqual(texts);
  }, 300_000);
});

describe('an import on a disk that fills up', () => {
  it('ends with store_full, keeps what was whole, and goes on when there is room', async () => {
    temp = await tempCapture();
    written.clear();
    write('large', 4000, 3000);
    write('small', 20, 100);
    await temp.close();
    // the signal that a file has become too large is ignored, so that the write fails as on a full disk
    const limited = `trap '' XFSZ; ulimit -f 4096; exec "$0" "$@"`;
    const child = spawn('sh', ['-c', limited, process.execPath, script, temp.home, temp.agentHome]);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await once(child, 'close');
    expect(JSON.parse(output.replace('ready\n', ''))).toMatchObject({ code: 'store_full' });
    const { reader } = await temp.reopen();
    for (const { native_id } of (await reader.sessions({ offset: 0, limit: 10, empty: true })).rows)
      expect(await textsOf(native_id)).toEqual(written.get(native_id));
    unwrap(await temp.capture.import({}));
    for (const [name, texts] of written) expect(await textsOf(name), name).toEqual(texts);
  }, 120_000);
});

describe('two processes on one store', () => {
  it('both import the same sources, and each event is there once', async () => {
    temp = await tempCapture();
    written.clear();
    write('large', 9000, 3000);
    for (let i = 0; i < 200; i++) write(`small${i}`, 20, 100);
    const child = importing();
    const output: string[] = [];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => output.push(text));
    const ended = once(child, 'close');
    const mine = await temp.capture.import({});
    await ended;
    expect([mine.ok, output.join('').trim().split('\n').at(-1)]).toEqual([true, 'done']);
    unwrap(await temp.capture.import({}));
    for (const [name, texts] of written) expect(await textsOf(name), name).toEqual(texts);
  }, 120_000);

  it('see what the other one wrote', async () => {
    temp = await tempCapture();
    written.clear();
    write('a', 20, 100);
    expect(await temp.store.reader.stats()).toMatchObject({ sessions: 0 });
    const child = importing();
    await once(child, 'close');
    expect(await textsOf('a')).toEqual(written.get('a'));
    expect(unwrap(await temp.capture.import({}))).toMatchObject({ unchanged: 1, total: 0 });
  }, 60_000);
});
