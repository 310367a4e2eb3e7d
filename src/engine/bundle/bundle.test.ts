import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Ref } from '../../core/hash.ts';
import { canonicalJson } from '../../core/log/canonical-json.ts';
import { Chain, eventText } from '../../core/log/chain.ts';
import { unwrap } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import { exportBundle } from './export.ts';
import { importBundle, verifyBundle } from './import.ts';
import { ARTIFACTS, EVENTS, MANIFEST, sessionFolder } from './layout.ts';
import { seedSession, type TestStore, testStore } from './testing.ts';

const OPTIONS = { allowSecrets: false };

let test: TestStore;
let id: string;
beforeEach(async () => {
  test = await testStore();
  id = await seedSession(test.store);
});
afterEach(() => test.close());

async function exported(name: string): Promise<string> {
  const path = join(test.folder, name);
  const row = (await test.store.reader.session(id))!;
  unwrap(await exportBundle(test.store, row, path, OPTIONS));
  return path;
}

async function filesOf(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Map<string, Buffer>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(folder.length + 1), await readFile(path));
  }
  return files;
}

describe('exportBundle', () => {
  it('writes the same bytes each time, for its owner alone, and leaves nothing else', async () => {
    const [first, second] = [await filesOf(await exported('one')), await filesOf(await exported('two'))];
    expect(second).toEqual(first);
    expect([...first.keys()].filter((name) => !name.includes('artifacts'))).toEqual([
      `sessions/${id}/events.jsonl`,
      `sessions/${id}/events.jsonl.ckpt`,
      `sessions/${id}/manifest.json`,
    ]);
    for (const name of first.keys()) expect((await stat(join(test.folder, 'one', name))).mode & 0o777).toBe(0o600);
    for (const kind of ['tar', 'tar.zst']) {
      expect(await readFile(await exported(`a.${kind}`))).toEqual(await readFile(await exported(`b.${kind}`)));
    }
    expect((await readdir(test.folder)).toSorted()).toEqual([
      'a.tar',
      'a.tar.zst',
      'b.tar',
      'b.tar.zst',
      'home',
      'one',
      'two',
    ]);
  });

  it('refuses to replace what is there', async () => {
    const path = await exported('one');
    const row = (await test.store.reader.session(id))!;
    expect(await exportBundle(test.store, row, path, OPTIONS)).toMatchObject({
      ok: false,
      error: { code: 'target_exists' },
    });
  });
});

describe('an export or an import that is stopped', () => {
  const signal = AbortSignal.abort();

  it('leaves nothing behind', async () => {
    const path = join(test.folder, 'out', 'stopped');
    const row = (await test.store.reader.session(id))!;
    expect(await exportBundle(test.store, row, path, { ...OPTIONS, signal })).toMatchObject({
      error: { code: 'cancelled' },
    });
    expect(await readdir(join(test.folder, 'out'))).toEqual([]);
  });

  it('takes nothing in, and the same again takes all', async () => {
    const path = await exported('bundle');
    const other = await testStore();
    try {
      expect(await importBundle(other.store, path, test.keyOf, signal)).toMatchObject({ error: { code: 'cancelled' } });
      expect(await other.store.reader.session(id)).toBeNull();
      expect(unwrap(await importBundle(other.store, path, test.keyOf)).sessions).toMatchObject([{ added: true }]);
    } finally {
      await other.close();
    }
  });
});

describe('the last look for secrets', () => {
  it('stops an export whose log holds one, and leaves nothing, unless it is allowed', async () => {
    const secret = ['ghp', 'x7Kq2mV9sLr4Tz8Wb3Nd6Yc1Hf5Jg0PaQeRt'].join('_');
    const leaky = await seedSession(test.store, `sess_${'c'.repeat(20)}`, 2, `use ${secret} for`);
    const row = (await test.store.reader.session(leaky))!;
    const path = join(test.folder, 'leaky');
    expect(await exportBundle(test.store, row, path, OPTIONS)).toMatchObject({
      ok: false,
      error: { code: 'scope_denied', details: { found: 2 } },
    });
    expect(await readdir(test.folder)).toEqual(['home']);
    expect((await exportBundle(test.store, row, path, { ...OPTIONS, allowSecrets: true })).ok).toBe(true);
  });
});

