import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AdapterRegistry } from './adapters.ts';
import { Compiler } from './compiler.ts';
import { Session } from './session.ts';
import { Store } from './store.ts';
import { type SdkLab, sdkLab } from './testing.ts';
import type { AppendEvent, SessionEvent } from './types.ts';

let lab: SdkLab;
beforeEach(async () => {
  lab = await sdkLab(['tools']);
});
afterEach(() => lab.close());

const prompt = (content: string): AppendEvent => ({ type: 'message.user', payload: { content } });
const first = async (): Promise<Session> => Session.open((await lab.store.list()).rows[0]!.id, lab.store);

describe('Session.read', () => {
  it('says where the session ends, also from behind its end, and refuses what is no place', async () => {
    const session = await first();
    const { head_seq } = await session.read(0, 1);
    expect(await session.read(1e9)).toEqual({ events: [], next: 1e9, head_seq });
    for (const cursor of [-1, Number.NaN, 0.5])
      await expect(session.read(cursor)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(session.tail(-1, { follow: false }).next()).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('Session.export', () => {
  it('writes a session to a new file, and never over one that is there', async () => {
    const session = await first();
    const path = join(lab.home, 'out.md');
    const written = await session.export(path, { format: 'markdown' });
    expect(written).toMatchObject({ path, format: 'markdown', session: session.id });
    const text = await readFile(path, 'utf8');
    expect(Buffer.byteLength(text)).toBe(written.bytes);
    expect(text).toContain(session.row.title ?? session.row.first_prompt ?? 'nothing');
    await expect(session.export(path, { format: 'html' })).rejects.toMatchObject({ code: 'target_exists' });
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});

describe('Store.local', () => {
  it('makes a store when asked to, gives its recovery key once, and says when there is none', async () => {
    const home = join(lab.home, 'other');
    await expect(Store.local({ ...lab.options, home, create: undefined } as never)).rejects.toMatchObject({
      code: 'store_uninitialised',
    });
    const made = await Store.local({ ...lab.options, home });
    expect(made.recovery_key).toMatch(/^([0-9A-Z]{7}-){7}[0-9A-Z]{7}$/);
    await made.close();
    const again = await Store.local({ ...lab.options, home });
    expect(again.recovery_key).toBeNull();
    await again.close();
    await again.close();
    await expect(again.list()).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('tells sources, reads sessions, lists, verifies and searches them', async () => {
    expect((await lab.store.sources()).find(({ agent }) => agent === 'claude')).toMatchObject({
      enabled: true,
      sessions: 1,
    });
    expect(await lab.store.import()).toMatchObject({ events: 0 });
    const { rows } = await lab.store.list({ agent: 'claude' });
    expect(rows).toHaveLength(1);
    expect(await lab.store.verify(rows[0]!.id)).toMatchObject({ ok: true });
    const found = await lab.store.search('in:prompt', { wait_ms: 600_000 });
    expect(found).toMatchObject({ total: { sessions: 1 }, index: { complete: true } });
    expect(found.sessions[0]).toMatchObject({ session: { id: rows[0]!.id }, hits: [{ kind: 'prompt' }] });
    await expect(lab.store.import({ agent: 'nobody' })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('Session', () => {
  it('opens by any name of a session, and by no other', async () => {
    const { row } = await first();
    expect((await Session.open(row.native_id, lab.store)).id).toBe(row.id);
    await expect(Session.open('nobody', lab.store)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is created, appended to and read', async () => {
    const session = await Session.create({ agent: 'mybot', cwd: '/home/dev/app', title: 'Triage' }, lab.store);
    expect(session.row).toMatchObject({ agent: 'mybot', title: 'Triage', events: 2 });
    expect(await session.append(prompt('one'))).toMatchObject({ seqs: [2] });
    expect(await session.append([prompt('two'), prompt('three')])).toMatchObject({ seqs: [3, 4] });
    const { events, next, head_seq } = await session.read(3);
    expect([events.map(({ seq }) => seq), next, head_seq]).toEqual([[3, 4], 5, 4]);
    expect((await session.refresh()).counts.user).toBe(3);
    await expect(session.append({ type: 'message.user', payload: {} })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { event: 0 },
    });
  });

  it('forks, marks, compiles and hands over', async () => {
    const session = await first();
    const fork = await session.fork(9, { reason: 'the other way' });
    expect(fork.row).toMatchObject({ parent: session.id, parent_kind: 'fork', copied: 10 });
    expect((await lab.store.lineage(fork.id)).map(({ id }) => id)).toEqual([session.id, fork.id]);
    await expect(session.fork(9999)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await fork.checkpoint('here')).toMatchObject({ seq: 11, replayed: false });
    const page = await Compiler.compile(session, 'codex', 8000);
    expect(page).toMatchObject({ target: 'codex' });
    expect(page.tokens).toBeLessThanOrEqual(8000);
    expect((await Compiler.compile(session, 'codex', 8000, { at: 12 })).head).toBe(12);
    await expect(Compiler.compile(session, 'codex', -1)).rejects.toMatchObject({ code: 'invalid_request' });
    const plan = await session.preflight('codex', 'mind the tests', { cwd: lab.home });
    expect(plan).toMatchObject({ ready: true, to: 'codex' });
    const done = await session.handoff('codex', 'mind the tests', { cwd: lab.home, operation_id: 'op' });
    expect(done).toMatchObject({ to: 'codex', replayed: false });
    expect(await session.handoff('codex', 'mind the tests', { cwd: lab.home, operation_id: 'op' })).toMatchObject({
      new_session: done.new_session,
      replayed: true,
    });
    expect((await session.resumeCommand()).argv).toContain('--resume');
    await expect(fork.resumeCommand()).rejects.toMatchObject({ code: 'target_unsupported' });
    await expect(Compiler.compile(session, 'nobody')).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('a session of an agent that is not known here', () => {
  it('is compiled for those that are, and goes on in them', async () => {
    const session = await Session.create({ agent: 'mybot', cwd: lab.home, title: 'Triage' }, lab.store);
    const failed = { call_id: 'c1', content: 'FAIL src/parser.test.ts', is_error: true, exit_code: 1 };
    await session.append([
      prompt('Run the tests. Never touch the vendor folder.'),
      { type: 'message.assistant', payload: { content: 'Running them.', response: 'r1' } },
      {
        type: 'tool.call',
        payload: { ...failed, response: 'r1', name: 'sh', tool: 'shell', arguments: { command: 'npm test' } },
      },
      { type: 'tool.result', payload: failed },
      { type: 'message.assistant', payload: { content: 'The parser fails.' } },
    ]);
    const page = await Compiler.compile(session, 'claude');
    for (const text of ['Never touch the vendor folder', 'npm test', 'src/parser.test.ts'])
      expect(page.text).toContain(text);
    for (const to of ['codex', 'claude', 'pi', 'gemini']) {
      const { fidelity, files } = await session.handoff(to);
      expect(fidelity.events.arriving).toBe(5);
      const written = await readFile(files[0]!, 'utf8');
      for (const text of ['vendor folder', 'npm test', 'src/parser.test.ts', 'The parser fails'])
        expect(written).toContain(text);
    }
  });
});

describe('tail', () => {
  it('gives what is there, then what comes, from this program and from others, until it is ended', async () => {
    const session = await Session.create({ agent: 'mybot' }, lab.store);
    await session.append(prompt('before'));
    const other = await Store.local(lab.options);
    const end = new AbortController();
    const seen: string[] = [];
    const text = ({ payload }: SessionEvent): string => (payload.content as [{ text: string }])[0].text;
    for await (const event of session.tail(1, { signal: end.signal })) {
      seen.push(text(event));
      if (seen.length === 1) await session.append(prompt('mine'));
      if (seen.length === 2) await (await Session.open(session.id, other)).append(prompt('theirs'));
      if (seen.length === 3) end.abort();
    }
    expect(seen).toEqual(['before', 'mine', 'theirs']);
    await other.close();
  });

  it('misses nothing of a session that is not among the newest', async () => {
    const session = await first();
    for (let n = 0; n < 60; n++) await Session.create({ agent: 'mybot' }, lab.store);
    const other = await Store.local(lab.options);
    const remark = { type: 'decision', payload: { conclusion: 'keep it' } };
    const waiting = session.tail(session.row.events).next();
    await (await Session.open(session.id, other)).append(remark);
    expect((await waiting).value).toMatchObject({ seq: session.row.events, ...remark });
    await other.close();
  });

  it('ends at the last event when it is not to wait, and when the store is closed', async () => {
    const session = await first();
    const seqs: number[] = [];
    for await (const { seq } of session.tail(0, { follow: false })) seqs.push(seq);
    expect(seqs).toEqual(Array.from({ length: session.row.events }, (_, i) => i));
    const waiting = session.tail(session.row.events).next();
    await new Promise((resolve) => setImmediate(resolve));
    await lab.store.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});

describe('AdapterRegistry', () => {
  it('knows each agent: what was checked, where its sessions are, how one goes on', async () => {
    expect(AdapterRegistry.list()).toContain('claude');
    const claude = AdapterRegistry.get('claude');
    expect(claude).toMatchObject({ id: 'claude', label: 'Claude Code' });
    expect(await claude.info()).toMatchObject({ can_write: true });
    expect(await AdapterRegistry.get('aider').info()).toMatchObject({ can_write: false });
    const { user_home, env } = lab.options as Required<typeof lab.options>;
    const found = await claude.discover({ user_home, env });
    expect(found).toMatchObject([{ native_id: (await first()).row.native_id }]);
    expect(await claude.installed({ user_home, env })).toBeNull();
    const command = await claude.resumeCommand({ native_id: 'abc', cwd: null, source: null }, { user_home, env });
    expect(command.text).toContain('claude');
    expect(() => AdapterRegistry.get('nobody')).toThrowError(/Known: claude/);
  });
});

describe('Identity', () => {
  it('signs what the log says and knows what it signed', async () => {
    const session = await first();
    const { identity } = lab.store;
    const manifest = await identity.sign({ session_id: session.id });
    expect(await session.manifest()).toEqual(manifest);
    expect(manifest.signature.key_id).toBe((await identity.key()).key_id);
    expect(await identity.verify(manifest)).toMatchObject({ ok: true, known: true });
    const forged = { ...manifest, event_count: manifest.event_count + 1 };
    expect(await identity.verify(forged)).toMatchObject({ ok: false, known: true });
    expect(await identity.sign(forged)).toEqual(manifest);
  });

  it('checks a manifest of another store with the key of that one, given by another way', async () => {
    const other = await sdkLab();
    try {
      const manifest = await (await first()).manifest();
      const { public_key } = await lab.store.identity.key();
      expect(await other.store.identity.verify(manifest)).toMatchObject({ ok: false, known: false });
      expect(await other.store.identity.verify(manifest, public_key)).toMatchObject({ ok: true, known: true });
    } finally {
      await other.close();
    }
  });
});
