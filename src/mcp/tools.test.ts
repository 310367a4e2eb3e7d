import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fingerprint } from '../cli/testing/fingerprint.ts';
import type { CliLab } from '../cli/testing.ts';
import { Session } from '../sdk/session.ts';
import { Store } from '../sdk/store.ts';
import { type LocalServer, serveHere } from './testing/server.ts';
import { writeSession } from './testing/sessions.ts';
import { manySessions } from './testing/store.ts';

/** What tools do: find the session of a conversation, and hand over. */

let lab: CliLab;
let ids: Awaited<ReturnType<typeof manySessions>>['ids'];
const running: LocalServer[] = [];

beforeAll(async () => {
  ({ lab, ids } = await manySessions());
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.end();
});
afterAll(() => lab.close());

async function connect(client = 'codex-mcp-client'): Promise<LocalServer> {
  const server = await serveHere(lab);
  running.push(server);
  await server.greet(client);
  return server;
}

describe('the session of a conversation', () => {
  it('is asked for when nobody named it: newest first decides nothing', async () => {
    const server = await connect('opencode');
    for (const name of ['session_summary', 'session_handoff'])
      expect(await server.call(name, name === 'session_handoff' ? { to: 'codex' } : {})).toMatchObject({
        isError: true,
        structuredContent: { error: { code: 'selection_required' } },
      });
    expect((await server.call('session_current')).structuredContent).toMatchObject({
      state: 'selection_required',
      candidates: [],
    });
    const other = await connect('a-client-that-nobody-knows');
    const { candidates, total } = (await other.call('session_current')).structuredContent;
    expect([candidates.length, total]).toEqual([10, 63]);
  });

  it('is named by its whole id, and by no beginning of one', async () => {
    const server = await connect();
    const short = ids.long.slice(0, 14);
    for (const [name, args] of [
      ['session_current', { session: short }],
      ['session_continue', { prev_session: short }],
      ['session_handoff', { session: short, to: 'codex' }],
    ] as const)
      expect(await server.call(name, args)).toMatchObject({
        isError: true,
        structuredContent: { error: { code: 'selection_required', details: { candidates: [{ id: ids.long }] } } },
      });
    expect((await server.call('session_current')).structuredContent.state).toBe('selection_required');
    await server.call('session_current', { session: ids.long });
    expect((await server.call('session_current')).structuredContent).toMatchObject({
      state: 'bound',
      bound_by: 'argument',
    });
    expect((await server.call('session_summary')).structuredContent.session.id).toBe(ids.long);
    // another connection knows nothing of it
    expect((await (await connect()).call('session_current')).structuredContent.state).toBe('selection_required');
  });

  it('is not one that is only spoken of', async () => {
    const server = await connect();
    expect(
      await server.call('session_continue', { prev_session: 'sess_00000000000000000000', target: 'codex' }),
    ).toMatchObject({
      structuredContent: { error: { code: 'not_found' } },
    });
  });

  it('is told by Codex with each call; a thread that is not read is said to be none', async () => {
    const server = await connect('codex-mcp-client');
    const unknown = await server.call('session_current', {}, { threadId: '01a22a27-f92b-79c2-a590-a9263a34bb60' });
    expect(unknown).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'not_found', message: expect.stringContaining('sources enable codex') } },
    });
    // an id of another agent's session is not Codex' own
    const { native_id } = (await lab.run('list', 'script', '--json')).json.value.rows[0];
    expect((await server.call('session_current', {}, { threadId: native_id })).structuredContent.error.code).toBe(
      'not_found',
    );
  });

  it('is for Claude Code the one in whose log the very call stands, whatever its environment says', async () => {
    const native = await writeSession(lab.home, 900, (records) => {
      records.user('Which session is this?');
      records.call('msg_1', 'toolu_now', 'mcp__sessionctl__session_current', {});
    });
    lab.env.CLAUDE_CODE_SESSION_ID = 'of-before-clear';
    const server = await connect('claude-code');
    const { structuredContent } = await server.call('session_current', {}, { 'claudecode/toolUseId': 'toolu_now' });
    expect(structuredContent).toMatchObject({ state: 'bound', bound_by: 'client', session: { native_id: native } });
    const elsewhere = await server.call('session_current', {}, { 'claudecode/toolUseId': 'toolu_unwritten' });
    expect(elsewhere.structuredContent.state).toBe('selection_required');
  });
});

