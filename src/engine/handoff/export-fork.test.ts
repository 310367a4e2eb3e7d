import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../../../fixtures/load.ts';
import { unwrap } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import { type Lab, makeLab } from './testing.ts';

let lab: Lab;
let folder: string;
beforeEach(async () => {
  lab = await makeLab();
  folder = await mkdtemp(join(tmpdir(), 'export-fork-'));
  await loadFixture('codex', 'g-fork-exec', lab.home);
  unwrap(await lab.engine.call('sources.set', { agent: 'codex', enabled: true }));
});
afterEach(async () => {
  await lab.close();
  await rm(folder, { recursive: true, force: true });
});

interface Header {
  payload: {
    cwd: string;
    history_base: { thread_id: string; end_ordinal_exclusive: number; end_byte_offset: number };
  };
}

/** A fork of Codex that holds its own lines alone, and the thread that it was forked off. */
async function sessions(): Promise<{ fork: SessionRow; parent: SessionRow }> {
  const { rows } = unwrap(await lab.engine.call('sessions.list', { agent: 'codex' }));
  const fork = rows.find(({ parent_kind }) => parent_kind === 'fork')!;
  return { fork, parent: rows.find(({ id }) => id === fork.parent)! };
}

const exported = (fork: SessionRow, cwd: string | null = null) =>
  lab.engine.local.exportNative(fork.id, { agent: 'codex', folder, cwd });

const headerOf = (text: string): Header => JSON.parse(text.slice(0, text.indexOf('\n'))) as Header;

/** Ordinals of the lines in front of the cut that the fork names, in the file that was written. */
async function shared(files: readonly string[]): Promise<number[]> {
  const { history_base } = headerOf(await readFile(files[0]!, 'utf8')).payload;
  const file = files.find((path) => path.includes(history_base.thread_id))!;
  const bytes = (await readFile(file)).subarray(0, history_base.end_byte_offset);
  return bytes
    .toString()
    .split(/(?<=\n)/)
    .map((line) => (JSON.parse(line) as { ordinal: number }).ordinal);
}

describe('an exported fork of Codex', () => {
  it('comes with the thread that it goes on from', async () => {
    unwrap(await lab.engine.local.import({ agent: 'codex' }));
    const { fork, parent } = await sessions();
    const done = unwrap(await exported(fork));
    expect(done.native_id).toBe(fork.native_id);
    expect(done.files.map((file) => file.includes(parent.native_id))).toEqual([false, true]);
    expect(done.warnings).toContainEqual(expect.objectContaining({ about: 'parent-along', count: 1 }));
    const { end_ordinal_exclusive: end } = headerOf(await readFile(done.files[0]!, 'utf8')).payload.history_base;
    expect(await shared(done.files)).toEqual(Array.from({ length: end }, (_, i) => i));
  });

  it('names the place of the fork in the file that was written: moved, redacted, and beside another fork', async () => {
    // what is replaced in the first line of the other thread moves all that follows
    const [path] = (await lab.files('.codex/sessions')).filter((name) => name.includes('01a22791-e497'));
    const source = join(lab.home, '.codex/sessions', path!);
    const secret = ['ghp', 'x7Kq2mV9sLr4Tz8Wb3Nd6Yc1Hf5Jg0PaQeRt'].join('_');
    const text = await readFile(source, 'utf8');
    await writeFile(source, text.replace('"thread_source":"', `"first":"Use ${secret}","thread_source":"`));
    unwrap(await lab.engine.local.import({ agent: 'codex' }));
    const { fork } = await sessions();
    const done = unwrap(await exported(fork, '/home/dev/a/much/longer/folder'));
    for (const file of done.files) {
      const written = await readFile(file, 'utf8');
      expect(written).not.toContain(secret);
      expect(headerOf(written).payload.cwd).toBe('/home/dev/a/much/longer/folder');
    }
    const { end_ordinal_exclusive: end } = headerOf(await readFile(done.files[0]!, 'utf8')).payload.history_base;
    expect(await shared(done.files)).toEqual(Array.from({ length: end }, (_, i) => i));
    expect(done.warnings).toContainEqual({
      about: 'redacted',
      detail: expect.stringContaining('secrets are not in it'),
      count: 2,
    });
    const again = unwrap(await exported(fork, '/home/dev/a/much/longer/folder'));
    expect(again.native_id).not.toBe(fork.native_id);
    expect(again.files[1]).toBe(done.files[1]);
    expect(await exported(fork, '/home/dev/elsewhere')).toMatchObject({
      ok: false,
      error: { code: 'target_exists', message: expect.stringContaining(done.files[1]!) },
    });
  });

  it('stands by itself where the thread that it goes on from is not known', async () => {
    const path = (await lab.files('.codex/sessions')).find((name) => name.includes('01a22791-e625'))!;
    unwrap(await lab.engine.local.import({ path: join(lab.home, '.codex/sessions', path) }));
    const { rows } = unwrap(await lab.engine.call('sessions.list', { agent: 'codex' }));
    const done = unwrap(await exported(rows[0]!));
    expect(done.files).toHaveLength(1);
    const text = await readFile(done.files[0]!, 'utf8');
    expect(text).not.toContain('history_base');
    expect(done.warnings).toContainEqual({
      about: 'model-view',
      detail: expect.stringContaining(`${done.fidelity.events.arriving} of ${done.fidelity.events.total} events`),
    });
    const prompts = unwrap(await lab.engine.call('sessions.get', { id: rows[0]!.id })).counts.user;
    expect(text.match(/"role":"user"/g)!.length).toBeGreaterThanOrEqual(prompts);
  });
});
