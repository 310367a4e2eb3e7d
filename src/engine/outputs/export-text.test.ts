import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sha256Hex, sha256Ref } from '../../core/hash.ts';
import { draftOf, LogBuilder } from '../../core/view/testing.ts';
import { EXPORT_FORMATS } from '../../shared/choices.ts';
import { unwrap } from '../../shared/errors.ts';
import { type ExportFormat, sessionExportSchema } from '../../shared/outputs.ts';
import type { SessionRow } from '../../shared/session.ts';
import { seedSession, type TestStore, testStore } from '../bundle/testing.ts';
import type { EngineContext, OpenHome } from '../procedures/context.ts';
import { exportText, type Surroundings, type TextExport } from './export-text.ts';

let test: TestStore;
let home: OpenHome;
beforeEach(async () => {
  test = await testStore();
  home = { store: test.store, keys: { redaction: randomBytes(32) } } as unknown as OpenHome;
});
afterEach(() => test.close());

const context = (): EngineContext =>
  ({ options: { home: join(test.folder, 'home'), version: '0.1.0' } }) as unknown as EngineContext;
const wanted = (format: ExportFormat, name: string | null, more: Partial<TextExport> = {}): TextExport => ({
  format,
  path: name === null ? null : join(test.folder, name),
  all: false,
  subagents: true,
  ...more,
});
const row = async (id: string): Promise<SessionRow> => (await test.store.reader.session(id))!;
const run = async (id: string, request: TextExport, around: Partial<Surroundings> = {}) =>
  exportText(context(), home, await row(id), request, { signal: new AbortController().signal, ...around });

/** Puts a log into the store as a session. */
async function store(
  log: LogBuilder,
  id: string,
  more: { parent?: string; artifacts?: Uint8Array[] } = {},
): Promise<string> {
  unwrap(
    await test.store.writer.decide({
      create: [
        {
          id,
          agent: 'claude',
          native_id: id,
          source: `/home/dev/${more.parent ?? id}`,
          parent: more.parent ?? null,
          parent_kind: more.parent ? 'subagent' : null,
        },
      ],
      append: [{ session: id, drafts: log.events.map(draftOf) }],
      artifacts: (more.artifacts ?? []).map((bytes) => ({ bytes, media_type: 'text/plain' })),
    }),
  );
  return id;
}

