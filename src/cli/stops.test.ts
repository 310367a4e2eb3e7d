import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliLab, cliLab } from './testing.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

let lab: CliLab;
beforeEach(async () => {
  lab = await cliLab(['tools', 'simple-qa']);
  await lab.run('init', '--key-file');
  await lab.run('sources', 'enable', 'claude');
});
afterEach(() => lab.close());

type Stdio = 'pipe' | 'ignore' | number;

function start(args: string[], [stdin, stdout]: [Stdio, Stdio] = ['pipe', 'pipe']) {
  const env = { ...lab.env } as NodeJS.ProcessEnv;
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: lab.home, env, stdio: [stdin, stdout, 'pipe'] });
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stderr }));
  return { child, ended };
}

const projects = (): string => join(lab.home, '.claude', 'projects');
const aSession = async (): Promise<string> =>
  join(projects(), (await readdir(projects(), { recursive: true })).find((one) => one.endsWith('.jsonl'))!);

const COPIES = 60;
/** So many sessions of their own that a stop comes before the last of them. */
async function many(): Promise<void> {
  const path = await aSession();
  const text = await readFile(path, 'utf8');
  const id = basename(path, '.jsonl');
  for (let i = 0; i < COPIES; i++) {
    const own = `${id.slice(0, -3)}${String(i).padStart(3, '0')}`;
    await writeFile(
      join(dirname(path), `${own}.jsonl`),
      text.replaceAll(id, own).replaceAll('"uuid":"', `"uuid":"${i}-`),
    );
  }
}

/** The path of a session's file, made so long that its log does not fit into a pipe. */
async function long(): Promise<string> {
  const path = await aSession();
  const prompt = { type: 'user', message: { role: 'user', content: 'word '.repeat(2000) }, sessionId: 'long' };
  const lines = Array.from({ length: 200 }, (_, i) => `${JSON.stringify({ ...prompt, uuid: `u${i}` })}\n`);
  await appendFile(path, lines.join(''));
  return path;
}

describe('Ctrl-C and SIGTERM', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends an import with %i: nothing is half there, and the next one takes all', async (signal, code) => {
    await many();
    lab.onStderr = (text) => {
      // told when the first of them is in the store
      if (!text.includes('Reading')) return;
      lab.onStderr = undefined;
      process.emit(signal, signal);
    };
    const stopped = await lab.type([], 'import');
    expect(stopped).toMatchObject({ code, stdout: '' });
    // the line of progress is gone before anything else is said
    expect(stopped.stderr.replaceAll(/\r\x1b\[2K[^\r]*(?=\r\x1b\[2K)/g, '')).toMatch(/^\r\x1b\[2K\x1b\[31msessionctl:/);
    expect((await lab.run('verify')).code).toBe(0);
    await lab.run('import');
    expect((await lab.run('list', '--no-scan', '--json')).json.value.total).toBe(2 + COPIES);
  });

  it('end a handoff with nothing of it left, and the same operation does it then', async () => {
    await lab.run('import');
    const [row] = (await lab.run('list', '--json')).json.value.rows;
    const args = ['handoff', row.id, '--to', 'codex', '--cwd', '.', '--operation', 'op'];
    const written = async (): Promise<string[]> =>
      (await readdir(join(lab.home, '.codex'), { recursive: true }).catch(() => [])).filter((name) =>
        name.includes('rollout'),
      );
    lab.onStderr = (text) => {
      // told before each step
      if (!text.startsWith('\r\x1b[2K')) return;
      lab.onStderr = undefined;
      process.emit('SIGINT', 'SIGINT');
    };
    expect(await lab.type([], ...args)).toMatchObject({ code: 130, stdout: '' });
    expect(await written()).toEqual([]);
    expect(await lab.run(...args, '--json')).toMatchObject({ code: 0, json: { value: { replayed: false } } });
    expect(await written()).toHaveLength(1);
  });

  it('end a long output between two pieces of it', async () => {
    const path = await long();
    await lab.run('import');
    const { child, ended } = start(['show', path, '--events', '--jsonl']);
    // what is not read on keeps the program where it is
    await once(child.stdout!, 'readable');
    child.kill('SIGINT');
    let text = '';
    for await (const chunk of child.stdout!.setEncoding('utf8')) text += chunk;
    const { code, stderr } = await ended;
    expect({ code, error: JSON.parse(stderr).error.code }).toEqual({ code: 130, error: 'cancelled' });
    for (const line of text.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('seq');
  });

  it('at a question are no answer', async () => {
    expect(await lab.type(['\x03'], 'handoff')).toMatchObject({ code: 130, stdout: '' });
    expect(await lab.type(['\x04'], 'handoff')).toMatchObject({ code: 130 });
    const other = ['--home', join(lab.home, 'other')];
    const asked = await lab.type(['\x03'], 'init', '--key-file', ...other);
    expect(asked.stderr).toContain("May Claude Code's 2 sessions be read?");
    // the recovery key was shown before
    expect(asked).toMatchObject({ code: 130, stdout: expect.stringMatching(/([0-9A-Z]{7}-){7}/) });
    const [claude] = (await lab.run('sources', '--json', ...other)).json.value;
    expect(claude).toMatchObject({ agent: 'claude', enabled: false });
  });
});

describe('a reader that goes away', () => {
  it('ends the program quietly, with 0, whatever was to come', async () => {
    const path = await long();
    await lab.run('import');
    for (const args of [
      ['show', path],
      ['show', path, '--events'],
      ['show', path, '--json'],
      ['list', '--jsonl'],
    ]) {
      const { child, ended } = start(args);
      child.stdout!.once('data', () => child.stdout!.destroy());
      expect({ args, ...(await ended) }).toEqual({ args, code: 0, signal: null, stderr: '' });
    }
  });

  it('does not make damaged data sound', async () => {
    await lab.run('import');
    await writeFile(join(lab.home, '.sessionctl', 'store.db'), '');
    const { child, ended } = start(['verify']);
    child.stdout!.destroy();
    expect(await ended).toMatchObject({ code: 4 });
  });
});

describe('streams that are not there', () => {
  it('a closed stdin is nobody to ask', async () => {
    await lab.run('import');
    const { ended } = start(['handoff', '--json'], ['ignore', 'pipe']);
    const { code, stderr } = await ended;
    expect({ code, error: JSON.parse(stderr).error.code }).toEqual({ code: 3, error: 'selection_required' });
  });

  it.runIf(existsSync('/dev/full'))('a full disk behind stdout is an error', async () => {
    const { ended } = start(['list'], ['ignore', openSync('/dev/full', 'w')]);
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining('could not be written') });
  });
});
