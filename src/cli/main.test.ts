import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMAND_OUTPUTS } from './schema/values.ts';
import { type CliLab, cliLab } from './testing.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

let lab: CliLab;
beforeEach(async () => {
  lab = await cliLab(['tools']);
  await lab.run('init', '--key-file');
  await lab.run('sources', 'enable', 'claude');
});
afterEach(() => lab.close());

function start(args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: lab.home, env: { ...lab.env } as NodeJS.ProcessEnv });
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return { child, ended, stderr: () => stderr };
}

describe('the program', () => {
  it('serves the app until it is told to stop', async () => {
    const { child, ended } = start(['serve', '--json']);
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const { url, port } = COMMAND_OUTPUTS.serve!.value.parse(JSON.parse(line).value) as { url: string; port: number };
    expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/\\?token=`));
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(401);
    const first = await fetch(url, { redirect: 'manual' });
    expect(first.status).toBe(303);
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  it('runs the agent of a session in its folder with --run, and ends as it does', async () => {
    const folder = join(lab.home, 'bin');
    await mkdir(folder);
    await writeFile(join(folder, 'codex'), '#!/bin/sh\necho "$PWD $*"\nexit 7\n', { mode: 0o755 });
    const project = join(lab.home, 'project');
    await mkdir(project);
    const [row] = (await lab.run('list', '--json')).json.value.rows;
    const made = (await lab.run('handoff', row.id, '--to', 'codex', '--cwd', project, '--json')).json.value;
    lab.env.PATH = `${folder}:/usr/bin:/bin`;
    const { child, ended } = start(['resume', made.new_session, '--run']);
    let stdout = '';
    for await (const text of child.stdout.setEncoding('utf8')) stdout += text;
    expect(stdout).toBe(`${project} resume ${made.native_id}\n`);
    expect(await ended).toEqual([7, null]);
  });
});

describe('an agent that was started', () => {
  it('has the terminal: Ctrl-C is its own, SIGTERM is passed on, and how it ended is told', async () => {
    const folder = join(lab.home, 'bin');
    await mkdir(folder);
    // says when it runs, and ends as it likes
    const agent = `#!/bin/sh\ntrap 'exit 9' TERM\ntrap 'echo still here' INT\necho ready\nwhile :; do sleep 0.1; done\n`;
    await writeFile(join(folder, 'claude'), agent, { mode: 0o755 });
    const project = join(lab.home, 'project');
    await mkdir(project);
    const [row] = (await lab.run('list', '--json')).json.value.rows;
    const made = (await lab.run('handoff', row.id, '--to', 'claude', '--cwd', project, '--json')).json.value;
    lab.env.PATH = `${folder}:/usr/bin:/bin`;
    const { child, ended } = start(['resume', made.new_session, '--run']);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('ready');
    // twice: what ends sessionctl itself does not end it now
    child.kill('SIGINT');
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect(await ended).toEqual([9, null]);
  });
});

describe('a start', () => {
  it('loads neither the engine nor schemas for help, a slip, a script or a Tab on a command', () => {
    const hook = join(import.meta.dirname, 'testing', 'loaded-child.ts');
    for (const args of [
      ['--version'],
      ['list', '--help'],
      ['lits'],
      ['completion', 'bash'],
      ['__complete', 'zsh', 'han'],
    ]) {
      const { stderr } = spawnSync(process.execPath, ['--import', hook, MAIN, ...args], { encoding: 'utf8' });
      expect(stderr).toContain('/src/cli/run.ts');
      expect({ args, much: stderr.split('\n').filter((url) => /\/zod\/|\/engine\/|\/adapters\//.test(url)) }).toEqual({
        args,
        much: [],
      });
    }
  });
});

describe('bin/sessionctl', () => {
  it('finds its checkout through links, wherever it is called from', async () => {
    const bin = join(import.meta.dirname, '..', '..', 'bin', 'sessionctl');
    await symlink(bin, join(lab.home, 'one'));
    await symlink('one', join(lab.home, 'two'));
    const child = spawn(join(lab.home, 'two'), ['--version'], { cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] });
    let stdout = '';
    for await (const text of child.stdout.setEncoding('utf8')) stdout += text;
    expect(stdout).toBe('0.1.0\n');
  });
});
