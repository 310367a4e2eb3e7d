import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { width } from '../core/safe-text.ts';
import { type CliLab, cliLab } from './testing.ts';

let lab: CliLab;
/** the session that edits files */
let id: string;
beforeAll(async () => {
  lab = await cliLab(['tools', 'simple-qa']);
  await mkdir(join(lab.home, 'bin'));
  for (const [name, version] of [
    ['codex', 'codex-cli 0.171.0'],
    ['pi', '1.6.0'],
  ]) {
    await writeFile(join(lab.home, 'bin', name!), `#!/bin/sh\necho ${version}\n`);
    await chmod(join(lab.home, 'bin', name!), 0o755);
  }
  lab.env.PATH = `${join(lab.home, 'bin')}:/usr/bin:/bin`;
  await lab.run('init', '--key-file');
  await lab.run('sources', 'enable', 'claude');
  const { rows } = (await lab.run('list', '--json')).json.value;
  id = rows.find((row: { counts: { tool_call: number } }) => row.counts.tool_call > 0).id;
});
beforeEach(() => {
  lab.env.PAGER = '';
  lab.columns = 100;
});
afterAll(() => lab.close());

const file = (name: string): Promise<string> => readFile(join(lab.home, name), 'utf8');

describe('the pager', () => {
  it('gets what is long, with colours, and less is told to leave short text on the screen', async () => {
    lab.env.PAGER = '/bin/cat > paged; /usr/bin/env > seen';
    expect(await lab.type([], 'list')).toMatchObject({ code: 0, stdout: '' });
    expect(await file('paged')).toContain('\x1b[2mSESSION');
    expect(await file('seen')).toMatch(/^LESS=FRX$/m);
  });

  it.each([
    ['with --no-pager', '/bin/cat > never', ['--no-pager'], true],
    ['with PAGER=cat', 'cat', [], true],
    ['with an empty PAGER', '', [], true],
    ['with --json', '/bin/cat > never', ['--json'], true],
    ['in a pipe', '/bin/cat > never', [], false],
  ] as const)('is left out %s', async (_name, pager, more, terminal) => {
    lab.env.PAGER = pager;
    const ran = terminal ? await lab.type([], 'list', ...more) : await lab.run('list', ...more);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('The thousands') });
    expect(await readdir(lab.home)).not.toContain('never');
  });

  it('may be left early, and one that is not there is an error that names it', async () => {
    lab.env.PAGER = '/usr/bin/head -c 1 > first';
    expect(await lab.type([], 'show', id, '--events')).toMatchObject({ code: 0, stdout: '', stderr: '' });
    lab.env.PAGER = '/nowhere/pager';
    expect(await lab.type([], 'list')).toMatchObject({ code: 1, stderr: expect.stringContaining('/nowhere/pager') });
  });

  it('has no part in errors', async () => {
    lab.env.PAGER = '/bin/cat > never';
    expect(await lab.type([], 'show', 'sess_00000000')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No session is known'),
    });
    expect(await readdir(lab.home)).not.toContain('never');
  });
});

