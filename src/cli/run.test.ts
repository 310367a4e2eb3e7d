import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../../fixtures/load.ts';
import { type CliLab, cliLab } from './testing.ts';

let lab: CliLab;
beforeEach(async () => {
  lab = await cliLab(['tools']);
});
afterEach(() => lab.close());

describe('a slip of the pen', () => {
  it('is answered with the help of the command that was meant', async () => {
    expect((await lab.run('list', '--nonsense')).stderr).toContain('See `sessionctl list --help`.');
    expect((await lab.run('sources', 'enable')).stderr).toContain('See `sessionctl sources enable --help`.');
    expect((await lab.run('list', '--has', 'luck')).stderr).toContain("'--has <what...>' argument 'luck' is invalid");
    expect((await lab.run('nonsense')).stderr).toContain('See `sessionctl --help`.');
  });

  it('shows the sources when no more is said, and names the agents in the help of each command that takes one', async () => {
    expect(await lab.run('sources')).toEqual(await lab.run('sources', 'list'));
    for (const command of ['list', 'import', 'handoff', 'compile', 'export'])
      expect((await lab.run(command, '--help')).stdout).toContain('claude, codex');
    for (const command of ['handoff', 'export', 'resume'])
      expect((await lab.run(command, '--help')).stdout).not.toContain('cursor');
    expect((await lab.run('handoff', '--help')).stdout).toMatch(/--to[\s\S]*Common to all commands:[\s\S]*--json/);
  });
});

describe('handing off in a terminal', () => {
  it('says when the folder of the new session is not on this machine, and what was taken back', async () => {
    await lab.run('init', '--key-file');
    await lab.run('sources', 'enable', 'claude');
    await lab.run('import');
    const [row] = (await lab.run('list', '--json')).json.value.rows;
    const done = await lab.run('handoff', row.id, '--to', 'codex', '--operation', 'op-2');
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('--cwd <dir>') });
    expect((await lab.run('handoff', row.id, '--to', 'codex', '--cwd', '.')).stderr).not.toContain('--cwd');
    const undo = ['handoff', '--undo', '--operation', 'op-2'];
    expect((await lab.run(...undo)).stdout).toMatch(/^Taken back. Removed:\n {2}\//);
    expect((await lab.run(...undo)).stdout).toContain('Taken back before');
  });

  it('says before and after what is not there, and what goes along in the place of the conversation', async () => {
    await lab.run('init', '--key-file');
    await lab.run('sources', 'enable', 'claude');
    await lab.run('import');
    const [row] = (await lab.run('list', '--json')).json.value.rows;
    const away = ['handoff', row.id, '--to', 'pi', '--cwd', '/nonexistent'];
    expect((await lab.run(...away, '--dry-run')).stdout).toContain('! The folder /nonexistent is not on this machine');
    const { warnings } = (await lab.run(...away, '--json')).json.value;
    expect(warnings).toContainEqual({ about: 'cwd', detail: expect.stringContaining('/nonexistent') });
    const context = ['handoff', row.id, '--to', 'pi', '--cwd', '.', '--mode', 'context'];
    const plan = (await lab.run(...context, '--dry-run', '--json')).json.value;
    const page = plan.modes.find(({ mode }: { mode: string }) => mode === 'context').tokens;
    expect(page).toBe(plan.budget.used);
    expect((await lab.run(...context)).stdout).toMatch(
      /Carried: 0 of \d+ events as they are, with a compiled context of [\d,]+ tokens/,
    );
  });

  it('says no figures of usage where the agent keeps none', async () => {
    await lab.run('init', '--key-file');
    await loadFixture('cursor', 'terminal', lab.home);
    await lab.run('sources', 'enable', 'cursor');
    await lab.run('import');
    const [row] = (await lab.run('list', '--json')).json.value.rows;
    expect((await lab.run('show', row.id)).stdout).toMatch(/usage +not told/);
  });
});
