import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonLines } from '../../../adapters/testing/way-home-tests.ts';
import { loadFixture } from '../../../fixtures/load.ts';
import { checkReport } from '../../core/fidelity/report.ts';
import { unwrap } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import { type Lab, makeLab } from './testing.ts';

let lab: Lab;
let folder: string;
beforeEach(async () => {
  lab = await makeLab(['rewind', 'subagent-parallel-bg', 'tools']);
  folder = await mkdtemp(join(tmpdir(), 'export-home-'));
});
afterEach(async () => {
  await lab.close();
  await rm(folder, { recursive: true, force: true });
});

const sessions = async (): Promise<SessionRow[]> =>
  unwrap(await lab.engine.call('sessions.list', { agent: 'claude', empty: true })).rows;

/** A session of each other agent that keeps files; databases are compared row by row in their adapters. */
const OTHERS = [
  ['codex', 'b-shell', '.codex/sessions'],
  ['pi', '05-tree-branch-summary', '.pi'],
  ['gemini', 'subagent', '.gemini'],
] as const;

describe('an export for the session’s own agent', () => {
  it.each(OTHERS)(
    '%s: gives back every record of every file, and an undone handoff leaves none',
    async (agent, fixture, below) => {
      await loadFixture(agent, fixture, lab.home);
      unwrap(await lab.engine.call('sources.set', { agent, enabled: true }));
      unwrap(await lab.engine.local.import({ agent }));
      const { rows } = unwrap(await lab.engine.call('sessions.list', { agent }));
      const row = rows.find(({ parent }) => parent === null)!;
      const done = unwrap(await lab.engine.local.exportNative(row.id, { agent, folder, cwd: null }));
      expect(new Set(done.fidelity.rows.map(({ outcome }) => outcome))).toEqual(new Set(['kept']));
      for (const file of done.files) {
        const source = join(dirname(row.source!), relative(dirname(done.files[0]!), file));
        expect(await jsonLines(file)).toEqual(await jsonLines(source));
      }
      // no mark of a project stands among its sessions
      expect(
        (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('chats/.project_root')),
      ).toEqual([]);
      const before = await lab.hash(below);
      const handed = { session: row.id, to: agent, cwd: lab.project, operation_id: `op-${agent}` };
      const { native_id } = unwrap(await lab.engine.call('handoff.execute', handed));
      expect(native_id).not.toBe(row.native_id);
      unwrap(await lab.engine.call('handoff.undo', { operation_id: `op-${agent}` }));
      expect(await lab.hash(below)).toBe(before);
    },
  );

  it('gives back every record under the same id, branches too, and says that all is kept', async () => {
    for (const row of (await sessions()).filter(({ parent_kind }) => parent_kind !== 'subagent')) {
      const wanted = { agent: 'claude', folder, cwd: null };
      const done = unwrap(await lab.engine.local.exportNative(row.id, wanted));
      expect(done.native_id).toBe(row.native_id);
      checkReport(done.fidelity);
      expect(new Set(done.fidelity.rows.map(({ outcome }) => outcome))).toEqual(new Set(['kept']));
      expect(await jsonLines(done.files[0]!)).toEqual(await jsonLines(row.source!));
    }
  });

  it('takes the sub-agents along, each in its place', async () => {
    const parent = (await sessions()).find(({ children }) => children.length > 1)!;
    const done = unwrap(await lab.engine.local.exportNative(parent.id, { agent: 'claude', folder, cwd: null }));
    const children: SessionRow[] = [];
    for (const id of parent.children) children.push(unwrap(await lab.engine.call('sessions.get', { id })));
    expect(done.files).toHaveLength(1 + children.length);
    for (const row of children) {
      const file = done.files.find((path) => path.endsWith(`${parent.native_id}/subagents/${row.native_id}.jsonl`));
      expect(await jsonLines(file!)).toEqual(await jsonLines(row.source!));
    }
  });

  it('counts in its receipt what was redacted in sub-agents too', async () => {
    const secret = ['ghp', 'x7Kq2mV9sLr4Tz8Wb3Nd6Yc1Hf5Jg0PaQeRt'].join('_');
    const parent = (await sessions()).find(({ children }) => children.length > 1)!;
    const child = unwrap(await lab.engine.call('sessions.get', { id: parent.children[0]! }));
    const lines = await readFile(child.source!, 'utf8');
    const last = JSON.parse(lines.trimEnd().split('\n').at(-1)!) as { uuid: string };
    const next = { ...last, uuid: 'ffffffff-0000-4000-8000-000000000001', parentUuid: last.uuid, type: 'user' };
    const said = JSON.stringify({ ...next, message: { role: 'user', content: `Use ${secret}` } });
    await writeFile(child.source!, `${lines}${said}\n`);
    unwrap(await lab.engine.local.import({ agent: 'claude' }));
    const done = unwrap(await lab.engine.local.exportNative(parent.id, { agent: 'claude', folder, cwd: null }));
    for (const file of done.files) expect(await readFile(file, 'utf8')).not.toContain(secret);
    const receipt = unwrap(await lab.engine.call('receipts.get', { id: done.receipt }));
    expect(receipt.facts.redaction).toEqual({ removed: 1, by_type: { 'github-token': 1 } });
  });

  it('says what of the source it does not write again', async () => {
    const { source, id } = lab.session;
    const lines = await readFile(source!, 'utf8');
    await writeFile(source!, `${lines}{"type":"user", broken\n${lines.trimEnd().split('\n').at(-1)}\n`);
    unwrap(await lab.engine.local.import({ agent: 'claude' }));
    const done = unwrap(await lab.engine.local.exportNative(id, { agent: 'claude', folder, cwd: null }));
    expect(done.warnings).toContainEqual({
      about: 'not-written',
      detail: expect.stringContaining('malformed-line (1)'),
    });
  });

  it('puts nothing in place when something else stands where a further file belongs', async () => {
    const parent = (await sessions()).find(({ children }) => children.length > 1)!;
    const project = dirname(parent.source!).split('/').at(-1)!;
    const below = join(folder, '.claude/projects', project, parent.native_id, 'subagents');
    for (const id of parent.children) {
      const { native_id } = unwrap(await lab.engine.call('sessions.get', { id }));
      await mkdir(join(below, `${native_id}.jsonl`), { recursive: true });
    }
    const done = await lab.engine.local.exportNative(parent.id, { agent: 'claude', folder, cwd: null });
    expect(done).toMatchObject({ ok: false, error: { code: 'target_exists' } });
    const all = await readdir(folder, { recursive: true, withFileTypes: true });
    expect(all.filter((entry) => entry.isFile())).toEqual([]);
  });

  it('leaves nothing of ours beside a database', async () => {
    await loadFixture('hermes', 'simple-qa', lab.home);
    unwrap(await lab.engine.call('sources.set', { agent: 'hermes', enabled: true }));
    unwrap(await lab.engine.local.import({ agent: 'hermes' }));
    const { rows } = unwrap(await lab.engine.call('sessions.list', { agent: 'hermes' }));
    unwrap(await lab.engine.local.exportNative(rows[0]!.id, { agent: 'hermes', folder, cwd: '/home/dev/elsewhere' }));
    expect(await readdir(folder, { recursive: true })).toEqual(['.hermes', '.hermes/state.db']);
  });

  it('keeps no id that would be the path of another file, and leaves sub-agents with such ids', async () => {
    await loadFixture('gemini', 'subagent', lab.home);
    const files = (await readdir(join(lab.home, '.gemini'), { recursive: true })).filter((name) =>
      /chats.*jsonl$/.test(name),
    );
    for (const name of files) {
      const path = join(lab.home, '.gemini', name);
      const text = await readFile(path, 'utf8');
      await writeFile(path, text.replace(/"sessionId":"/, '"sessionId":"../../../../../'));
    }
    unwrap(await lab.engine.call('sources.set', { agent: 'gemini', enabled: true }));
    unwrap(await lab.engine.local.import({ agent: 'gemini' }));
    const { rows } = unwrap(await lab.engine.call('sessions.list', { agent: 'gemini' }));
    const row = rows.find(({ parent }) => parent === null)!;
    expect(row.native_id).toContain('../');
    const done = unwrap(
      await lab.engine.local.exportNative(row.id, { agent: 'gemini', folder: join(folder, 'a/b/c/d/e'), cwd: null }),
    );
    expect(done.native_id).not.toContain('/');
    expect(done.files).toHaveLength(1);
    const written = await readdir(folder, { recursive: true });
    expect(written.filter((name) => name.endsWith('.jsonl') && !name.startsWith('a/b/c/d/e/.gemini/tmp/'))).toEqual([]);
  });

  it('gets a new id where the folder has the session, and another folder when asked', async () => {
    const row = lab.session;
    const first = unwrap(await lab.engine.local.exportNative(row.id, { agent: 'claude', folder, cwd: null }));
    const cwd = '/home/dev/elsewhere';
    const second = unwrap(await lab.engine.local.exportNative(row.id, { agent: 'claude', folder, cwd }));
    expect(second.native_id).not.toBe(first.native_id);
    const text = (await readFile(first.files[0]!, 'utf8')).replaceAll(
      `"sessionId":"${row.native_id}"`,
      `"sessionId":"${second.native_id}"`,
    );
    const expected = text
      .replaceAll(`"session_id":"${row.native_id}"`, `"session_id":"${second.native_id}"`)
      .replaceAll(`"cwd":"${row.cwd}"`, `"cwd":"${cwd}"`);
    expect(await readFile(second.files[0]!, 'utf8')).toBe(expected);
    expect(second.files[0]).toContain('-home-dev-elsewhere');
  });
});

describe('a handoff to the session’s own agent', () => {
  it('says in its plan and in its result that sub-agents stay behind', async () => {
    const { id: session, children } = (await sessions()).find((row) => row.children.length > 1)!;
    const handed = { session, to: 'claude', cwd: lab.project };
    const text = `Its sub-agents (${children.length}) stay with the session that it comes from.`;
    const plan = unwrap(await lab.engine.call('handoff.preflight', handed));
    expect(plan.checks).toContainEqual({ id: 'subagents', level: 'note', text });
    const done = unwrap(await lab.engine.call('handoff.execute', { ...handed, operation_id: 'op-subagents' }));
    expect(done.warnings).toContainEqual({ about: 'subagents-left', detail: text, count: children.length });
  });
});