describe('progress', () => {
  it('stands on a terminal alone, and leaves nothing behind', async () => {
    const seen = await lab.type([], 'verify');
    expect(seen.stderr).toMatch(/^\r\x1b\[2KChecking 1 of 2 sessions/);
    // each line of progress is wiped out by the next, the last one by nothing
    expect(seen.stderr).toMatch(/\r\x1b\[2K$/);
    for (const ran of [await lab.run('verify'), await lab.type([], 'verify', '--json')]) expect(ran.stderr).toBe('');
    lab.env.TERM = 'dumb';
    expect((await lab.type([], 'verify')).stderr).toBe('');
    delete lab.env.TERM;
  });
});

describe('colours', () => {
  it('are on a terminal, not in pipes and JSON, and as the environment wants them', async () => {
    const colored = /\x1b\[\d+m/;
    expect((await lab.type([], 'list')).stdout).toMatch(colored);
    expect((await lab.type([], 'list', '--no-color')).stdout).not.toMatch(colored);
    expect((await lab.type([], 'list', '--json')).stdout).not.toMatch(colored);
    expect((await lab.run('list')).stdout).not.toMatch(colored);
    lab.env.FORCE_COLOR = '1';
    expect((await lab.run('list')).stdout).toMatch(colored);
    delete lab.env.FORCE_COLOR;
    lab.env.NO_COLOR = '1';
    expect((await lab.type([], 'list')).stdout).not.toMatch(colored);
    delete lab.env.NO_COLOR;
  });
});

describe('width', () => {
  it('is that of the terminal, from very narrow to very wide', async () => {
    for (const columns of [20, 40, 80, 400]) {
      lab.columns = columns;
      for (const line of (await lab.type([], 'list', '--no-color', '--no-scan')).stdout.split('\n'))
        expect(width(line)).toBeLessThanOrEqual(columns);
    }
  });
});

describe('sessionctl alone', () => {
  it('shows on a terminal where things stand, and what to do next', async () => {
    const stands = await lab.type([]);
    expect(stands.stdout).toMatch(/Agents in ~[\s\S]*Store: 2 sessions[\s\S]*Next:\n {2}sessionctl list/);
    expect(stands).toMatchObject({ code: 0, stdout: (await lab.type([], 'status')).stdout });
    const first = await cliLab();
    expect((await first.type([])).stdout).toMatch(/Next:\n {2}sessionctl init/);
    await first.close();
  });
});

describe('handoff on a terminal', () => {
  const codexFiles = async (): Promise<string[]> =>
    (await readdir(join(lab.home, '.codex', 'sessions'), { recursive: true }).catch(() => [])).filter((name) =>
      name.endsWith('.jsonl'),
    );

  it('offers sessions and installed agents, shows the plan, and writes after a yes', async () => {
    const { rows } = (await lab.run('list', '--json')).json.value;
    const no = String(rows.findIndex((row: { id: string }) => row.id === id) + 1);
    const declined = await lab.type(['x', '9', no, '1', 'n'], 'handoff', '--cwd', '.');
    expect(declined).toMatchObject({ code: 130, stdout: expect.stringContaining('Would write:') });
    expect(declined.stderr).toContain('Type a number from 1 to 2, or press Ctrl-C.');
    expect(declined.stderr).toMatch(/1 {2}codex {2}Codex {2}0\.171\.0\n2 {2}pi {5}Pi {5}1\.6\.0/);
    expect(await codexFiles()).toEqual([]);
    const done = await lab.type([no, '1', 'y'], 'handoff', '--cwd', '.');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/Would write:[\s\S]*Go on:\n/) });
    expect(await codexFiles()).toHaveLength(1);
  });

  it('asks for what is missing alone: with --yes and a name for both it asks nothing', async () => {
    const agent = await lab.type(['2'], 'handoff', id, '--yes', '--cwd', '.');
    expect(agent).toMatchObject({ code: 0, stdout: expect.stringContaining('pi --session') });
    expect(agent.stdout).not.toContain('Would write:');
    const named = await lab.type([], 'handoff', id, '--to', 'codex', '--cwd', '.');
    expect(named).toMatchObject({ code: 0 });
    expect(named.stderr).not.toContain('?');
  });

  it('lets choose among the sessions that a name can mean', async () => {
    const [{ source, native_id }] = (await lab.run('list', '--json')).json.value.rows.filter(
      (row: { agent: string }) => row.agent === 'claude',
    );
    const twin = source.replace('/projects/', '/projects/other');
    await mkdir(join(twin, '..'), { recursive: true });
    await writeFile(twin, await readFile(source));
    await lab.run('import');
    const chosen = await lab.type(['1', 'n'], 'handoff', native_id, '--to', 'codex', '--cwd', '.');
    expect(chosen.stderr).toContain('can mean 2 sessions');
    expect(chosen).toMatchObject({ code: 130 });
    const piped = await lab.run('handoff', native_id, '--to', 'codex');
    expect(piped).toMatchObject({ code: 3, stdout: '' });
  });

  it('asks nothing in a pipe and with --json: exit code 3 and what there is to choose from', async () => {
    for (const ran of [await lab.run('handoff', id, '--json'), await lab.type([], 'handoff', id, '--json')]) {
      expect(ran).toMatchObject({ code: 3, stdout: '' });
      expect(ran.json.error).toMatchObject({
        code: 'selection_required',
        details: {
          candidates: [{ agent: 'codex', label: 'Codex', installed: true, version: '0.171.0' }, { agent: 'pi' }],
        },
      });
    }
    const session = (await lab.run('handoff', '--json')).json.error;
    expect(session.details.candidates[0]).toMatchObject({
      id: expect.stringMatching(/^sess_/),
      agent: expect.any(String),
    });
  });
});
