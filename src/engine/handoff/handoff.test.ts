import { appendFile, chmod, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkReport } from '../../core/fidelity/report.ts';
import { unwrap } from '../../shared/errors.ts';
import { handoffPlanSchema, handoffResultSchema, SAGA_STEPS, type SagaProgress } from '../../shared/handoff.ts';
import { openEngine } from '../engine.ts';
import { type Lab, makeLab } from './testing.ts';

let lab: Lab;
beforeEach(async () => {
  lab = await makeLab();
});
afterEach(() => lab.close());

const input = (more: object = {}) => ({ session: lab.session.id, to: 'codex', cwd: lab.project, ...more });
const run = (operation_id: string, more: object = {}) =>
  lab.engine.call('handoff.execute', { ...input(more), operation_id });
const rollouts = async () => (await lab.files('.codex')).filter((name) => name.startsWith('sessions/'));

describe('preflight', () => {
  it('tells everything and has no effect anywhere', async () => {
    // a store that was just written folds its log into the file by and by; one that was only opened stays as it is
    await lab.engine.close();
    const engine = openEngine(lab.options);
    unwrap(await engine.call('sessions.list', {}));
    const before = [await lab.hash('.sessionctl'), await lab.hash('.claude'), await lab.files('.')];
    const plan = unwrap(await engine.call('handoff.preflight', input()));
    expect([await lab.hash('.sessionctl'), await lab.hash('.claude'), await lab.files('.')]).toEqual(before);
    await engine.close();
    expect(handoffPlanSchema.parse(plan)).toEqual(plan);
    checkReport(plan.fidelity);
    expect(plan).toMatchObject({
      ready: true,
      mode: 'native',
      from: 'claude',
      to: 'codex',
      target: { installed: false },
    });
    expect(plan.budget.used).toBeGreaterThan(500);
    expect(plan.files[0]).toContain(join(lab.home, '.codex', 'sessions'));
    expect(plan.command.text).toContain('codex resume');
  });

  it('refuses what cannot be done and says why', async () => {
    expect(unwrap(await lab.engine.call('handoff.preflight', { ...input(), cwd: 'relative/path' }))).toMatchObject({
      ready: false,
      refused: { code: 'unknown_cwd' },
    });
    expect(unwrap(await lab.engine.call('handoff.preflight', { ...input(), cwd: '/no/\0/path' }))).toMatchObject({
      ready: false,
      refused: { message: expect.stringContaining('--cwd') },
    });
    expect(await lab.engine.call('handoff.preflight', { ...input(), to: 'nobody' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    });
    expect(await lab.engine.call('handoff.preflight', { ...input(), session: 'sess_none' })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
  });
});

describe('execute', () => {
  it('writes one private session, tells each step, and records it in both logs and a receipt', async () => {
    const told: SagaProgress[] = [];
    lab.engine.subscribe((event) => void (event.topic === 'handoff' && told.push(event.progress)));
    const before = await lab.hash('.claude');
    const result = unwrap(await run('op-1', { note: 'Go on with the tests.' }));
    expect(handoffResultSchema.parse(result)).toEqual(result);
    expect(await lab.hash('.claude')).toBe(before);
    expect(told.filter(({ state }) => state === 'done').map(({ step }) => step)).toEqual([...SAGA_STEPS]);
    expect(await rollouts()).toHaveLength(1);
    expect((await stat(result.files[0]!)).mode & 0o777).toBe(0o600);
    expect((await readFile(result.files[0]!, 'utf8')).includes('Go on with the tests.')).toBe(true);

    const made = unwrap(await lab.engine.call('sessions.get', { id: result.native_id }));
    expect(made).toMatchObject({
      id: result.new_session,
      agent: 'codex',
      parent: lab.session.id,
      parent_kind: 'handoff',
      title: lab.session.title,
    });
    expect(made.counts.tool_call).toBe(lab.session.counts.tool_call);
    expect(unwrap(await lab.engine.call('events.get', { id: made.id, seq: 0 }))).toMatchObject({
      type: 'session.fork',
      payload: { from_session: lab.session.id },
    });
    const source = unwrap(await lab.engine.call('sessions.get', { id: lab.session.id }));
    expect(source.children).toEqual([made.id]);
    expect(unwrap(await lab.engine.call('events.get', { id: source.id, seq: source.events - 1 }))).toMatchObject({
      type: 'handoff',
      payload: { operation_id: 'op-1', to_session: made.id, note: 'Go on with the tests.', state: 'done' },
    });
    const receipt = unwrap(await lab.engine.call('receipts.get', { id: result.receipt }));
    expect(receipt).toMatchObject({
      action: 'handoff',
      session_id: lab.session.id,
      facts: { operation_id: 'op-1', new_session: made.id },
    });
    expect(receipt.subjects.map(({ name }) => name)).toEqual(['source', 'written']);
    expect(unwrap(await lab.engine.call('receipts.verify', { id: result.receipt })).ok).toBe(true);
    expect(unwrap(await lab.engine.local.verifyStore()).ok).toBe(true);
  });

  it('gives the first result to a second run of the same operation and refuses another request under its id', async () => {
    const [first, second] = await Promise.all([run('op-1'), run('op-1')]);
    const third = await run('op-1');
    expect(unwrap(first).replayed).toBe(false);
    for (const again of [second, third])
      expect(unwrap(again)).toEqual({ ...unwrap(first), replayed: true, warnings: unwrap(again).warnings });
    expect(await run('op-1', { note: 'other' })).toMatchObject({ ok: false, error: { code: 'operation_id_conflict' } });
    expect(await run('not an id!')).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    expect(await rollouts()).toHaveLength(1);
    expect(unwrap(await lab.engine.call('receipts.list', {})).total).toBe(1);
  });

  it('reads what the source has written since, before it writes', async () => {
    const text = await readFile(lab.session.source!, 'utf8');
    const tip = [...text.matchAll(/"uuid":"([0-9a-f-]+)"/g)].at(-1)![1];
    const line = JSON.stringify({
      type: 'user',
      uuid: '00000000-0000-4000-8000-000000000001',
      parentUuid: tip,
      sessionId: lab.session.native_id,
      timestamp: '2026-11-29T20:00:00.000Z',
      cwd: lab.project,
      version: '2.1.332',
      isSidechain: false,
      userType: 'external',
      message: { role: 'user', content: 'Said a moment ago' },
    });
    await appendFile(lab.session.source!, `${line}\n`);
    const result = unwrap(await run('op-1'));
    expect((await readFile(result.files[0]!, 'utf8')).includes('Said a moment ago')).toBe(true);
  });

  it('leaves nothing when the target cannot be written, and does it after that is mended', async () => {
    await mkdir(join(lab.home, '.codex', 'sessions'), { recursive: true });
    await rm(join(lab.home, '.codex', 'sessions'), { recursive: true });
    await appendFile(join(lab.home, '.codex', 'sessions'), 'in the way');
    const refused = await run('op-1');
    expect(refused).toMatchObject({ ok: false, error: { code: 'write_failed' } });
    expect(await lab.files('.codex')).toEqual(['sessions']);
    expect(unwrap(await lab.engine.call('receipts.list', {})).total).toBe(0);
    await rm(join(lab.home, '.codex', 'sessions'));
    expect(unwrap(await run('op-1')).replayed).toBe(false);
    expect(await rollouts()).toHaveLength(1);
    await chmod(join(lab.home, '.codex'), 0o700);
  });

  it('can be cancelled, and nothing is left', async () => {
    const abort = new AbortController();
    lab.engine.subscribe((event) => event.topic === 'handoff' && event.progress.step === 'write' && abort.abort());
    const result = await lab.engine.call('handoff.execute', { ...input(), operation_id: 'op-1' }, abort.signal);
    expect(result).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(await rollouts()).toEqual([]);
  });

  it('that is cancelled when its session is in place leaves an empty, hidden row, and can be done after all', async () => {
    const abort = new AbortController();
    lab.engine.subscribe((event) => event.topic === 'handoff' && event.progress.step === 'rename' && abort.abort());
    const input_ = { ...input(), operation_id: 'op-1' };
    expect(await lab.engine.call('handoff.execute', input_, abort.signal)).toMatchObject({
      error: { code: 'cancelled' },
    });
    expect(await rollouts()).toEqual([]);
    expect(unwrap(await lab.engine.call('sessions.list', { agent: 'codex' })).total).toBe(0);
    const { rows } = unwrap(await lab.engine.call('sessions.list', { agent: 'codex', empty: true }));
    expect(rows).toMatchObject([{ archived: true, counts: { user: 0, tool_call: 0 } }]);

    const { new_session } = unwrap(await run('op-1'));
    const row = unwrap(await lab.engine.call('sessions.get', { id: new_session }));
    expect(row).toMatchObject({ id: rows[0]!.id, archived: false, counts: lab.session.counts });
    expect(unwrap(await lab.engine.local.verifyStore()).ok).toBe(true);
  });

  it('says that the copy in the store was carried when the source cannot be read now', async () => {
    await rm(lab.session.source!);
    await mkdir(lab.session.source!);
    const { warnings } = unwrap(await run('op-1'));
    expect(warnings).toContainEqual(expect.objectContaining({ about: 'stale-copy', file: lab.session.source }));
  });

  it('goes on capturing what the target writes into the new session', async () => {
    const result = unwrap(await run('op-1'));
    const before = unwrap(await lab.engine.call('sessions.get', { id: result.new_session }));
    const timestamp = '2026-11-29T21:00:00.000Z';
    const message = 'Said in Codex';
    const lines = [
      {
        timestamp,
        type: 'event_msg',
        payload: { type: 'task_started', turn_id: '01a22773-96a5-7a69-861a-000000000001' },
      },
      {
        timestamp,
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: message }] },
      },
      { timestamp, type: 'event_msg', payload: { type: 'user_message', message, images: [] } },
    ];
    await appendFile(result.files[0]!, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    unwrap(await lab.engine.local.import({ path: result.files[0]! }));
    const after = unwrap(await lab.engine.call('sessions.get', { id: result.new_session }));
    expect(after.counts.user).toBe(before.counts.user + 1);
    expect(after).toMatchObject({ parent: lab.session.id, last_prompt: 'Said in Codex' });
  });
});

