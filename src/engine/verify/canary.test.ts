import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adapters } from '../../../adapters/registry.ts';
import { TestSession } from '../../../adapters/testing/session.ts';
import { loadFixture } from '../../../fixtures/load.ts';
import { AGENTS, type AgentId } from '../../shared/agents.ts';
import { canary } from './canary.ts';
import { census } from './census.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'canary-'));
});
afterEach(() => rm(home, { recursive: true }));

const FIXTURE: Record<AgentId, string> = {
  claude: 'multi-turn',
  codex: 'b-shell',
  pi: '04-multi-turn',
  hermes: 'tool-calls',
  opencode: '02-tools',
  gemini: 'tool-calls',
  cursor: 'editor',
  aider: 'basic',
};

const found = (agent: AgentId, installed: string | null = null) =>
  canary(adapters[agent], { home, env: {} }, installed);

async function change(pattern: RegExp, replace: (text: string) => string): Promise<void> {
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && pattern.test(path)) writeFileSync(path, replace(readFileSync(path, 'utf8')));
  }
}

const renamed = (text: string): string => text.replace(/"type":\s*"/g, '"type":"future_');

describe('a canary', () => {
  for (const agent of AGENTS)
    it(`says of ${agent} that its newest session reads in full, and of which day it is`, async () => {
      await loadFixture(agent, FIXTURE[agent], home);
      const today = new Date().toISOString().slice(0, 10);
      const text = new RegExp(`nothing is newer than ${today}; that session reads in full: (\\d+) of \\1 records`);
      expect(await found(agent)).toMatchObject({ level: 'ok', text: expect.stringMatching(text) });
    });

  it('says nothing where there is nothing', async () => {
    for (const agent of AGENTS) expect(await found(agent)).toBeNull();
  });

  for (const agent of ['claude', 'codex', 'pi', 'gemini'] as const)
    it(`says that ${agent} cannot be read when its records are of other kinds now, which, and what to do`, async () => {
      await loadFixture(agent, FIXTURE[agent], home);
      await change(/\.jsonl$/, renamed);
      const said = await found(agent, '99.0');
      expect(said).toMatchObject({ id: `canary:${agent}`, level: 'warn' });
      expect(said?.text).toMatch(
        /cannot be read: in the newest session \d+ of \d+ records are of an unknown kind \(.*future_/,
      );
      expect(said?.fix).toContain(`${adapters[agent].label} 99.0 is installed`);
      expect(said?.fix).toContain(`on ${adapters[agent].verified.on}`);
    });

  for (const [agent, file, table] of [
    ['hermes', '.hermes/state.db', 'messages'],
    ['opencode', '.local/share/opencode/opencode.db', 'message'],
  ] as const)
    it(`says that ${agent} cannot be read when its tables have other names now`, async () => {
      await loadFixture(agent, FIXTURE[agent], home);
      const db = new Database(join(home, file));
      db.pragma('foreign_keys = OFF');
      db.exec(`ALTER TABLE ${table} RENAME TO future`);
      db.close();
      expect(await found(agent)).toMatchObject({ level: 'warn', text: expect.stringContaining('cannot be read') });
    });

  it('counts single records of unknown kinds, and reads on', async () => {
    await loadFixture('claude', 'multi-turn', home);
    await change(/\.jsonl$/, (text) => `${text}{"type":"future","uuid":"x"}\n{"type":"future","uuid":"y"}\n`);
    expect(await found('claude')).toMatchObject({
      level: 'note',
      text: expect.stringMatching(/2 of \d+ records are of an unknown kind \(future ×2\)/),
    });
  });

  it('names fields that no checked version wrote, of records and of tables', async () => {
    await loadFixture('claude', 'multi-turn', home);
    await change(/\.jsonl$/, (text) => text.replace('"type":"user"', '"type":"user","future":1'));
    expect(await found('claude')).toMatchObject({
      level: 'note',
      text: expect.stringMatching(/reads in full.*were not there when sessionctl was checked: user\.future$/),
    });
    await loadFixture('hermes', 'tool-calls', home);
    const db = new Database(join(home, '.hermes/state.db'));
    db.exec('ALTER TABLE messages ADD COLUMN future TEXT');
    db.close();
    expect(await found('hermes')).toMatchObject({ level: 'note', text: expect.stringMatching(/: messages\.future$/) });
  });

  it.each(['claude', 'codex'] as const)('knows the fields that we ourselves write for %s', async (to) => {
    const { target } = adapters[to];
    const env = { home, env: {} };
    const session = new TestSession('pi');
    session.user('What is in it?');
    session.reply('r1', 'I look.');
    session.call('r1', 'call_1');
    session.result('call_1', 'line\n'.repeat(4000));
    session.reply('r2', 'A long file.');
    session.summary('A file was looked at.');
    session.user('And this?');
    session.reply('r3', 'That too.');
    const nativeId = '0a1b2c3d-bb90-47e3-8fe5-30ec722705d2';
    const at = Date.now() / 1000;
    const options = { env, nativeId, title: 'A title', cwd: home, version: '0.171.0', at, tokens: 5000 };
    const written = await target!.write(session.source(), options);
    if (!written.ok) throw new Error(written.error.message);
    await written.value.commit();
    const text = readFileSync(written.value.final, 'utf8');
    for (const field of adapters[to].ownFields!)
      expect([field, text.includes(`"${field.split('.').at(-1)}"`)]).toEqual([field, true]);
    expect(await found(to)).toMatchObject({ level: 'ok' });
  });

  it('tells new files that are no sessions from no new sessions', async () => {
    await loadFixture('codex', 'b-shell', home);
    await age(home);
    expect(await found('codex')).toMatchObject({ level: 'ok', text: expect.stringContaining('newer than 2026-01-01') });
    const strange = join(home, '.codex/sessions/2027/thread-1.ndjson');
    mkdirSync(dirname(strange), { recursive: true });
    writeFileSync(strange, '{"something": "else"}\n');
    expect(await found('codex')).toMatchObject({
      level: 'warn',
      text: expect.stringMatching(
        /no session is newer than 2026-01-01, but .* a newer file that is none, such as .*thread-1/,
      ),
    });
  });

  it('finds files that are no sessions where there is no session at all', async () => {
    mkdirSync(join(home, '.pi/agent/sessions/proj'), { recursive: true });
    writeFileSync(join(home, '.pi/agent/sessions/proj/session.sqlite'), 'x');
    expect(await found('pi')).toMatchObject({ level: 'warn', text: expect.stringContaining('no session was found') });
  });

  it('takes no notice of what agents keep beside their sessions', async () => {
    await loadFixture('codex', 'b-shell', home);
    await age(home);
    for (const name of ['history.jsonl', 'session_index.jsonl', 'logs_2.sqlite'])
      writeFileSync(join(home, '.codex', name), '{}\n');
    expect(await found('codex')).toMatchObject({ level: 'ok' });
  });

  it('looks past a session that has only begun', async () => {
    await loadFixture('claude', 'multi-turn', home);
    await age(home);
    const [project] = await readdir(join(home, '.claude/projects'));
    const begun = '{"type":"summary","summary":"x","leafUuid":"y"}\n';
    writeFileSync(join(home, '.claude/projects', project!, '11111111-1111-4111-8111-111111111111.jsonl'), begun);
    expect(await found('claude')).toMatchObject({ level: 'ok' });
  });
});

/** Makes everything as old as the first day of 2026. */
async function age(folder: string): Promise<void> {
  const day = Date.UTC(2026, 0, 1) / 1000;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), day, day);
}

describe('the fields of a source', () => {
  it('are none when it is gone or broken', async () => {
    const source = { agent: 'claude', native_id: 'x', bytes: 1, mtime_ms: 1 } as const;
    writeFileSync(join(home, 'broken.json'), '{');
    for (const name of ['gone.jsonl', 'gone.json', 'broken.json'])
      expect([...(await census({ ...source, path: join(home, name) }))]).toEqual([]);
    expect([...(await census({ ...source, path: join(home, 'gone.db'), database: true }))]).toEqual([]);
  });
});