describe('a session as a file', () => {
  it('is for its owner alone, the same bytes each time, with a receipt that names them', async () => {
    const id = await seedSession(test.store);
    for (const format of EXPORT_FORMATS) {
      const first = unwrap(await run(id, wanted(format, `one.${format}`)));
      const second = unwrap(await run(id, wanted(format, `two.${format}`)));
      const bytes = await readFile(first.path!);
      expect(await readFile(second.path!)).toEqual(bytes);
      expect(first).toMatchObject({ session: id, format, bytes: bytes.length, sha256: sha256Hex(bytes), subagents: 0 });
      expect((await stat(first.path!)).mode & 0o777).toBe(0o600);
      const receipt = await test.store.reader.receipt(first.receipt);
      expect(receipt).toMatchObject({
        action: 'export',
        session_id: id,
        subjects: [
          { name: 'source' },
          { name: 'written', sha256: first.sha256, bytes: bytes.length, path: first.path },
        ],
        facts: { form: format, all: false },
      });
    }
    const names = await readdir(test.folder);
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('goes to a reader in pieces when it has no path, and leaves nothing on the disk', async () => {
    const id = await seedSession(test.store, undefined, 400);
    const whole = unwrap(await run(id, wanted('html', 'a.html')));
    const pieces: Uint8Array[] = [];
    const sink = (piece: Uint8Array): void => void pieces.push(piece.slice());
    const piped = unwrap(await run(id, wanted('html', null), { sink }));
    expect(Buffer.concat(pieces)).toEqual(await readFile(whole.path!));
    expect(piped).toMatchObject({ path: null, sha256: whole.sha256 });
    expect((await readdir(join(test.folder, 'home'))).filter((name) => name.includes('export'))).toEqual([]);
  });

  it('never replaces what is there', async () => {
    const id = await seedSession(test.store);
    await writeFile(join(test.folder, 'mine.md'), 'mine');
    expect(await run(id, wanted('markdown', 'mine.md'))).toMatchObject({ error: { code: 'target_exists' } });
    expect(await readFile(join(test.folder, 'mine.md'), 'utf8')).toBe('mine');
  });

  it('is not there at all when it cannot be written, recorded or is stopped', async () => {
    const id = await seedSession(test.store, undefined, 400);
    const before = (await readdir(test.folder)).toSorted();
    expect(await run(id, wanted('json', 'missing/\0/a.json'))).toMatchObject({ error: { code: 'write_failed' } });

    const probe = await open(join(test.folder, 'home', 'store.db'));
    const write = vi.spyOn(Object.getPrototypeOf(probe), 'write');
    write.mockRejectedValue(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    expect(await run(id, wanted('json', 'full.json'))).toMatchObject({
      error: { code: 'write_failed', message: expect.stringContaining('the disk is full') },
    });
    write.mockRestore();
    await probe.close();

    const stop = new AbortController();
    const stopped = await run(id, wanted('html', 'stopped.html'), {
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    expect(stopped).toMatchObject({ error: { code: 'cancelled' } });

    const decide = vi.spyOn(test.store.writer, 'decide');
    decide.mockResolvedValue({ ok: false, error: { code: 'store_busy', message: 'busy' } });
    expect(await run(id, wanted('json', 'unrecorded.json'))).toMatchObject({ error: { code: 'store_busy' } });
    decide.mockRestore();
    expect((await readdir(test.folder)).filter((name) => name !== 'missing').toSorted()).toEqual(before);
  });

  it('tells how far it is', async () => {
    const id = await seedSession(test.store, undefined, 100);
    const told: { done: number; total: number }[] = [];
    unwrap(await run(id, wanted('atif', 'a.json'), { onProgress: (progress) => told.push(progress) }));
    const total = (await row(id)).events;
    expect(told.at(-1)).toMatchObject({ done: total, total });
    expect(told.map(({ done }) => done)).toEqual(told.map(({ done }) => done).toSorted((a, b) => a - b));
  });
});

describe('what leaves the store', () => {
  it('holds no secret, wherever it stood', async () => {
    const secret = ['ghp', 'x7Kq2mV9sLr4Tz8Wb3Nd6Yc1Hf5Jg0PaQeRt'].join('_');
    const log = new LogBuilder();
    log.event('session.start', { cwd: `/home/dev/${secret}`, git_branch: secret }, { actor: 'system' });
    log.user(`use ${secret} please`);
    log.thinking('r1', `the token ${secret}`);
    log.call('r1', `call-${secret}`, 'shell', { command: `curl -H "Authorization: ${secret}"`, [secret]: 1 });
    log.result(`call-${secret}`, `${secret}\nand more`);
    log.assistant('r1', `\`\`\`\n${secret}\n\`\`\``);
    log.compacted([], { summary: [{ kind: 'text', text: `was ${secret}` }] });
    log.event('x.unknown', { secret }, { parent: null });
    const id = await store(log, `sess_${'c'.repeat(20)}`);
    for (const format of EXPORT_FORMATS) {
      const done = unwrap(await run(id, wanted(format, `a.${format}`)));
      const text = await readFile(done.path!, 'utf8');
      expect({ format, leaks: text.includes(secret) }).toEqual({ format, leaks: false });
      expect(text).toContain('[REDACTED:github-token:1]');
      expect(done.redaction.by_type['github-token']).toBeGreaterThan(4);
    }
  });

  it('has no path of our machine, and nothing that only its own agent reads', async () => {
    const log = new LogBuilder();
    log.event(
      'message.user',
      {
        content: [
          { kind: 'text', text: 'hi' },
          { kind: 'opaque', native: { blob: 'NATIVE-BLOB' } },
        ],
        via: 'prompt',
        native: { raw: 'NATIVE-RAW' },
      },
      { actor: 'user' },
    );
    log.assistant('r1', 'hello', undefined, { native: { raw: 'NATIVE-RAW' } });
    const id = await store(log, `sess_${'d'.repeat(20)}`);
    for (const format of EXPORT_FORMATS) {
      const text = await readFile(unwrap(await run(id, wanted(format, `a.${format}`))).path!, 'utf8');
      expect(text).not.toContain(`/home/dev/${id}`);
      expect(text).not.toMatch(/NATIVE-(?:RAW|BLOB)/);
    }
  });

  it('has outputs whole that the log holds in part, up to a bound', async () => {
    const [small, large] = [
      `${'a'.repeat(4_000)}MIDDLE${'b'.repeat(9_000)}`,
      `${'c'.repeat(70_000)}CENTRE${'d'.repeat(9_000)}`,
    ].map((text) => Buffer.from(text));
    const log = new LogBuilder();
    log.user('go');
    for (const [at, bytes] of [small!, large!].entries()) {
      log.call('r1', `c${at}`);
      const cut = `${bytes.toString().slice(0, 10)}\n[… 5 of ${bytes.length} bytes left out here …]\n${bytes.toString().slice(-10)}`;
      log.result(`c${at}`, cut, undefined, {
        truncated: { bytes: bytes.length, artifact: `artifact:${sha256Ref(bytes)}` },
      });
    }
    const id = await store(log, `sess_${'e'.repeat(20)}`, { artifacts: [small!, large!] });
    for (const format of EXPORT_FORMATS) {
      const text = await readFile(unwrap(await run(id, wanted(format, `a.${format}`))).path!, 'utf8');
      expect({ format, small: text.includes('MIDDLE'), large: text.includes('CENTRE') }).toEqual({
        format,
        small: true,
        large: false,
      });
      expect(text).toMatch(/79,006 bytes|"bytes":79006/);
    }
  });

  it('has the sub-agents behind it in the order in which they began, or none', async () => {
    const parent = new LogBuilder();
    parent.user('go');
    const id = await store(parent, `sess_${'1'.repeat(20)}`);
    for (const [digit, ts] of [
      ['3', 1_790_000_100],
      ['2', 1_790_000_200],
    ] as const) {
      const child = new LogBuilder();
      child.event(
        'message.user',
        { content: [{ kind: 'text', text: `child ${digit}` }], via: 'prompt' },
        { actor: 'user', ts },
      );
      await store(child, `sess_${digit.repeat(20)}`, { parent: id });
    }
    const all = unwrap(await run(id, wanted('json', 'a.json')));
    expect(all.subagents).toBe(2);
    const { sessions } = sessionExportSchema.parse(JSON.parse(await readFile(all.path!, 'utf8')));
    expect(sessions.map(({ session }) => session.id.at(-1))).toEqual(['1', '3', '2']);
    const alone = unwrap(await run(id, wanted('json', 'b.json', { subagents: false })));
    expect(sessionExportSchema.parse(JSON.parse(await readFile(alone.path!, 'utf8'))).sessions).toHaveLength(1);
  });

  it('never holds more than a few rows at once, however long the session is', async () => {
    const id = await seedSession(test.store, undefined, 600);
    const asked: number[] = [];
    const eventsAt = test.store.reader.eventsAt.bind(test.store.reader);
    vi.spyOn(test.store.reader, 'eventsAt').mockImplementation((session, seqs) => {
      asked.push(seqs.length);
      return eventsAt(session, seqs);
    });
    for (const format of EXPORT_FORMATS) unwrap(await run(id, wanted(format, `a.${format}`)));
    expect(Math.max(...asked)).toBeLessThanOrEqual(300);
  });
});
