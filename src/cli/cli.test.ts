import { chmod, cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handoffPlanSchema, handoffResultSchema } from '../shared/handoff.ts';
import { sessionRowSchema } from '../shared/session.ts';
import { type CliLab, cliLab } from './testing.ts';

let lab: CliLab;
beforeEach(async () => {
  lab = await cliLab(['tools', 'simple-qa']);
});
afterEach(() => lab.close());

/** A ready store with the Claude sessions read. */
async function ready(): Promise<void> {
  await lab.run('init', '--key-file');
  await lab.run('sources', 'enable', 'claude');
  await lab.run('import');
}

const sessions = async () => (await lab.run('list', '--json')).json.value.rows;

describe('a newcomer', () => {
  it('gets from nothing to a handed-over session, told the next command each time', async () => {
    const empty = await lab.run('list');
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('sessionctl init') });
    const init = await lab.run('init');
    expect(init.code).toBe(0);
    expect(init.stderr).toContain('the key is kept in a file');
    expect(init.stdout).toMatch(/([0-9A-Z]{7}-){7}[0-9A-Z]{7}/);
    expect(init.stdout).toContain('Found: Claude Code (2 sessions)');
    expect(init.stdout).toContain('sessionctl sources enable claude');
    const none = await lab.run('list');
    expect(none.stdout).toContain('sessionctl sources enable claude');
    expect((await lab.run('import')).stderr).toContain('sessionctl sources enable claude');
    await lab.run('sources', 'enable', 'claude');
    const listed = await lab.run('list');
    expect(listed.stdout).toContain('parse_amount');
    const id = /sess_\w+/.exec(listed.stdout)![0];
    const dry = await lab.run('handoff', id, '--to', 'codex', '--dry-run', '--cwd', '.');
    expect(dry.stdout).toContain('Arriving: 100 % of events');
    const done = await lab.run('handoff', id, '--to', 'codex', '--cwd', '.');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('codex resume ') });
  });

  it('is asked on a terminal where the key shall be kept', async () => {
    const init = await lab.type(['1', 'a long passphrase', 'a long passphrase', 'y'], 'init');
    expect(init).toMatchObject({ code: 0, stdout: expect.stringContaining('locked by your passphrase') });
    expect(init.stderr + init.stdout).not.toContain('a long passphrase');
    expect(await lab.run('list', '--json')).toMatchObject({ code: 1, json: { error: { code: 'key_locked' } } });
    expect(await lab.type(['wrong passphrase'], 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('passphrase is wrong'),
    });
    expect(await lab.type(['a long passphrase'], 'list')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The thousands'),
    });
    lab.env.SESSIONCTL_PASSPHRASE = 'a long passphrase';
    expect((await lab.run('list', '--json')).json.ok).toBe(true);
  });

  it('gets a lost key back by the recovery key', async () => {
    const made = (await lab.run('init', '--json')).json.value;
    expect(made).toMatchObject({ created: true, keys: { kind: 'keyfile', weaker: true } });
    expect((await lab.run('init', '--json')).json.value).not.toHaveProperty('recovery_key');
    const home = join(lab.home, '.sessionctl');
    const key = (await readdir(home)).find((name) => name.endsWith('.key'))!;
    await writeFile(join(home, key), 'gone');
    expect(await lab.run('list', '--json')).toMatchObject({ code: 1, json: { error: { code: 'key_wrong' } } });
    lab.env.SESSIONCTL_RECOVERY_KEY = made.recovery_key;
    expect((await lab.run('init', '--recover', '--key-file', '--json')).json.ok).toBe(true);
    expect((await lab.run('list', '--json')).json.ok).toBe(true);
  });
});

describe('a store that is gone', () => {
  it('is never taken for a new one', async () => {
    await ready();
    const store = join(lab.home, '.sessionctl', 'store.db');
    await writeFile(store, '');
    for (const command of ['list', 'import', 'verify', 'status'])
      expect(await lab.run(command, '--json')).toMatchObject({ code: 4, json: { error: { code: 'store_corrupt' } } });
    await rm(store);
    expect(await lab.run('init', '--key-file')).toMatchObject({ code: 4, stderr: expect.stringContaining('is gone') });
    expect(await readdir(join(lab.home, '.sessionctl'))).not.toContain('store.db');
  });
});

