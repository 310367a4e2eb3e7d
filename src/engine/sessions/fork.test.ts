import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwrap } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import { receiptSchema } from '../../shared/handoff.ts';
import { sessionRowSchema } from '../../shared/session.ts';
import { type Lab, layLongSession, makeLab } from '../handoff/testing.ts';
import { gather } from '../store/testing/temp-store.ts';

let lab: Lab;
beforeEach(async () => {
  lab = await makeLab(['tools']);
});
afterEach(() => lab.close());

async function eventsOf(id: string): Promise<SessionEvent[]> {
  const { events } = unwrap(await lab.engine.local.events(id));
  return await gather(events);
}

async function fork(id: string, at_seq: number, more: { reason?: string; operation_id?: string } = {}) {
  return unwrap(await lab.engine.call('sessions.fork', { id, at_seq, ...more }));
}

/** Which events, in which order. */
const sumsOf = (events: SessionEvent[]): string[] => events.map(({ checksum }) => checksum);

/** Number of the last event of a type. */
const last = (events: SessionEvent[], type: string): number => events.findLast((event) => event.type === type)!.seq;

describe('a fork', () => {
  it('is listed, found, and shown with what was said before', async () => {
    const before = await eventsOf(lab.session.id);
    const at = before.find(({ type }) => type === 'message.assistant')!.seq;
    const { session, receipt, from_session, from_seq, replayed } = await fork(lab.session.id, at, {
      reason: 'try again',
    });
    expect(sessionRowSchema.parse(session)).toMatchObject({
      agent: 'claude',
      parent: lab.session.id,
      parent_kind: 'fork',
      cwd: lab.session.cwd,
      first_prompt: lab.session.first_prompt,
      copied: at + 1,
      usage: { input: 0, output: 0 },
    });
    expect({ from_session, from_seq, replayed }).toEqual({
      from_session: lab.session.id,
      from_seq: at,
      replayed: false,
    });
    const { rows } = unwrap(await lab.engine.call('sessions.list', {}));
    expect(rows.map(({ id }) => id)).toContain(session.id);
    const { page } = unwrap(await lab.engine.call('transcript.open', { id: session.id }));
    const [rule] = page.rows.slice(-1);
    expect(rule).toMatchObject({ kind: 'rule', rule: 'fork', session: lab.session.id });
    expect(JSON.stringify(rule)).toContain('try again');
    expect(page.rows.filter(({ copied }) => copied).length).toBe(page.total - 1);
    expect(await eventsOf(session.id)).toHaveLength(at + 2);
    expect(receiptSchema.parse(unwrap(await lab.engine.call('receipts.get', { id: receipt })))).toMatchObject({
      action: 'fork',
      facts: { fork: session.id, reason: 'try again' },
    });
    expect(unwrap(await lab.engine.call('receipts.verify', { id: receipt }))).toMatchObject({ ok: true });
    expect(unwrap(await lab.engine.call('verify.session', { id: session.id }))).toMatchObject({ ok: true });
    expect(unwrap(await lab.engine.call('sessions.lineage', { id: session.id })).map(({ id }) => id)).toEqual([
      lab.session.id,
      session.id,
    ]);
  });

  it('leaves the session and the agent’s files as they were', async () => {
    const [files, row] = [await lab.hash('.claude'), lab.session];
    await fork(row.id, 5);
    expect(await lab.hash('.claude')).toBe(files);
    const after = unwrap(await lab.engine.call('sessions.get', { id: row.id }));
    expect({ ...after, children: [], kin: {} }).toEqual({ ...row, children: [], kin: {} });
    expect(after.kin).toEqual({ fork: 1 });
  });

  it('of an event that is not there is refused, naming those that are', async () => {
    const result = await lab.engine.call('sessions.fork', { id: lab.session.id, at_seq: lab.session.events });
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', details: { seq: lab.session.events, last: lab.session.events - 1 } },
    });
    expect(unwrap(await lab.engine.call('sessions.list', {})).total).toBe(1);
  });

  it('is made once for an operation, and never for another request under its id', async () => {
    const first = await fork(lab.session.id, 4, { operation_id: 'op' });
    const second = await fork(lab.session.id, 4, { operation_id: 'op' });
    expect(second).toEqual({ ...first, replayed: true });
    const other = await lab.engine.call('sessions.fork', { id: lab.session.id, at_seq: 5, operation_id: 'op' });
    expect(other).toMatchObject({ ok: false, error: { code: 'operation_id_conflict' } });
    const both = await Promise.all([1, 2].map(() => fork(lab.session.id, 6, { operation_id: 'at once' })));
    expect(both[0]!.session.id).toBe(both[1]!.session.id);
    expect(unwrap(await lab.engine.call('sessions.list', {})).total).toBe(3);
  });

  it('can be forked, before and behind the place where it began', async () => {
    const events = await eventsOf(lab.session.id);
    const at = last(events, 'message.assistant');
    const { session } = await fork(lab.session.id, at);
    const said = { type: 'message.user', payload: { content: 'go on here' } };
    const { seqs } = unwrap(await lab.engine.local.append(session.id, [said]));
    const behind = await fork(session.id, seqs[0]!);
    const before = await fork(session.id, 3);
    expect(sumsOf(await eventsOf(behind.session.id)).slice(0, -1)).toEqual(sumsOf(await eventsOf(session.id)));
    expect(sumsOf(await eventsOf(before.session.id)).slice(0, 4)).toEqual(sumsOf(events).slice(0, 4));
    expect([behind.session.parent, before.session.parent]).toEqual([session.id, session.id]);
    for (const { session: one } of [behind, before])
      expect(unwrap(await lab.engine.call('verify.session', { id: one.id }))).toMatchObject({ ok: true });
    expect(unwrap(await lab.engine.local.verifyStore())).toMatchObject({ ok: true });
  });

  it('goes on by itself: its prompts follow the end of what it goes on from', async () => {
    const { session } = await fork(lab.session.id, lab.session.events - 1);
    const said = [
      { type: 'message.user', payload: { content: 'And in French?' } },
      { type: 'message.assistant', payload: { content: 'Oui.' } },
    ];
    unwrap(await lab.engine.local.append(session.id, said));
    const after = unwrap(await lab.engine.call('sessions.get', { id: session.id }));
    expect(after).toMatchObject({
      branches: lab.session.branches,
      last_prompt: 'And in French?',
      counts: { user: lab.session.counts.user + 1, assistant: lab.session.counts.assistant + 1 },
    });
    const events = unwrap(await lab.engine.local.events(session.id)).events;
    const own = (await gather(events)).slice(-2);
    expect(own.map(({ active, in_model }) => [active, in_model])).toEqual([
      [true, true],
      [true, true],
    ]);
  });

  it('compiles and is handed over with all of it', async () => {
    const { session } = await fork(lab.session.id, lab.session.events - 1);
    unwrap(
      await lab.engine.local.append(session.id, [
        { type: 'message.user', payload: { content: 'Never touch the vendor folder.' } },
      ]),
    );
    const page = unwrap(await lab.engine.call('compile.run', { session: session.id, for: 'codex' }));
    expect(page.text).toContain('Never touch the vendor folder.');
    expect(page.text).toContain('parse_amount');
    for (const to of ['codex', 'claude'] as const) {
      const input = { session: session.id, to, cwd: lab.project, operation_id: `to-${to}` };
      const done = unwrap(await lab.engine.call('handoff.execute', input));
      const text = await readFile(done.files[0]!, 'utf8');
      expect(text).toContain('Never touch the vendor folder.');
      expect(text).toContain('parse_amount');
      expect(done.fidelity.events).toMatchObject({ total: done.fidelity.events.arriving });
    }
  });

  it('is not resumed by an agent, which has no file of it', async () => {
    const { session } = await fork(lab.session.id, 4);
    expect(await lab.engine.call('resume.command', { id: session.id })).toMatchObject({
      ok: false,
      error: { code: 'target_unsupported', message: expect.stringContaining('handoff') },
    });
  });

  it('takes no secret in its reason', async () => {
    const secret = ['ghp', '_', 'Zk3v9QmX7LpR2sT8wY4bN6cD1fG5hJ0aVeUx'].join('');
    const { session } = await fork(lab.session.id, 4, { reason: `with ${secret}` });
    const said = JSON.stringify([await eventsOf(session.id), unwrap(await lab.engine.call('receipts.list', {}))]);
    expect(said).not.toContain(secret);
    expect(said).toContain('with [REDACTED:github-token:');
  });

  it('travels as a bundle: whole where the other session is, with a link where it is not', async () => {
    const { session } = await fork(lab.session.id, 7);
    unwrap(await lab.engine.local.append(session.id, [{ type: 'message.user', payload: { content: 'one more' } }]));
    const folder = await mkdtemp(join(lab.home, 'bundles-'));
    const [parent, child] = [join(folder, 'parent'), join(folder, 'child')];
    const { public_key } = unwrap(await lab.engine.local.exportBundle(lab.session.id, parent));
    unwrap(await lab.engine.local.exportBundle(session.id, child));
    expect(unwrap(await lab.engine.local.verifyBundle(child, public_key)).sessions[0]?.verdict).toMatchObject({
      ok: true,
    });
    const whole = await eventsOf(session.id);
    expect(unwrap(await lab.engine.local.importBundle(child)).sessions[0]).toMatchObject({ added: false });

    const [alone, both] = [await makeLab(['simple-qa']), await makeLab(['simple-qa'])];
    try {
      unwrap(await alone.engine.local.importBundle(child));
      expect(unwrap(await alone.engine.call('sessions.get', { id: session.id }))).toMatchObject({
        events: whole.length - 8,
        parent: lab.session.id,
      });
      for (const path of [parent, child]) unwrap(await both.engine.local.importBundle(path));
      const { events } = unwrap(await both.engine.local.events(session.id));
      expect(await gather(events)).toEqual(whole);
      expect(unwrap(await both.engine.call('verify.session', { id: session.id }))).toMatchObject({ ok: true });
    } finally {
      await alone.close();
      await both.close();
      await rm(folder, { recursive: true });
    }
  });
});

