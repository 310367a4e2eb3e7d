import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliLab, readLab } from './testing.ts';

let lab: CliLab;
let id: string;
beforeAll(async () => {
  ({ lab, id } = await readLab());
});
afterAll(() => lab.close());

const compile = (...more: string[]) => lab.run('compile', id, '--for', 'codex', ...more);

describe('sessionctl compile', () => {
  it('names the hash and the command that gives the same bytes again', async () => {
    const first = await compile();
    expect(first.code).toBe(0);
    const command = /Reproduce: sessionctl (compile .*)/.exec(first.stderr)?.[1];
    expect(command).toBeDefined();
    const again = await lab.run(...command!.trim().split(' '));
    expect(again.stdout).toBe(first.stdout);
    expect(/sha256 ([0-9a-f]{64})/.exec(again.stderr)?.[1]).toBe(/sha256 ([0-9a-f]{64})/.exec(first.stderr)?.[1]);
    expect((await compile('--json')).json.value).toMatchObject({ reproduce: `sessionctl ${command!.trim()}` });
  });

  it.each([
    [['--budget', '0'], 2, 'invalid_request'],
    [['--budget', '-1'], 2, 'invalid_request'],
    [['--budget', '999999999'], 2, 'invalid_request'],
    [['--reserve', '999999999'], 2, 'invalid_request'],
    [['--factor', '0'], 2, 'invalid_request'],
    [['--at', '99999'], 2, 'invalid_request'],
    [['--since', 'sess_none'], 1, 'not_found'],
    [['--model', 'small'], 2, 'invalid_request'],
    [['--summariser', 'http://127.0.0.1:1/v1'], 2, 'invalid_request'],
    [['--summariser', 'http://192.0.2.1/v1', '--model', 'm'], 2, 'invalid_request'],
    [['--summariser', 'http://127.0.0.1:1/v1', '--model', 'm', '--summariser-key', 'NOT_SET'], 2, 'invalid_request'],
    [['--workspace', '/no/such/folder'], 1, 'unknown_cwd'],
    [['--budget', '40', '--out', 'never.md'], 1, 'p0_over_budget'],
  ])('refuses what cannot be: %j', async (options, code, error) => {
    const ran = await compile(...options, '--json');
    expect([ran.code, ran.json.error.code]).toEqual([code, error]);
    await expect(readFile(join(lab.home, 'never.md'))).rejects.toThrow();
  });

  it('tells what the folder says only when it is asked to', async () => {
    expect((await compile()).stdout).not.toContain('The folder now');
    const asked = await compile('--workspace', lab.home, '--json');
    expect(asked.json.value.workspace).toMatchObject({ folder: lab.home });
    expect(asked.json.value.text).toContain('no git status: git was not found');
    expect(asked.json.value.reproduce).toBeUndefined();
  });

  it('tells what a session of the target does not know yet', async () => {
    const none = await compile('--since', id, '--json');
    expect(none.json.error).toMatchObject({ code: 'invalid_request' });
    const done = (await lab.run('handoff', id, '--to', 'codex', '--cwd', lab.home, '--json')).json.value;
    expect((await compile('--since', done.new_session, '--json')).json.error.code).toBe('no_conversation');
    const plan = await lab.run('handoff', id, '--to', 'codex', '--cwd', lab.home, '--mode', 'delta', '--dry-run');
    expect(plan.stdout).toContain('delta');
    expect(plan.stdout).toContain('Nothing is new since Codex last knew it');
  });

  it('asks a model that is named, says what it did, and does without when it fails', async () => {
    let key: string | undefined;
    let answer: unknown = [];
    const server = createServer((request, response) => {
      key = request.headers.authorization;
      response.end(JSON.stringify({ choices: [{ message: { content: JSON.stringify(answer) } }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const asked = ['--summariser', url, '--model', 'small', '--summariser-key', 'THE_KEY'];
    lab.env.THE_KEY = 'abc';
    const failed = await compile(...asked);
    expect(failed.stderr).toContain('The model small was not used: none of its conclusions has evidence');
    expect(failed.stdout).toContain('No model added anything.');
    expect(key).toBe('Bearer abc');
    const { items } = (await compile('--json')).json.value as { items: { kind: string; provenance: number[] }[] };
    const passage = items.find(({ kind }) => kind === 'reply')!;
    answer = [
      { conclusion: 'The work is done.', evidence: [passage.provenance[0]] },
      { conclusion: 'Made up.', evidence: [] },
    ];
    const made = await compile(...asked);
    expect(made.stdout).toContain('- The work is done. [e');
    expect(made.stdout).toContain('The model small wrote the conclusions');
    expect(made.stderr).toContain('refused for want of evidence: 1');
    expect(made.stderr).not.toContain('Reproduce:');
    await new Promise((resolve) => server.close(resolve));
  });

  it('never replaces a file', async () => {
    await writeFile(join(lab.home, 'mine.md'), 'mine');
    expect((await compile('--out', 'mine.md')).code).toBe(1);
    expect(await readFile(join(lab.home, 'mine.md'), 'utf8')).toBe('mine');
  });
});
