import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadFixture } from '../../fixtures/load.ts';
import type { NativeSource } from '../contract.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { claude } from './adapter.ts';
import { recordsOf } from './testing/context.ts';
import { captureAll, eachSource, KEY, withHome } from './testing/fixtures.ts';
import { Records, SESSION } from './testing/records.ts';

async function put(home: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
}

describe('sub-agents', () => {
  it('of a file of their own are children of the call that started them', async () => {
    for (const agent of ['claude', 'claude-2.1.197', 'claude-2.1.50']) {
      const calls = new Map<unknown, unknown>();
      const children: unknown[] = [];
      await eachSource({ agent, name: 'subagent' }, async (source, home) => {
        const { main, sink } = await captureAll(source, home);
        if (source.parent === undefined) {
          for (const { type, payload } of main?.events ?? [])
            if (type === 'tool.call' && payload.tool === 'agent') calls.set(payload.call_id, payload.child_session);
          return;
        }
        children.push(main?.ref.parent);
        const { call_id } = main?.ref.parent ?? {};
        expect([...calls.keys(), ...(calls.size === 0 ? [call_id] : [])]).toContain(call_id);
        // the call names the session where the client left a note of it
        if (agent !== 'claude-2.1.50' && calls.size > 0) expect(calls.get(call_id)).toBe(sink.idOf(source));
      });
      expect(children).toHaveLength(2);
      expect(children).toMatchObject([{ kind: 'subagent' }, { kind: 'subagent' }]);
    }
  });

  it('of 2.0 beside the sessions are found by their lines, and those that only warm a cache are left out', async () => {
    const kinds: unknown[] = [];
    await eachSource({ agent: 'claude-2.0.76', name: 'subagent' }, async (source, home) => {
      if (!source.native_id.startsWith('agent-')) return;
      const { main, outcome } = await captureAll(source, home);
      kinds.push(main === undefined ? Object.keys(outcome.declared) : main.ref.parent?.call_id !== undefined);
    });
    expect(kinds.sort()).toEqual([['warmup-agent'], ['warmup-agent'], true, true].sort());
  });

  it('in the lines of the main file are sessions of their own', async () => {
    await eachSource({ agent: 'claude-1.0.128', name: 'subagent' }, async (source, home) => {
      const { sink } = await captureAll(source, home);
      const refs = [...sink.sessions.values()].map(({ ref }) => ref);
      expect(refs).toMatchObject([
        { native_id: source.native_id },
        {
          native_id: source.native_id,
          part: expect.any(String),
          parent: { call_id: expect.stringMatching(/^toolu_/) },
        },
      ]);
    });
  });

  it('do not count the usage of answers that they repeat from their session', async () => {
    await withHome(async (home) => {
      const records = new Records();
      records.user('go');
      records.say('msg_1', 'going');
      const { path } = await records.lay(home);
      const agent = new Records();
      agent.say('msg_1', 'going', { isSidechain: true });
      agent.say('msg_2', 'by myself', { isSidechain: true });
      const folder = join(path.replace(/\.jsonl$/, ''), 'subagents');
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'agent-a1.jsonl'), agent.text);
      const source = (await claude.discover({ home, env: {} })).sources.find(({ parent }) => parent !== undefined);
      const { main, sink } = await captureAll(source as NativeSource, home);
      const answers = main?.events.filter(({ type }) => type === 'message.assistant');
      expect(answers?.map(({ payload }) => payload.usage)).toEqual([undefined, { input: 1, output: 2 }]);
      expect([...(await recordsOf(sink)).values()].map((record) => JSON.parse(record) as unknown)).toEqual(agent.list);
    });
  });

  it('that no call explains stay in the log, away from the active branch', async () => {
    const records = new Records();
    records.user('go');
    const last = records.say('msg_1', 'gone');
    records.user('a side prompt', { parentUuid: null, isSidechain: true });
    records.say('msg_2', 'a side answer', { isSidechain: true });
    records.user('next', { parentUuid: last });
    const { sink, main } = await records.capture();
    expect(sink.sessions.size).toBe(1);
    const side = main?.events.filter(
      ({ payload }) => (payload.native as { isSidechain?: boolean } | undefined)?.isSidechain === true,
    );
    expect(side).toHaveLength(2);
    expect(main?.events.at(-1)?.parent_seq).toBe(2);
  });
});

describe('one id in two folders', () => {
  it('is one session, the longer file, when the other is its beginning', async () => {
    await withHome(async (home) => {
      const records = new Records();
      records.user('one');
      records.say('msg_1', 'answer');
      const short = await records.lay(home, '-home-dev-orchard');
      records.user('two');
      const long = await records.lay(home, '-home-dev-moved');
      expect((await captureAll(short, home)).outcome).toMatchObject({
        records: 2,
        declared: { 'copy-of-longer-file': 2 },
      });
      expect((await captureAll(long, home)).outcome.mapped).toBe(3);
    });
  });

  it('is two sessions when they end differently', async () => {
    await withHome(async (home) => {
      const sources: NativeSource[] = [];
      for (const end of ['here', 'there']) {
        const records = new Records();
        records.user('one');
        records.user(end);
        sources.push(await records.lay(home, `-home-dev-${end}`));
      }
      for (const source of sources) expect((await captureAll(source, home)).outcome.mapped).toBe(2);
    });
  });
});

