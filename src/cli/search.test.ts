import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliLab, cliLab } from './testing.ts';

let lab: CliLab;
beforeAll(async () => {
  lab = await cliLab(['tools', 'subagent', 'fork']);
  await lab.run('init', '--key-file');
  await lab.run('sources', 'enable', 'claude');
});
afterAll(() => lab.close());

describe('sessionctl search', () => {
  it('shows hits by session, with the text around them', async () => {
    const { code, stdout } = await lab.run('search', 'underscores', 'in:prompt');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^1 hit in 1 session\n\nThe thousands test fails/);
    expect(stdout).toContain(
      '#3 prompt  The thousands test fails. Please fix parse_amount and add a test for underscores.',
    );
    expect(stdout).toContain('sessionctl show <session> --seq <number>');
    const shown = /sess_\w+/.exec(stdout)?.[0] as string;
    expect((await lab.run('show', shown, '--seq', '3')).stdout).toContain('add a test for underscores');
  });

  it('marks what matches on a terminal, and tells how far the index is', async () => {
    const { stdout } = await lab.type([], 'search', '--no-pager', 'underscores');
    expect(stdout).toContain('\u001b[33munderscores\u001b[39m');
    await lab.run('import');
  });

  it('gives programs what the engine answers', async () => {
    const { json, code } = await lab.run(
      'search',
      'parse_amount',
      '--in',
      'tool',
      '--in',
      'prompt',
      '--json',
      '--limit',
      '1',
    );
    expect(code).toBe(0);
    expect(json.value).toMatchObject({ next: null, notes: [], index: { complete: true } });
    const [{ session, hits }] = json.value.sessions;
    expect(session.agent).toBe('claude');
    for (const { kind, text, matches } of hits) {
      expect(['tool', 'prompt']).toContain(kind);
      for (const [from, to] of matches) expect(text.slice(from, to)).toMatch(/parse_?amount/i);
    }
  });

  it('says whose sub-agent it was', async () => {
    const { stdout } = await lab.run('search', '"retry call"', 'exponential');
    const all = stdout + (await lab.run('search', 'exponential', 'in:prompt')).stdout;
    expect(all).toMatch(/sub-agent of sess_\w{8} Survey our HTTP retry code/);
  });

  it('finds what a fork copied once', async () => {
    const { json } = await lab.run('search', '"date library" in:prompt', '--json');
    expect(json.value.total).toEqual({ sessions: 1, hits: 1, exact: true });
  });

  it('says clearly that nothing was found, and that is no failure', async () => {
    expect(await lab.run('search', 'xyzzyplugh')).toMatchObject({ code: 0, stdout: 'Nothing was found.\n' });
    const { json } = await lab.run('search', 'xyzzyplugh', '--json');
    expect(json.value).toMatchObject({ sessions: [], total: { sessions: 0, hits: 0, exact: true } });
  });

  it('remarks on what it did not understand, and refuses what cannot be', async () => {
    expect((await lab.run('search', 'in:nowhere', 'test')).stderr).toContain('in: knows');
    expect(await lab.run('search', 'x', '--agent', 'nobody')).toMatchObject({ code: 2 });
    expect(await lab.run('search', 'x', '--in', 'nowhere')).toMatchObject({ code: 2 });
    expect(await lab.run('search', 'x', '--session', 'ffffffff')).toMatchObject({ code: 1 });
  });

  it('searches one session in its order, without a new scan', async () => {
    const { json } = await lab.run('search', 'parse_amount', '--json', '--hits', '1');
    const { id } = json.value.sessions[0].session;
    const one = await lab.run('search', 'parse_amount', '--session', id, '--no-scan', '--json');
    const seqs = one.json.value.sessions[0].hits.map(({ seq }: { seq: number }) => seq);
    expect(seqs.length).toBeGreaterThan(1);
    expect(seqs).toEqual(seqs.toSorted((a: number, b: number) => a - b));
  });
});