describe('a handoff', () => {
  it('is done only after it was planned, once, and as it was planned', async () => {
    const server = await connect();
    const before = await fingerprint(lab.home);
    const plan = await server.call('session_handoff', {
      session: ids.small,
      to: 'codex',
      note: 'Go on.',
      cwd: lab.home,
    });
    expect(plan.structuredContent).toMatchObject({ state: 'planned', to: 'codex', session: ids.small });
    const { operation_id } = plan.structuredContent;
    const written = [...(await fingerprint(lab.home))]
      .filter(([path, mark]) => before.get(path) !== mark)
      .map(([path]) => path);
    expect(written.filter((path) => path.startsWith(join(lab.home, '.codex')))).toEqual([]);
    for (const [args, path] of [
      [{ operation_id: 'mcp-00000000-0000-0000-0000-000000000000' }, 'operation_id'],
      [{ operation_id, to: 'claude' }, 'to'],
      [{ operation_id, note: 'Something else.' }, 'note'],
      [{ session: ids.small }, 'to'],
    ] as const)
      expect(await server.call('session_handoff', args)).toMatchObject({
        isError: true,
        structuredContent: { error: { code: 'invalid_request', details: { path } } },
      });
    const other = await connect();
    expect((await other.call('session_handoff', { operation_id })).isError).toBe(true);
    expect((await lab.run('receipts', '--json')).json.value.total).toBe(0);
    const done = (await server.call('session_handoff', { operation_id }, { progressToken: 'p1' })).structuredContent;
    expect(done).toMatchObject({ state: 'done', operation_id, replayed: false });
    expect(done.command.text).toContain(`codex resume ${done.native_id}`);
    const steps = server.messages
      .filter(({ method }) => method === 'notifications/progress')
      .map(({ params }) => params);
    expect(steps.length).toBeGreaterThan(3);
    expect(steps.every(({ progressToken }) => progressToken === 'p1')).toBe(true);
    expect(steps.map(({ progress }) => progress)).toEqual(
      steps.map(({ progress }) => progress).toSorted((a, b) => a - b),
    );
    expect((await server.call('session_handoff', { operation_id, to: 'codex' })).structuredContent).toMatchObject({
      replayed: true,
      new_session: done.new_session,
    });
    expect((await lab.run('receipts', '--json')).json.value).toMatchObject({
      total: 1,
      rows: [{ actor: 'agent:codex' }],
    });
    expect((await lab.run('handoff', '--undo', '--operation', operation_id)).code).toBe(0);
    const { rows } = (await lab.run('receipts', '--json')).json.value;
    // who takes it back on a terminal is a person
    expect(rows.map(({ action, actor }: Record<string, unknown>) => [action, actor])).toEqual([
      ['handoff.undo', 'user'],
      ['handoff', 'agent:codex'],
    ]);
  });

  it('carries what was said since the plan, and says that it did', async () => {
    const native = await writeSession(lab.home, 800, (records) => {
      records.user('Before the plan.');
      records.say('msg_1', 'Planned.');
    });
    await lab.run('import');
    const server = await connect();
    const { sessions } = (await server.call('session_list')).structuredContent;
    const session = sessions.find((row: { native_id?: string; title?: string }) =>
      JSON.stringify(row).includes('Before the plan'),
    )?.id;
    const plan = (await server.call('session_handoff', { session, to: 'pi', cwd: lab.home })).structuredContent;
    expect(plan).not.toHaveProperty('command');
    await writeSession(lab.home, 800, (records) => {
      records.user('Before the plan.');
      records.say('msg_1', 'Planned.');
      records.user('And after it.');
    });
    const done = (await server.call('session_handoff', { operation_id: plan.operation_id })).structuredContent;
    expect(done.events.total).toBeGreaterThan(plan.events.total);
    expect(done.warnings).toContainEqual(expect.stringMatching(/^since-plan: .*changed since the plan/));
    expect(native).toBeTruthy();
  });

  it('that is cancelled on its way is taken back or done, and can be finished with the same id', async () => {
    const server = await connect();
    const plan = await server.call('session_handoff', { session: ids.long, to: 'codex', cwd: lab.home });
    const { operation_id } = plan.structuredContent;
    const params = { name: 'session_handoff', arguments: { operation_id }, _meta: { progressToken: 'p2' } };
    server.send({ jsonrpc: '2.0', id: 'cancelled', method: 'tools/call', params });
    await server.until((message) => message.params?.progressToken === 'p2');
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'cancelled' } });
    // the same operation at work in this process has one end, for both calls
    const shared = await server.call('session_handoff', { operation_id });
    if (shared.isError) expect(shared.structuredContent.error.code).toBe('cancelled');
    const done = (await server.call('session_handoff', { operation_id })).structuredContent;
    expect(done).toMatchObject({ state: 'done' });
    expect(server.messages.some(({ id }) => id === 'cancelled')).toBe(false);
    const rows = (await lab.run('list', '--agent', 'codex', '--no-scan', '--json')).json.value.rows;
    expect(rows.map(({ id }: { id: string }) => id)).toEqual([done.new_session]);
    expect((await lab.run('verify', '--json')).json.ok).toBe(true);
  });

  it('that cannot be done gives no id to do it with', async () => {
    const server = await connect();
    const { structuredContent } = await server.call('session_handoff', {
      session: ids.small,
      to: 'codex',
      cwd: 'nowhere',
    });
    expect(structuredContent).toMatchObject({ state: 'refused', why: { code: 'unknown_cwd' } });
    expect(structuredContent.operation_id).toBeUndefined();
    expect(await server.call('session_handoff', { session: ids.small, to: 'cursor' })).toMatchObject({
      structuredContent: { error: { code: 'target_unsupported' } },
    });
  });
});

describe('a session in which nobody has spoken', () => {
  it('is summed up by its facts, not refused', async () => {
    await using store = await Store.local({ home: join(lab.home, '.sessionctl'), user_home: lab.home, env: lab.env });
    const { id } = await Session.create({ agent: 'my-agent' }, store);
    const server = await connect();
    const answer = await server.call('session_summary', { session: id });
    expect(answer.isError).not.toBe(true);
    expect(answer.structuredContent).toMatchObject({ session: { id }, tokens: 0, files_total: 0, parts: 1 });
    expect(answer.structuredContent.text).toContain('Nothing has been said');
  });
});