describe('a file that changes', () => {
  const options = (home: string) => ({ env: { home, env: {} }, redactionKey: KEY });

  it('is read from where the last capture ended', async () => {
    await withHome(async (home) => {
      const records = new Records();
      records.user('one');
      const source = await records.lay(home);
      const { sink, outcome } = await captureAll(source, home);
      records.say('msg_1', 'answer');
      await appendFile(source.path, `${JSON.stringify(records.list[1])}\n`);
      const next = await claude.capture(source, outcome.cursor, sink, options(home));
      expect(next).toMatchObject({ ok: true, value: { records: 1, mapped: 1 } });
    });
  });

  it('is read again when it was replaced or cut, and what is known is not taken twice', async () => {
    await withHome(async (home) => {
      const records = new Records();
      records.user('one');
      records.say('msg_1', 'answer');
      records.user('two');
      const source = await records.lay(home);
      const { sink, outcome, main } = await captureAll(source, home);
      const lines = (await readFile(source.path, 'utf8')).split('\n');
      await writeFile(source.path, `${lines.slice(0, 2).join('\n')}\n`);
      const cut = await claude.capture(source, outcome.cursor, sink, options(home));
      if (!cut.ok) throw new Error(cut.error.message);
      expect(cut.value).toMatchObject({ records: 2, declared: { 'seen-before': 2 } });
      expect(cut.value.warnings).toMatchObject([{ about: 'source-truncated' }]);
      records.user('three');
      await writeFile(source.path, records.text);
      await claude.capture(source, JSON.parse(JSON.stringify(cut.value.cursor)), sink, options(home));
      const said = main?.events.filter(({ type }) => type === 'message.user').map(({ payload }) => payload.content);
      expect(said).toHaveLength(3);
      expect((await recordsOf(sink)).size).toBe(4);
    });
  });

  it('that holds no conversation is no session, until it does', async () => {
    await withHome(async (home) => {
      const records = new Records();
      records.line('mode', { mode: 'normal' });
      const path = join(home, '.claude/projects/-p', `${SESSION}.jsonl`);
      await put(home, `.claude/projects/-p/${SESSION}.jsonl`, records.text);
      const source: NativeSource = { agent: 'claude', path, native_id: SESSION, bytes: 0, mtime_ms: 0 };
      const { sink, outcome } = await captureAll(source, home);
      expect(sink.sessions.size).toBe(0);
      expect(outcome).toMatchObject({ records: 1, declared: { 'no-conversation:mode': 1 } });
      records.user('one');
      await writeFile(path, records.text);
      const next = await claude.capture(source, JSON.parse(JSON.stringify(outcome.cursor)), sink, options(home));
      expect(next).toMatchObject({ ok: true, value: { records: 2, mapped: 2 } });
    });
  });

  it('is an error, not an exception, when it cannot be read', async () => {
    await withHome(async (home) => {
      const source = await new Records().lay(home).catch(() => undefined);
      expect(source).toBeUndefined();
      const path = join(home, 'gone.jsonl');
      const lost: NativeSource = { agent: 'claude', path, native_id: 'gone', bytes: 0, mtime_ms: 0 };
      const result = await claude.capture(lost, null, new MemorySink(), options(home));
      expect(result).toMatchObject({ ok: false, error: { code: 'source_unreadable' } });
    });
  });
});

describe('a fork', () => {
  it('names the session that it was taken from', async () => {
    const parents: unknown[] = [];
    await eachSource({ agent: 'claude', name: 'fork' }, async (source, home) => {
      parents.push((await captureAll(source, home)).main?.ref.parent);
    });
    expect(parents).toContainEqual({ kind: 'fork', native_id: 'fc82b9b3-5d4b-4ffe-be29-6ef914504cb7' });
    expect(parents).toContain(undefined);
  });
});

describe('secrets', () => {
  it('are in no event, artifact, warning or fact of a session', async () => {
    await withHome(async (home) => {
      await loadFixture('claude', 'secrets', home);
      for (const source of (await claude.discover({ home, env: {} })).sources) {
        const { sink, outcome, main } = await captureAll(source, home);
        const artifacts = [...sink.artifacts.values()].map(({ bytes }) => Buffer.from(bytes).toString('latin1'));
        const all = JSON.stringify([[...sink.sessions.values()], outcome]) + artifacts.join('\n');
        const secret = ['ghp_', 'FAKEfake'.repeat(4)].join('').slice(0, 30);
        expect(all).not.toContain(secret);
        expect(all).toContain('[REDACTED:github-token:1]');
        expect(main?.redactions).toBeGreaterThan(0);
        expect(outcome.redactions['github-token']).toBeGreaterThan(1);
      }
    });
  });
});