describe('a checkpoint', () => {
  it('is one event and a manifest signed at it, once for an operation', async () => {
    const input = { id: lab.session.id, label: 'before the refactoring', operation_id: 'op' };
    const made = unwrap(await lab.engine.call('sessions.checkpoint', input));
    expect(made).toMatchObject({ session: lab.session.id, seq: lab.session.events, replayed: false });
    expect(unwrap(await lab.engine.call('events.get', { id: lab.session.id, seq: made.seq }))).toMatchObject({
      type: 'checkpoint',
      actor: 'user',
      payload: { label: 'before the refactoring', artifacts: [] },
      checksum: made.checksum,
    });
    const manifest = unwrap(await lab.engine.local.signManifest(lab.session.id));
    expect(manifest).toMatchObject({ head: made.checksum, last_seq: made.seq });
    expect(unwrap(await lab.engine.call('sessions.checkpoint', input))).toEqual({ ...made, replayed: true });
    expect(unwrap(await lab.engine.call('sessions.get', { id: lab.session.id })).events).toBe(made.seq + 1);
  });
});

describe('a captured session that we added to', () => {
  it('is gone on with by later captures, and its conversation is the agent’s alone', async () => {
    await lab.close();
    lab = await makeLab(['simple-qa']);
    const id = await layLongSession(lab.home, 3);
    unwrap(await lab.engine.local.import({ agent: 'claude' }));
    const row = unwrap(await lab.engine.call('sessions.get', { id }));
    unwrap(await lab.engine.call('sessions.checkpoint', { id, label: 'here' }));
    const { session: forked } = await fork(row.id, row.events - 1);
    const notes = [{ type: 'decision', payload: { conclusion: 'Keep Redis' } }];
    unwrap(await lab.engine.local.append(row.id, notes));
    await layMore(row.source!);
    const summary = unwrap(await lab.engine.local.import({ agent: 'claude' }));
    expect(summary.warnings).toEqual([]);
    const after = unwrap(await lab.engine.call('sessions.get', { id: row.id }));
    expect(after).toMatchObject({
      events: row.events + 4,
      counts: { ...row.counts, user: row.counts.user + 1, assistant: row.counts.assistant + 1 },
      branches: 1,
      warnings: [],
    });
    const events = await eventsOf(row.id);
    expect(events.slice(row.events).map(({ type }) => type)).toEqual([
      'checkpoint',
      'decision',
      'message.user',
      'message.assistant',
    ]);
    expect(unwrap(await lab.engine.local.import({ agent: 'claude' })).events).toBe(0);
    expect(unwrap(await lab.engine.call('verify.session', { id: row.id }))).toMatchObject({ ok: true });
    expect(unwrap(await lab.engine.call('sessions.get', { id: forked.id }))).toMatchObject({ events: row.events + 1 });
  });
});

/** One more turn at the end of `layLongSession`'s file. */
async function layMore(path: string): Promise<void> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const [user, assistant] = lines.slice(-2).map((line) => JSON.parse(line));
  const more = [
    { ...user, uuid: `${user.uuid.slice(0, -4)}aaaa`, parentUuid: assistant.uuid },
    {
      ...assistant,
      uuid: `${user.uuid.slice(0, -4)}bbbb`,
      parentUuid: `${user.uuid.slice(0, -4)}aaaa`,
      message: { ...assistant.message, id: 'msg_more' },
    },
  ];
  await appendFile(path, more.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
