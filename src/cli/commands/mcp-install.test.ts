import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliLab, cliLab } from '../testing.ts';

let lab: CliLab;
beforeEach(async () => {
  lab = await cliLab();
});
afterEach(() => lab.close());

const PROGRAM = resolve(import.meta.dirname, '../../../bin/sessionctl');

describe('mcp install', () => {
  it('says what it would write, writes it, and takes it out', async () => {
    const file = join(lab.home, '.codex', 'config.toml');
    const dry = await lab.run('mcp', 'install', '--agent', 'codex', '--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain(file);
    expect(dry.stdout).toContain(`+ command = "${PROGRAM}"`);
    expect(dry.stderr).toContain('Nothing was written');
    await expect(stat(file)).rejects.toThrow('ENOENT');
    expect((await lab.run('mcp', 'install', '--agent', 'codex')).stderr).toContain('Start Codex anew');
    expect(await readFile(file, 'utf8')).toContain(`command = "${PROGRAM}"\nargs = ["mcp"]\n`);
    expect((await lab.run('mcp', 'install', '--agent', 'codex', '--json')).json.value).toMatchObject({
      action: 'none',
      written: false,
    });
    expect((await lab.run('mcp', 'install', '--agent', 'codex', '--undo')).stderr).toContain('Taken out');
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('names the store when it is not where it is by default, since agents do not pass variables on', async () => {
    lab.env.SESSIONCTL_HOME = join(lab.home, 'elsewhere');
    const text = (await lab.run('mcp', 'install', '--agent', 'claude', '--dry-run', '--json')).json.value.text;
    expect(JSON.parse(text)).toMatchObject({ command: PROGRAM, args: ['mcp', '--home', join(lab.home, 'elsewhere')] });
  });

  it('needs an agent that it knows', async () => {
    expect((await lab.run('mcp', 'install')).code).toBe(2);
    const other = await lab.run('mcp', 'install', '--agent', 'emacs');
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('claude, codex, gemini, opencode, pi, hermes'),
    });
  });
});