describe('undo', () => {
  it('removes the written session, keeps both logs, and hides the empty session', async () => {
    const result = unwrap(await run('op-1'));
    expect(unwrap(await lab.engine.call('handoff.undo', { operation_id: 'op-1' })).removed[0]).toBe(result.files[0]);
    expect(await rollouts()).toEqual([]);
    expect(unwrap(await lab.engine.call('sessions.list', { agent: 'codex' })).total).toBe(0);
    expect(unwrap(await lab.engine.call('sessions.list', { agent: 'codex', empty: true })).rows).toMatchObject([
      { id: result.new_session, archived: true },
    ]);
    expect(unwrap(await lab.engine.call('handoff.undo', { operation_id: 'op-1' })).removed).toEqual([]);
    expect(await run('op-1')).toMatchObject({ ok: false, error: { code: 'operation_id_conflict' } });
    expect(unwrap(await lab.engine.call('receipts.list', {})).rows.map(({ action }) => action)).toEqual([
      'handoff.undo',
      'handoff',
    ]);
    expect(unwrap(await lab.engine.local.verifyStore()).ok).toBe(true);
    unwrap(await run('op-2'));
    expect(await rollouts()).toHaveLength(1);
  });

  it('refuses when somebody has gone on with the session', async () => {
    const result = unwrap(await run('op-1'));
    await appendFile(
      result.files[0]!,
      '{"timestamp":"2026-11-29T21:00:00.000Z","type":"event_msg","payload":{"type":"x"}}\n',
    );
    expect(await lab.engine.call('handoff.undo', { operation_id: 'op-1' })).toMatchObject({
      ok: false,
      error: { code: 'target_exists' },
    });
    expect(await rollouts()).toHaveLength(1);
  });
});