describe('verifyBundle', () => {
  it('finds a sound bundle sound, as a folder and as archives', async () => {
    for (const name of ['one', 'one.tar', 'one.tar.zst']) {
      const found = unwrap(await verifyBundle(await exported(name), test.keyOf));
      expect(found.sessions.map(({ verdict }) => verdict.checks.filter((check) => !check.ok))).toEqual([[]]);
    }
  });

  it('says that the key is not known instead of trusting the bundle', async () => {
    const { sessions } = unwrap(await verifyBundle(await exported('one'), () => null));
    expect(sessions[0]?.verdict.checks.filter((check) => !check.ok)).toMatchObject([{ id: 'key' }]);
  });

  it('finds every changed byte of the log and names the event', async () => {
    const path = await exported('one');
    const file = join(sessionFolder(path, id), EVENTS);
    const bytes = await readFile(file);
    let seq = 0;
    for (let at = 0; at < bytes.length; at += 31) {
      seq = bytes.subarray(0, at).filter((byte) => byte === 10).length;
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ 1;
      await writeFile(file, changed);
      const { sessions } = unwrap(await verifyBundle(path, test.keyOf));
      const broken = sessions[0]!.verdict.checks.find((check) => check.id === 'chain')!;
      expect({ at, ok: broken.ok, named: broken.text.includes(`Event ${seq} `) }).toEqual({
        at,
        ok: false,
        named: true,
      });
    }
    expect(seq).toBeGreaterThan(10);
  });

  it('finds a changed, missing or added byte in every other file', async () => {
    const path = await exported('one');
    for (const [name, bytes] of await filesOf(path)) {
      if (name.endsWith(EVENTS)) continue;
      for (const at of bytes.length === 0 ? [] : [0, Math.floor(bytes.length / 2), bytes.length - 1]) {
        const changed = Buffer.from(bytes);
        changed[at] = changed[at]! ^ 1;
        await writeFile(join(path, name), changed);
        expect({ name, at, ok: await isSound(path) }).toEqual({ name, at, ok: false });
      }
      await writeFile(join(path, name), Buffer.concat([bytes, Buffer.from('\n')]));
      expect({ name, ok: await isSound(path) }).toEqual({ name, ok: false });
      await writeFile(join(path, name), bytes);
    }
    expect(await isSound(path)).toBe(true);
    await writeFile(join(sessionFolder(path, id), 'notes.txt'), 'x');
    expect(await isSound(path)).toBe(false);
  });

  it('finds a folder where a file belongs and a file where the session belongs', async () => {
    const path = await exported('one');
    const artifacts = join(sessionFolder(path, id), ARTIFACTS);
    await mkdir(join(artifacts, `${'0'.repeat(64)}.txt`));
    const failed = async () =>
      unwrap(await verifyBundle(path, test.keyOf)).sessions[0]!.verdict.checks.filter((check) => !check.ok);
    expect(await failed()).toMatchObject([{ id: 'artifacts' }]);
    await rm(sessionFolder(path, id), { recursive: true });
    await writeFile(sessionFolder(path, id), 'a file');
    expect(await failed()).toMatchObject([{ id: 'manifest' }, { id: 'chain' }]);
  });

  it('reads no link and no pipe, which would lead out of the bundle or never end', async () => {
    const path = await exported('one');
    for (const name of [join(ARTIFACTS, `${'0'.repeat(64)}.bin`), EVENTS]) {
      const copy = join(test.folder, `with-${name.length}`);
      await cp(path, copy, { recursive: true });
      const file = join(sessionFolder(copy, id), name);
      await rm(file, { force: true });
      await symlink('/dev/zero', file);
      expect(unwrap(await verifyBundle(copy, test.keyOf)).sessions[0]!.verdict).toMatchObject({
        ok: false,
        checks: [{ id: 'files' }],
      });
      expect(await importBundle(test.store, copy, test.keyOf)).toMatchObject({ error: { code: 'chain_broken' } });
    }
  });

  it('takes no event whose parent does not come before it, though its checksum is right', async () => {
    const path = await exported('one');
    const folder = sessionFolder(path, id);
    const chain = new Chain();
    const lines = (await readFile(join(folder, EVENTS), 'utf8')).trimEnd().split('\n');
    const forged = lines.map((line, seq) => {
      const event = JSON.parse(line) as SessionEvent;
      if (seq === 3) event.parent_seq = 4;
      event.checksum = `sha256:${chain.add(Buffer.from(eventText(event)))}`;
      return `${canonicalJson(event)}\n`;
    });
    await writeFile(join(folder, EVENTS), forged.join(''));
    expect(await importBundle(test.store, path, test.keyOf)).toMatchObject({
      error: { code: 'chain_broken', message: expect.stringContaining('Event 3') },
    });
  });

  it('says that a bundle is of a newer form', async () => {
    const path = await exported('one');
    const file = join(sessionFolder(path, id), MANIFEST);
    const manifest = { ...JSON.parse(await readFile(file, 'utf8')), schema_version: '1.0.0' };
    await writeFile(file, `${canonicalJson(manifest)}\n`);
    expect(await importBundle(test.store, path, test.keyOf)).toMatchObject({
      error: { code: 'store_version_too_new', message: expect.stringContaining('newer sessionctl') },
    });
  });

  it('finds a missing end of the log', async () => {
    const path = await exported('one');
    const file = join(sessionFolder(path, id), EVENTS);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1));
    expect(await isSound(path)).toBe(false);
    await writeFile(file, text.slice(0, -1));
    expect(await isSound(path)).toBe(false);
  });

  it('finds every changed byte of an archive', async () => {
    const path = await exported('one.tar');
    const bytes = await readFile(path);
    const copy = join(test.folder, 'copy.tar');
    for (let at = 0; at < bytes.length; at += 509) {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ 1;
      await writeFile(copy, changed);
      expect({ at, ok: await isSound(copy) }).toEqual({ at, ok: false });
    }
    await writeFile(copy, bytes.subarray(0, -512));
    expect(await isSound(copy)).toBe(false);
  });
});