describe('--json', () => {
  it('gives the documented shapes', async () => {
    await ready();
    const rows = await sessions();
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(sessionRowSchema.parse(row)).toEqual(row);
    const { id, native_id } = rows.find((row: { counts: { tool_call: number } }) => row.counts.tool_call > 0);
    const shown = (await lab.run('show', native_id, '--json')).json.value;
    expect(shown).toMatchObject({ session: { id }, rows: expect.any(Array) });
    expect(shown.rows).toHaveLength(shown.total);
    const log = (await lab.run('show', id, '--events', '--json')).json.value;
    expect(log.events).toHaveLength(log.session.events);
    expect(log.events[0]).toMatchObject({ seq: 0, type: 'session.start', active: true, in_model: false });
    const { active: _active, in_model: _inModel, ...third } = log.events[3];
    expect((await lab.run('show', id, '--seq', '3', '--json')).json.value).toEqual(third);
    const plan = (await lab.run('handoff', id, '--to', 'codex', '--dry-run', '--json')).json.value;
    expect(handoffPlanSchema.parse(plan)).toEqual(plan);
    const result = (await lab.run('handoff', id, '--to', 'codex', '--operation', 'op-1', '--json')).json.value;
    expect(handoffResultSchema.parse(result)).toEqual(result);
    expect((await lab.run('handoff', id, '--to', 'codex', '--operation', 'op-1', '--json')).json.value).toEqual({
      ...result,
      replayed: true,
    });
    const compiled = (await lab.run('compile', id, '--for', 'codex', '--max-chars', '3000', '--json')).json.value;
    expect(compiled.text.length).toBeLessThanOrEqual(3000);
    expect((await lab.run('resume', result.new_session, '--json')).json.value.argv).toEqual([
      'codex',
      'resume',
      result.native_id,
    ]);
    expect((await lab.run('receipts', '--json')).json.value).toMatchObject({
      total: 1,
      rows: [{ id: result.receipt }],
    });
    expect((await lab.run('verify', '--json')).json.value).toMatchObject({ kind: 'store' });
    expect((await lab.run('verify', result.receipt, '--json')).json.value).toMatchObject({ kind: 'receipt' });
    expect((await lab.run('status', '--json')).json.value).toMatchObject({
      initialised: true,
      project: { agents: expect.arrayContaining([expect.objectContaining({ agent: 'claude' })]) },
    });
    expect((await lab.run('doctor', '--json')).json.value).toMatchObject({ ok: true, keys: { kind: 'keyfile' } });
  });

  it('is one object on stderr for every error, with the exit code of its kind', async () => {
    await ready();
    const [first] = await sessions();
    const twin = first.source.replace('/projects/', '/projects/other');
    await mkdir(join(twin, '..'), { recursive: true });
    await cp(first.source, twin);
    await lab.run('import');
    const errors: [string[], number, string][] = [
      [['show', 'sess_00000000'], 1, 'not_found'],
      [['show', first.native_id], 3, 'selection_required'],
      [['show', first.id, '--seq', '99999'], 1, 'not_found'],
      [['show', first.id, '--seq', 'x'], 2, 'invalid_request'],
      [['show'], 2, 'invalid_request'],
      [['nonsense'], 2, 'invalid_request'],
      [['list', '--nonsense'], 2, 'invalid_request'],
      [['list', '--agent', 'nobody'], 2, 'invalid_request'],
      [['handoff'], 3, 'selection_required'],
      [['handoff', first.id], 3, 'selection_required'],
      [['handoff', first.id, '--to', 'nobody'], 2, 'invalid_request'],
      [['import', '--path', 'missing.jsonl'], 1, 'source_unreadable'],
      [['import', '--agent', 'codex'], 1, 'source_not_enabled'],
      [['sources', 'enable', 'claude', 'nobody'], 2, 'invalid_request'],
      [['compile', first.id, '--for', 'codex', '--budget', '10'], 1, 'p0_over_budget'],
      [['export', first.id, '--out', 'x'], 2, 'invalid_request'],
      [['verify', 'rcpt_none'], 1, 'not_found'],
    ];
    for (const [args, code, error] of errors) {
      const ran = await lab.run(...args, '--json');
      expect({ args, code: ran.code, error: ran.json.error.code }).toEqual({ args, code, error });
      expect(ran.stdout).toBe('');
      expect(ran.json).toEqual({ ok: false, error: expect.objectContaining({ message: expect.stringMatching(/\S/) }) });
    }
    const ambiguous = (await lab.run('show', first.native_id, '--json')).json.error;
    expect(ambiguous.details.candidates.map(({ source }: { source: string }) => source).toSorted()).toEqual(
      [first.source, twin].toSorted(),
    );
    expect((await lab.run('show', twin, '--json')).json.value.session.source).toBe(twin);
  });
});

