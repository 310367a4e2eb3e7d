import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprint } from '../cli/testing/fingerprint.ts';
import { type CliLab, cliLab } from '../cli/testing.ts';
import type { ConnectionOptions } from './connection.ts';
import { type LocalServer, serveHere } from './testing/server.ts';
import { writeSession } from './testing/sessions.ts';

let lab: CliLab;
const running: LocalServer[] = [];
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
}

async function connect(client?: string, options: Partial<ConnectionOptions> = {}): Promise<LocalServer> {
  const server = await serveHere(lab, options);
  running.push(server);
  await server.greet(client);
  return server;
}

describe('a connection', () => {
  it('goes on after messages that are none', async () => {
    await ready();
    const server = await connect();
    for (const line of [
      '',
      'no json',
      '{"jsonrpc":"1.0","id":1}',
      '[]',
      'null',
      '{"jsonrpc":"2.0","id":{},"method":3}',
    ])
      server.send(line);
    expect((await server.ask('no/such/method')).error).toMatchObject({ code: -32601 });
    expect((await server.ask('tools/call', { name: 'no_such_tool' })).error).toMatchObject({ code: -32602 });
    expect((await server.ask('tools/call', { name: 7 })).error).toBeDefined();
    expect((await server.ask('resources/read', { uri: 'file:///etc/passwd' })).error).toMatchObject({ code: -32602 });
    expect(await server.call('session_list', { offset: 'x' })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'invalid_request', message: expect.stringContaining('offset') } },
    });
    expect(await server.call('session_list', { no_such_argument: 1 })).toMatchObject({ isError: true });
    expect((await server.call('session_list')).structuredContent.total).toBe(2);
  });

  it('ends when a message is longer than any can be', async () => {
    const server = await connect();
    server.send('x'.repeat(11 * 1024 * 1024));
    await server.end();
    expect(server.reports).toContainEqual(expect.stringContaining('maximum size'));
  });

  it('tells what to do when there is no store, and works as soon as there is one', async () => {
    const server = await connect();
    for (const name of ['session_list', 'session_current', 'session_summary'])
      expect(await server.call(name, name === 'session_summary' ? { session: 'x' } : {})).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('sessionctl init') }],
        structuredContent: { error: { code: 'store_uninitialised' } },
      });
    // Gemini CLI drops the tools of a server whose list of resources fails
    expect((await server.ask('resources/list')).result).toEqual({ resources: [] });
    await ready();
    expect((await server.call('session_list')).structuredContent.total).toBe(2);
  });

  it('tells how to open a store that is locked, and never asks', async () => {
    lab.env.SESSIONCTL_PASSPHRASE = ['correct', 'horse'].join(' ');
    await lab.run('init', '--passphrase');
    delete lab.env.SESSIONCTL_PASSPHRASE;
    const server = await connect();
    expect(await server.call('session_list')).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'key_locked', message: expect.stringContaining('SESSIONCTL_PASSPHRASE') } },
    });
  });

  it('reads sessions and changes no file of an agent', async () => {
    await ready();
    const before = await fingerprint(join(lab.home, '.claude'));
    const server = await connect();
    const [{ id }] = (await server.call('session_list')).structuredContent.sessions;
    await server.call('session_continue', { prev_session: id, target: 'codex' });
    await server.call('session_handoff', { session: id, to: 'codex' });
    expect(await fingerprint(join(lab.home, '.claude'))).toEqual(before);
    expect((await lab.run('receipts', '--json')).json.value.total).toBe(0);
  });

  it('shows a session as it is now, with whatever it is asked for', async () => {
    await ready();
    const grown = (prompts: number) =>
      writeSession(lab.home, 1, (records) => {
        for (let n = 1; n <= prompts; n++) {
          records.user(`Plant tree ${n}.`);
          records.say(`msg_${n}`, 'Planted.');
        }
      });
    const native = await grown(1);
    const server = await connect('codex-mcp-client');
    const { id } = (await server.call('session_list', { text: 'Plant' })).structuredContent.sessions[0];
    const asked = [
      () => server.call('session_summary', { session: native }),
      () => server.call('session_continue', { prev_session: id }),
      () => server.call('context_compile', { session: id, for: 'claude' }),
      () => server.call('session_current', { session: id }),
      () => server.call('session_summary'),
      async () => (await server.ask('resources/read', { uri: `sessionctl://session/${id}` })).result,
      async () => (await server.ask('resources/read', { uri: `sessionctl://context/${id}/codex` })).result,
    ];
    for (const [at, ask] of asked.entries()) {
      await grown(at + 2);
      const answer = JSON.stringify(await ask());
      if (answer.includes('bound_by')) expect(answer).toContain(`"prompts":${at + 2}`);
      else expect(answer).toContain(`Plant tree ${at + 2}.`);
    }
  });

  it('says what it has not read yet instead of what may not be so, and does not wait for that many times', async () => {
    await ready();
    const server = await connect('claude-code', { scanWaitMs: 0 });
    const current = await server.call('session_current', {}, { 'claudecode/toolUseId': 'toolu_now' });
    expect(current.structuredContent).toMatchObject({
      state: 'selection_required',
      note: expect.stringContaining('still being read'),
    });
    expect(current.content[0].text).toContain('still being read');
    expect(JSON.stringify(current)).not.toContain('have to allow it');
    const plan = await server.call('session_handoff', { session: 'nothing', to: 'codex' });
    expect(plan.structuredContent.error.message).toContain('still being read');
    const read = await server.ask('resources/read', { uri: 'sessionctl://session/nothing' });
    expect(read.error?.message).toContain('still being read');
  });

  it('stays bound to the session that it was started for', async () => {
    await ready();
    const native = await writeSession(lab.home, 1, (records) => records.user('Plant the trees.'));
    const server = await connect('opencode', { session: native });
    expect((await server.call('session_current')).structuredContent).toMatchObject({
      state: 'bound',
      bound_by: 'environment',
      session: { native_id: native, title: 'Plant the trees.' },
    });
  });
});