async function isSound(path: string): Promise<boolean> {
  const found = await verifyBundle(path, test.keyOf);
  return found.ok && found.value.sessions.every(({ verdict }) => verdict.ok);
}

describe('importBundle', () => {
  it('brings the same log into another store, once', async () => {
    const path = await exported('one.tar.zst');
    const other = await testStore();
    try {
      const first = unwrap(await importBundle(other.store, path, test.keyOf));
      expect(first.sessions).toMatchObject([{ id, added: true, signed: true }]);
      const [mine, theirs] = [await test.store.reader.verify(id), await other.store.reader.verify(id)];
      expect(theirs).toEqual(mine);
      expect(unwrap(await importBundle(other.store, path, test.keyOf)).sessions).toMatchObject([{ added: false }]);
    } finally {
      await other.close();
    }
  });

  it('goes on with a session that has grown and refuses another log under its id', async () => {
    const early = await exported('early');
    const other = await testStore();
    try {
      unwrap(await importBundle(other.store, early, test.keyOf));
      const [last] = await test.store.reader.eventsAt(id, [3]);
      const { seq: _seq, checksum: _checksum, ...draft } = last!;
      const bytes = Buffer.from('an output that came later');
      const artifact = `artifact:${sha256Ref(bytes)}`;
      const cut = { ...draft, payload: { ...draft.payload, truncated: { bytes: bytes.length, artifact } } };
      unwrap(
        await test.store.writer.decide({
          append: [{ session: id, drafts: [draft, cut] }],
          artifacts: [{ bytes, media_type: 'text/plain' }],
        }),
      );
      const late = await exported('late');
      expect(unwrap(await importBundle(other.store, late, test.keyOf)).sessions).toMatchObject([{ added: true }]);
      expect(await other.store.reader.verify(id)).toEqual(await test.store.reader.verify(id));
      expect(Buffer.from((await other.store.reader.artifact(artifact))!.bytes)).toEqual(bytes);
      expect(unwrap(await importBundle(other.store, early, test.keyOf)).sessions).toMatchObject([{ added: false }]);
    } finally {
      await other.close();
    }
    const stranger = await testStore();
    try {
      await seedSession(stranger.store, id, 2, 'Another');
      const before = await stranger.store.reader.verify(id);
      expect(await importBundle(stranger.store, early, test.keyOf)).toMatchObject({
        ok: false,
        error: { code: 'target_exists' },
      });
      expect(await stranger.store.reader.verify(id)).toEqual(before);
    } finally {
      await stranger.close();
    }
  });

  it('takes nothing from a damaged bundle', async () => {
    const path = await exported('one');
    const file = join(sessionFolder(path, id), EVENTS);
    await writeFile(file, (await readFile(file, 'utf8')).replace('Answer 2', 'Answer 3'));
    const other = await testStore();
    try {
      expect(await importBundle(other.store, path, test.keyOf)).toMatchObject({
        ok: false,
        error: { code: 'chain_broken' },
      });
      expect((await other.store.reader.stats()).sessions).toBe(0);
    } finally {
      await other.close();
    }
  });

  it('says what is no bundle', async () => {
    const empty = await mkdtemp(join(test.folder, 'empty-'));
    expect(await importBundle(test.store, empty, test.keyOf)).toMatchObject({ error: { code: 'not_a_session' } });
    expect(await importBundle(test.store, join(empty, 'none'), test.keyOf)).toMatchObject({
      error: { code: 'source_unreadable' },
    });
    const copy = join(test.folder, 'renamed');
    await cp(await exported('one'), copy, { recursive: true });
    await cp(sessionFolder(copy, id), sessionFolder(copy, `sess_${'b'.repeat(20)}`), { recursive: true });
    await rm(sessionFolder(copy, id), { recursive: true });
    expect(await importBundle(test.store, copy, test.keyOf)).toMatchObject({ error: { code: 'chain_broken' } });
  });
});
