import { readdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../../src/shared/errors.ts';
import type { SessionEvent } from '../../../src/shared/events.ts';
import { Arranger } from '../../conversation/arrange.ts';
import { anySession } from '../../testing/arbitrary.ts';
import { modelView } from '../../testing/model-view.ts';
import { PROPERTY_MS, propertyRuns } from '../../testing/property-runs.ts';
import { TestSession } from '../../testing/session.ts';
import { hermesTarget } from '../target.ts';
import { tempHome } from '../testing/native.ts';
import { sentByHermes } from '../testing/oracle.ts';
import { captureBack, handOver, ID, layHome, writeOptions } from '../testing/target.ts';
import { changeDatabase } from './database.ts';

let home: ReturnType<typeof tempHome>;
beforeEach(() => {
  home = tempHome();
});
afterEach(() => home.dispose());

const database = () => join(home.hermes, 'state.db');

/** Rows of a table, read without any code of the adapter. */
function rows(table: string, where = '1'): Record<string, unknown>[] {
  const db = new Database(database(), { readonly: true });
  try {
    return db.prepare(`SELECT * FROM ${table} WHERE ${where}`).all() as Record<string, unknown>[];
  } finally {
    db.close();
  }
}

function conversation(): TestSession {
  const session = new TestSession();
  session.user('Fix the build, please. 请修复');
  session.thinking('r1', 'Look first.');
  session.reply('r1', 'I look.');
  session.call('r1', 'call_1');
  session.call('r1', 'call_2', { name: 'Read', tool: 'read', arguments: { file_path: '/a' } });
  session.result('call_2', 'text of a');
  session.result('call_1', 'no such thing', { is_error: true });
  session.system('a reminder');
  session.reply('r2', 'Done.');
  session.user([{ kind: 'text', text: 'And this?' }, session.image()]);
  session.reply('r3', 'A picture.');
  return session;
}

const SCHEMAS = ['v06', 'v11', 'v16', 'v17', 'v22', 'v23', 'v26', 'v30'];

describe('writing a session into state.db', () => {
  it.each(SCHEMAS)('puts it beside the others in a database of schema %s, found by its search', async (schema) => {
    await layHome(`schema-${schema}`, home.env);
    const before = rows('messages');
    const [old] = rows('sessions');
    const written = await handOver(conversation().source(), writeOptions(home.env));
    expect(written.final).toBe(`${database()}#${ID}`);
    expect(rows('messages', `session_id <> '${ID}'`)).toEqual(before);
    expect(rows('sessions')[0]).toEqual(old);
    const [session] = rows('sessions', `id = '${ID}'`);
    expect(session).toMatchObject({ source: 'cli', title: 'A title', message_count: 8, tool_call_count: 2 });
    const db = new Database(database());
    expect(db.prepare("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'picture'").pluck().get()).toBe(1);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
    db.close();
  });

  it('gives a Hermes that was never started the tables it needs', async () => {
    await handOver(conversation().source(), writeOptions(home.env));
    expect(statSync(database()).mode & 0o777).toBe(0o600);
    expect(rows('sessions')).toHaveLength(1);
  });

  it('is in the folder that a link leads to, where Hermes runs', async () => {
    const link = join(home.env.home, 'link');
    symlinkSync(join(home.env.home, '.hermes'), link);
    await handOver(conversation().source(), writeOptions(home.env, { cwd: link }));
    expect(rows('sessions')[0]!.cwd).toBe(realpathSync(link));
  });

  it('makes rows as the live agent writes them', async () => {
    await layHome('schema-v23', home.env);
    await handOver(conversation().source(), writeOptions(home.env));
    const sent = sentByHermes(database(), ID);
    expect(sent.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(sent[1]!.calls).toEqual([
      { id: 'call_1', name: 'Bash', arguments: { command: 'run call_1' } },
      { id: 'call_2', name: 'Read', arguments: { file_path: '/a' } },
    ]);
    expect(sent[2]).toMatchObject({ answers: 'call_1', text: '[The tool reported an error] no such thing' });
    expect(sent[6]!.text).toBe('And this? [image]');
    const live = rows('messages', `session_id = '${ID}'`);
    expect(live.every(({ active, compacted }) => active === 1 && compacted === 0)).toBe(true);
    expect(live.map(({ display_kind }) => display_kind)).toContain('hidden');
    expect(live[1]).toMatchObject({ reasoning: 'Look first.', finish_reason: 'tool_calls' });
  });

  it('has a private copy of the database beside while it writes, and leaves nothing of it', async () => {
    await layHome('schema-v23', home.env);
    const ours = join(home.env.home, '.sessionctl');
    const look = (): [number, unknown] => {
      const [name] = readdirSync(join(ours, 'backups'));
      const path = join(ours, 'backups', name!);
      const copy = new Database(path, { readonly: true });
      const messages = copy.prepare('SELECT count(*) FROM messages').pluck().get();
      copy.close();
      return [statSync(path).mode & 0o777, messages];
    };
    expect(await changeDatabase(database(), home.env, look)).toEqual({ ok: true, value: [0o600, 7] });
    expect(readdirSync(ours)).toEqual([]);
    const failed = await changeDatabase(database(), home.env, () => {
      throw new Error('stopped');
    });
    expect(failed.ok).toBe(false);
    const written = await handOver(conversation().source(), writeOptions(home.env));
    expect(await hermesTarget.remove(written, writeOptions(home.env))).toMatchObject({ ok: true });
    expect(readdirSync(ours)).toEqual([]);
    expect(readdirSync(home.hermes)).toEqual(['state.db']);
  });

  it('gives a title that is taken a number that Hermes does not read as a part', async () => {
    await layHome('schema-v26', home.env);
    await handOver(conversation().source(), writeOptions(home.env, { title: ' List \u200bfiles #3 ' }));
    expect(rows('sessions', `id = '${ID}'`)[0]!.title).toBe('List files (2)');
  });

  it('writes a context in front as a row of its own', async () => {
    await layHome('schema-v23', home.env);
    await handOver(conversation().source(), writeOptions(home.env, { preface: 'What was before.' }));
    expect(sentByHermes(database(), ID)[0]!.text).toContain('What was before.');
    const { events } = await captureBack(home.env);
    const prompts = events.filter(({ type }) => type === 'message.user');
    expect(JSON.stringify(prompts[0]!.payload)).toContain('Fix the build');
  });

  it('takes the way out of an index that needs a tokenizer of Hermes', async () => {
    await layHome('cjk-index', home.env);
    await handOver(conversation().source(), writeOptions(home.env));
    expect(rows('state_meta', "key = 'fts_cjk_stale'")).toEqual([{ key: 'fts_cjk_stale', value: '1' }]);
    expect(rows('sqlite_master', "name = 'messages_fts_cjk'")).toHaveLength(1);
    expect(rows('sqlite_master', "type = 'trigger' AND name LIKE 'messages_fts_cjk%'")).toEqual([]);
  });

  it('refuses a database whose columns it does not know, and changes nothing', async () => {
    await layHome('schema-v23', home.env);
    const db = new Database(database());
    db.exec('CREATE TABLE later AS SELECT * FROM messages');
    db.exec('ALTER TABLE sessions RENAME COLUMN title TO name');
    db.close();
    const before = readFileSync(database());
    const refused = await hermesTarget.write(conversation().source(), writeOptions(home.env));
    expect(refused).toMatchObject({ ok: false, error: { code: 'target_unsupported' } });
    expect(Buffer.compare(readFileSync(database()), before)).toBe(0);
  });

  it('refuses a session that is there already, and takes its own for done', async () => {
    await layHome('schema-v23', home.env);
    const options = writeOptions(home.env);
    await handOver(conversation().source(), options);
    await handOver(conversation().source(), options);
    expect(rows('sessions', `id = '${ID}'`)).toHaveLength(1);
    const other = new TestSession();
    other.user('Something else');
    const written = unwrap(await hermesTarget.write(other.source(), options));
    expect(await written.commit()).toMatchObject({ ok: false, error: { code: 'target_exists' } });
  });

  it('leaves the database as it was when it cannot be finished', async () => {
    await layHome('schema-v23', home.env);
    const written = unwrap(await hermesTarget.write(conversation().source(), writeOptions(home.env)));
    const db = new Database(database());
    db.exec(
      "CREATE TRIGGER stop BEFORE INSERT ON messages WHEN NEW.role = 'tool' BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    db.close();
    const before = rows('messages');
    expect(await written.commit()).toMatchObject({ ok: false, error: { code: 'write_failed' } });
    expect(rows('messages')).toEqual(before);
    expect(rows('sessions', `id = '${ID}'`)).toEqual([]);
    expect(readdirSync(home.hermes)).toEqual(['state.db']);
  });

  it('refuses what no model is sent, and a folder that is not known', async () => {
    await layHome('schema-v23', home.env);
    const nothing = new TestSession();
    nothing.thinking('r', 'only a thought');
    expect(await hermesTarget.write(nothing.source(), writeOptions(home.env))).toMatchObject({
      ok: false,
      error: { code: 'no_conversation' },
    });
    expect(await hermesTarget.write(conversation().source(), writeOptions(home.env, { cwd: '' }))).toMatchObject({
      ok: false,
      error: { code: 'unknown_cwd' },
    });
  });
});

describe('taking it back', () => {
  it.each(['schema-v06', 'schema-v23', 'schema-v30', 'cjk-index'])(
    'removes what was made from %s, once',
    async (fixture) => {
      await layHome(fixture, home.env);
      const before = [rows('sessions'), rows('messages')];
      const options = writeOptions(home.env);
      const written = await handOver(conversation().source(), options);
      expect(await hermesTarget.remove(written, options)).toEqual({ ok: true, value: [] });
      expect([rows('sessions'), rows('messages')]).toEqual(before);
      expect(await hermesTarget.remove(written, options)).toEqual({ ok: true, value: [] });
    },
  );

  it('keeps a session that has grown', async () => {
    await layHome('schema-v23', home.env);
    const options = writeOptions(home.env);
    const written = await handOver(conversation().source(), options);
    const db = new Database(database());
    db.prepare("INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', 'more', 1)").run(ID);
    db.close();
    expect(await hermesTarget.remove(written, options)).toMatchObject({ ok: false, error: { code: 'target_exists' } });
    expect(rows('messages', `session_id = '${ID}'`)).toHaveLength(9);
  });

  it('waits for nobody where Hermes is at work in the session', async () => {
    await layHome('schema-v23', home.env);
    const options = writeOptions(home.env);
    const written = await handOver(conversation().source(), options);
    const db = new Database(database());
    db.prepare('INSERT INTO compression_locks VALUES (?, ?, ?, ?)').run(ID, 'somebody', 1, Date.now() / 1000 + 60);
    db.close();
    expect(await hermesTarget.remove(written, options)).toMatchObject({ ok: false, error: { code: 'write_failed' } });
    expect(rows('sessions', `id = '${ID}'`)).toHaveLength(1);
  });
});

/** What was carried, in the order in which a target holds it, without numbers and marks. */
function carried(events: readonly SessionEvent[]): string[] {
  const arranger = new Arranger(() => {});
  const steps = [...events.flatMap((event) => arranger.push(event)), ...arranger.end()];
  const items: string[] = [];
  let response: unknown;
  let texts: string[] = [];
  const flush = (): void => {
    if (texts.length > 0) items.push(`assistant ${texts.join('\n')}`);
    texts = [];
  };
  for (const step of steps) {
    const { payload } = step.kind === 'output' ? step.call : step.event;
    if (step.kind === 'thinking') continue;
    if (payload.response !== response || step.kind === 'output') flush();
    response = payload.response;
    if (step.kind === 'reply') texts.push(...textsOf(payload.content));
    else if (step.kind === 'call') items.push(`call ${step.id} ${JSON.stringify(payload.arguments)}`);
    else if (step.kind === 'output') items.push(`output ${step.id}`);
    else items.push(...textsOf(payload.content ?? payload.summary).map((text) => `user ${text}`));
  }
  flush();
  return items;
}

function textsOf(content: unknown): string[] {
  return (content as { kind: string; text?: string }[])
    .map(({ kind, text }) => (kind === 'image' ? '[image]' : (text ?? '').replace(/^\[CONTEXT SUMMARY\]:\n/, '')))
    .filter((text) => text.trim() !== '');
}

describe('any session', () => {
  it(
    'comes back with the same texts in the same order, pairs closed, ids valid',
    async () => {
      await layHome('schema-v23', home.env);
      const before = readFileSync(database());
      const nativeId = '20261129_130000_00000a';
      await fc.assert(
        fc.asyncProperty(anySession, async (session) => {
          // else the database would grow with each run, and with it what each of them takes
          writeFileSync(database(), before);
          const options = writeOptions(home.env, { nativeId });
          const written = await hermesTarget.write(session.source(), options);
          if (!written.ok) {
            expect(written.error.code).toBe('no_conversation');
            return;
          }
          unwrap(await hermesTarget.readBack(written.value, session.source(), options, 'temp'));
          unwrap(await written.value.commit());
          const back = await captureBack(home.env, nativeId);
          expect(back.warnings).toEqual([]);
          const found = carried(modelView(back.events));
          const expected = carried(session.events).map((item) => item.toWellFormed());
          const isCall = (item: string): boolean => item.startsWith('call ');
          expect(found.filter((item) => !isCall(item))).toEqual(expected.filter((item) => !isCall(item)));
          const calls = found.filter(isCall);
          expect(calls).toHaveLength(expected.filter(isCall).length);
          for (const call of calls) expect(call).toMatch(/^call [A-Za-z0-9_-]{1,64} \{/);
        }),
        propertyRuns(60, 7),
      );
    },
    PROPERTY_MS,
  );
});