describe('bundles', () => {
  it('leave by export, are verified, and come in by import; a changed byte is named and ends with 4', async () => {
    await ready();
    const [row] = await sessions();
    const exported = (await lab.run('export', row.id, '--bundle', '--out', 'bundle', '--json')).json.value;
    expect((await lab.run('verify', 'bundle', '--json')).code).toBe(0);
    const elsewhere = ['--home', join(lab.home, 'other')];
    await lab.run('init', '--key-file', ...elsewhere);
    expect(await lab.run('verify', 'bundle', '--json', ...elsewhere)).toMatchObject({
      code: 1,
      json: { error: { code: 'key_missing' } },
    });
    expect((await lab.run('verify', 'bundle', '--key', exported.public_key, '--json', ...elsewhere)).code).toBe(0);
    expect((await lab.run('import', '--path', 'bundle', '--json', ...elsewhere)).json.value.sessions).toMatchObject([
      { id: row.id, added: true },
    ]);
    const again = await lab.run('import', '--path', 'bundle', ...elsewhere);
    expect(again.stdout).toContain(`already here  signed by ${exported.key_id} (not known here)`);
    expect(again.stderr).toContain('who made the bundle is not proven');
    const own = await lab.run('import', '--path', 'bundle');
    expect(own.stdout).toContain(`signed by ${exported.key_id}\n`);
    expect(own.stderr).toBe('');
    expect((await lab.run('show', row.id, '--json', ...elsewhere)).json.value.session.counts).toEqual(row.counts);

    const log = join(lab.home, 'bundle', 'sessions', row.id, 'events.jsonl');
    const lines = (await readFile(log, 'utf8')).split('\n');
    lines[5] = lines[5]!.replace(/[a-z]{4}/, 'abcd');
    await writeFile(log, lines.join('\n'));
    const broken = await lab.run('verify', 'bundle', '--json');
    expect(broken).toMatchObject({
      code: 4,
      json: { error: { code: 'chain_broken', message: expect.stringContaining('Event 5 ') } },
    });
    expect(await lab.run('import', '--path', 'bundle', '--json')).toMatchObject({ code: 4 });
  });
});

describe('what the CLI leaves alone and makes private', () => {
  it('never changes a source, follows no link twice, and keeps its own files to the user', async () => {
    await symlink(join(lab.home, '.claude'), join(lab.home, '.claude', 'projects', 'loop'));
    const source = (await readdir(join(lab.home, '.claude'), { recursive: true })).find((name) =>
      name.endsWith('.jsonl'),
    )!;
    const before = await readFile(join(lab.home, '.claude', source));
    await ready();
    for (const row of await sessions()) await lab.run('handoff', row.id, '--to', 'codex', '--cwd', '.');
    expect(await readFile(join(lab.home, '.claude', source))).toEqual(before);
    const home = join(lab.home, '.sessionctl');
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(home))
      expect({ name, mode: (await stat(join(home, name))).mode & 0o777 }).toEqual({ name, mode: 0o600 });
    await chmod(home, 0o755);
    expect((await lab.run('doctor')).stdout).toContain(`chmod 700 ${home}`);
  });

  it('shows escape sequences of a session instead of obeying them', async () => {
    await ready();
    const [known] = await sessions();
    const evil = 'evil \u001b]52;c;x\u0007 text \u009b2J';
    const common = { sessionId: evil, cwd: `/home/${evil}`, version: evil, gitBranch: evil, isSidechain: false };
    const call = { type: 'tool_use', id: evil, name: evil, input: { command: evil, [evil]: evil } };
    const image = { type: 'image', source: { type: 'base64', media_type: evil, data: 'iVBORw0KGgo=' } };
    const result = { type: 'tool_result', tool_use_id: evil, content: [image], is_error: true };
    const lines = [
      { type: 'user', message: { role: 'user', content: [{ type: 'text', text: evil }, image] } },
      { type: 'assistant', message: { role: 'assistant', id: evil, model: evil, content: [call] } },
      { type: 'user', message: { role: 'user', content: [result] } },
      { type: evil, [evil]: evil },
    ].map((line, i) => ({
      ...common,
      uuid: `u${i}`,
      parentUuid: i === 0 ? null : `u${i - 1}`,
      timestamp: `2026-11-29T20:00:0${i}.000Z`,
      ...line,
    }));
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await writeFile(join(dirname(known.source), `${evil}.jsonl`), `${text}${evil}\n`);
    await lab.run('import');
    const row = (await sessions()).find((one: { native_id: string }) => one.native_id === evil);
    for (const args of [
      ['status'],
      ['import'],
      ['resume', row.id],
      ['compile', row.id, '--for', 'codex'],
      ['handoff', row.id, '--to', 'codex', '--dry-run'],
      ['export', row.id, '--agent', 'codex', '--out', `out ${evil}`],
      ['export', row.id, '--bundle', '--out', 'bundle'],
      ['receipts'],
      ['verify'],
      ['doctor'],
      ['verify', evil],
      ['show', evil.slice(5, 12)],
      ['list'],
      ['show', row.id],
      ['show', row.id, '--events'],
      ['show', row.id, '--json'],
      ['list', '--json'],
    ]) {
      const { stdout, stderr } = await lab.run(...args);
      expect(stdout + stderr, args.join(' ')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    }
    expect((await lab.run('show', row.id)).stdout).toContain('evil ␛]52;c;x␇ text <U+009B>2J');
  });
});
