import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toy } from '../fixtures/toy-adapter/adapter.ts';
import { unwrap } from '../src/shared/errors.ts';
import type { CaptureOutcome, Cursor } from './contract.ts';
import { MemorySink } from './testing/memory-sink.ts';
import { TestSession } from './testing/session.ts';
import { bringAllHome } from './testing/way-home.ts';
import { jsonLines } from './testing/way-home-tests.ts';

let home: string;
let sink: MemorySink;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sessionctl-toy-'));
  mkdirSync(join(home, '.toy'));
  sink = new MemorySink();
});
afterEach(() => rmSync(home, { recursive: true }));

const path = () => join(home, '.toy', 'one.jsonl');
const write = (...records: object[]) => appendFileSync(path(), records.map((r) => `${JSON.stringify(r)}\n`).join(''));

async function capture(cursor: Cursor | null = null): Promise<CaptureOutcome> {
  const env = { home, env: {} };
  const [source] = (await toy.discover(env)).sources;
  return unwrap(await toy.capture(source!, cursor, sink, { env, redactionKey: new Uint8Array(32) }));
}

const types = () => [...sink.sessions.values()].flatMap(({ events }) => events.map(({ type }) => type));

/** What docs/adapters.md asks of every adapter, shown on the smallest one. */
describe('the adapter of the guide', () => {
  it('maps every record, and counts what it does not know', async () => {
    write({ start: { cwd: '/home/dev/p' } }, { you: 'Hi' }, { run: { id: 'a', name: 'ls', args: {} } });
    write({ ran: { id: 'a', text: 'x' } }, { toy: 'There is x.' }, { mood: 'fine' });
    expect(await capture()).toMatchObject({ records: 6, mapped: 5, unknown: { mood: 1 }, unreadable: 0, warnings: [] });
    expect(types()).toEqual(['session.start', 'message.user', 'tool.call', 'tool.result', 'message.assistant', 'meta']);
  });

  it('reads what is new and nothing twice', async () => {
    write({ start: { cwd: '/home/dev/p' } }, { you: 'One' });
    const { cursor } = await capture();
    write({ toy: 'Two' });
    expect(await capture(JSON.parse(JSON.stringify(cursor)) as Cursor)).toMatchObject({ records: 1 });
    expect(types()).toEqual(['session.start', 'message.user', 'message.assistant']);
  });

  it('takes secrets out, names damaged lines, and keeps what was captured when the file is rewritten', async () => {
    const secret = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
    write({ you: `My token is ${secret}` });
    appendFileSync(path(), '{"you": broken\n');
    const first = await capture();
    expect(first).toMatchObject({ mapped: 1, warnings: [{ line: 2, file: path() }] });
    expect(JSON.stringify([...sink.sessions.values()])).not.toContain(secret);
    expect(first.redactions).toEqual({ 'github-token': 1 });
    write({ you: 'Nothing secret' });
    expect((await capture(first.cursor)).redactions).toEqual({});
    writeFileSync(path(), '{"you":"x"}\n');
    expect((await capture(first.cursor)).warnings).toMatchObject([{ about: 'source-replaced' }]);
  });

  it('writes a session that reads back, and takes it away again', async () => {
    const session = new TestSession();
    session.user('What is here?');
    session.reply('r1', 'I look.');
    session.call('r1', 'call_1');
    session.result('call_1', 'a b');
    session.reply('r2', 'Two files.');
    const env = { home, env: {} };
    const { target } = toy;
    const options = {
      env,
      nativeId: 'two',
      title: 'A title',
      cwd: '/home/dev/p',
      version: null,
      at: 1_790_000_000,
      tokens: 9,
    };
    const written = unwrap(await target!.write(session.source(), options));
    expect(await target!.readBack(written, session.source(), options, 'temp')).toMatchObject({ ok: true });
    unwrap(await written.commit());
    expect(await target!.readBack(written, session.source(), options, 'final')).toMatchObject({ ok: true });
    await capture();
    expect(types()).toEqual([
      'session.start',
      'message.user',
      'message.assistant',
      'tool.call',
      'tool.result',
      'message.assistant',
    ]);
    appendFileSync(written.final, '{"you":"more"}\n');
    expect(await target!.readBack(written, session.source(), options, 'final')).toMatchObject({
      ok: false,
      error: { code: 'readback_mismatch' },
    });
    expect(await target!.remove(written, options)).toMatchObject({ ok: false, error: { code: 'target_exists' } });
  });

  it('gives its own sessions back, each record as it was, and in another folder', async () => {
    const records = [{ start: { cwd: '/home/dev/p' } }, { you: 'Hi' }, { mood: 'fine' }, { toy: 'Hello.' }];
    const lay = async (to: string): Promise<void> => {
      mkdirSync(join(to, '.toy'), { recursive: true });
      writeFileSync(join(to, '.toy', 'one.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    };
    const way = { adapter: toy, records: jsonLines, moved: (record: unknown) => record };
    const [same] = await bringAllHome(way, lay);
    expect(same!.written).toEqual(records);
    const [moved] = await bringAllHome(way, lay, { cwd: '/home/dev/q' });
    expect(moved!.written).toEqual([{ start: { cwd: '/home/dev/q' } }, ...records.slice(1)]);
  });

  it('says how its agent goes on', () => {
    expect(toy.resume({ native_id: 'one', cwd: '/home/dev/p', source: null }, { home, env: {} }).text).toContain(
      'toy --resume=one',
    );
  });
});
