import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliLab, cliLab } from '../cli/testing.ts';
import { type ServerProcess, startServer } from './testing/server.ts';

/** The real program in a process of its own, as agents start it. */

let lab: CliLab;
const running: ServerProcess[] = [];
beforeEach(async () => {
  lab = await cliLab(['tools', 'simple-qa']);
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.end();
  await lab.close();
});

async function ready(): Promise<void> {
  await lab.run('init', '--key-file');
  await lab.run('sources', 'enable', 'claude');
  // so that no call has to wait for it: how long one does is bounded
  await lab.run('import');
}

async function connect(client?: string): Promise<ServerProcess> {
  const server = startServer(lab);
  running.push(server);
  await server.greet(client);
  return server;
}

describe('sessionctl mcp', () => {
  it("serves the reference client: every tool's answer is what its schema says", async () => {
    await ready();
    const client = new Client({ name: 'claude-code', version: '1' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(import.meta.dirname, '..', 'cli', 'main.ts'), 'mcp'],
      env: lab.env as Record<string, string>,
      cwd: lab.home,
    });
    await client.connect(transport);
    expect(client.getServerVersion()).toMatchObject({ name: 'sessionctl' });
    expect(client.getInstructions()).toContain('data');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'session_current',
      'session_list',
      'session_summary',
      'session_continue',
      'session_search',
      'session_handoff',
      'context_compile',
    ]);
    const listed = await client.callTool({ name: 'session_list', arguments: {} });
    const [{ id }] = (listed.structuredContent as { sessions: [{ id: string }] }).sessions;
    const calls: [string, object][] = [
      ['session_current', {}],
      ['session_current', { session: id }],
      ['session_summary', {}],
      ['session_continue', { prev_session: id }],
      ['session_search', { query: 'parse_amount' }],
      ['context_compile', { session: id, for: 'codex' }],
      ['session_handoff', { to: 'codex' }],
      // refused, each with a code: the client checks those against the schema too
      ['session_handoff', { operation_id: 'mcp-made-up' }],
      ['session_summary', { session: 'nothing' }],
    ];
    for (const [name, args] of calls) {
      const answer = await client.callTool({ name, arguments: args as Record<string, unknown> });
      expect([name, typeof answer.structuredContent]).toEqual([name, 'object']);
    }
    const { resources } = await client.listResources();
    expect(resources).toHaveLength(2);
    const read = await client.readResource({ uri: resources[0]!.uri });
    expect(read.contents[0]).toMatchObject({ uri: resources[0]!.uri, mimeType: 'text/plain' });
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2);
    await client.close();
    // each call reads what is new
  }, 180_000);

  it('ends with exit code 0 when its client goes away, also in the middle of a call', async () => {
    await ready();
    const idle = await connect();
    expect(await idle.end()).toBe(0);
    const busy = await connect();
    busy.send({ jsonrpc: '2.0', id: 77, method: 'tools/call', params: { name: 'session_list', arguments: {} } });
    expect(await busy.end()).toBe(0);
    expect([idle.stderr(), busy.stderr()]).toEqual(['', '']);
    expect((await lab.run('list', '--json')).json.value.total).toBe(2);
  });

  it('takes a handoff back, or ends it, when its client goes away in the middle', async () => {
    await ready();
    const server = await connect();
    const [{ id }] = (await server.call('session_list')).structuredContent.sessions;
    const plan = await server.call('session_handoff', { session: id, to: 'codex', cwd: lab.home });
    const { operation_id } = plan.structuredContent;
    const params = { name: 'session_handoff', arguments: { operation_id }, _meta: { progressToken: 1 } };
    server.send({ jsonrpc: '2.0', id: 'last', method: 'tools/call', params });
    await server.until(({ method }) => method === 'notifications/progress');
    expect(await server.end()).toBe(0);
    const written = await readdir(join(lab.home, '.codex'), { recursive: true }).catch(() => []);
    const { total } = (await lab.run('receipts', '--json')).json.value;
    expect(written.filter((name) => name.endsWith('.jsonl') && name.includes('rollout'))).toHaveLength(total);
    expect(written.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('serves two clients at once, which hand over at the same time', async () => {
    await ready();
    const [one, two] = await Promise.all([connect('claude-code'), connect('opencode')]);
    const lists = await Promise.all([one.call('session_list'), two.call('session_list')]);
    expect(lists.map((list) => list.structuredContent.total)).toEqual([2, 2]);
    const ids = lists[0].structuredContent.sessions.map(({ id }: { id: string }) => id);
    const hand = async (server: ServerProcess, session: string) => {
      const plan = await server.call('session_handoff', { session, to: 'codex', cwd: lab.home });
      const { operation_id } = plan.structuredContent;
      return (await server.call('session_handoff', { operation_id })).structuredContent;
    };
    const done = await Promise.all([hand(one, ids[0]), hand(two, ids[1]), hand(two, ids[0])]);
    expect(done.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
    expect(new Set(done.map(({ new_session }) => new_session)).size).toBe(3);
    expect((await lab.run('verify', '--json')).json.ok).toBe(true);
  });
});
