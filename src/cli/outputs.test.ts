import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../core/hash.ts';
import { sessionExportSchema } from '../shared/outputs.ts';
import { type CliLab, readLab } from './testing.ts';

let lab: CliLab;
let id: string;
beforeAll(async () => {
  ({ lab, id } = await readLab());
});
afterAll(() => lab.close());

const read = (...path: string[]): Promise<string> => readFile(join(lab.home, ...path), 'utf8');

describe('compile --out', () => {
  it('writes the page and says the line with which its agent goes on', async () => {
    const lines: Record<string, RegExp> = {
      claude: /^Go on: {2}cd \S+ && claude 'Go on .* @\S+\/claude\.md'$/m,
      codex: /^Go on: {2}cd \S+ && codex "\$\(cat \S+\/codex\.md\)"$/m,
      pi: /^Go on: {2}cd \S+ && pi @\S+\/pi\.md 'Go on .*'$/m,
      hermes: /^Go on: {2}cd \S+ && hermes\nthen type: {2}Go on .* @file:\S+\/hermes\.md$/m,
      opencode: /^Go on: {2}cd \S+ && opencode run --interactive --file \S+\/opencode\.md -- 'Go on .*'$/m,
      gemini:
        /^Go on: {2}cd \S+ && gemini --include-directories \S+ --prompt-interactive 'Go on .* @\S+\/gemini\.md'$/m,
    };
    for (const [agent, line] of Object.entries(lines)) {
      const ran = await lab.run('compile', id, '--for', agent, '--out', `@${agent}.md`);
      expect({ agent, code: ran.code }).toEqual({ agent, code: 0 });
      expect(ran.stdout).toMatch(line);
      expect(await read(`${agent}.md`)).toContain('parse_amount');
      expect((await stat(join(lab.home, `${agent}.md`))).mode & 0o777).toBe(0o600);
    }
    const again = await lab.run('compile', id, '--for', 'codex', '--out', 'codex.md');
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('exists already') });
  });

  it('writes the four files of a working memory, or none', async () => {
    await lab.run('compile', id, '--for', 'codex', '--format', 'work-mem', '--out', 'AIMemory');
    expect((await readdir(join(lab.home, 'AIMemory'))).toSorted()).toEqual([
      'DECISIONS.md',
      'HANDOFF.md',
      'STATE.md',
      'TASKS.md',
    ]);
    expect(await read('AIMemory', 'HANDOFF.md')).toContain(sha256Hex(await read('AIMemory', 'STATE.md')));

    await lab.run('compile', id, '--for', 'codex', '--out', join('other', 'HANDOFF.md'));
    const refused = await lab.run('compile', id, '--for', 'codex', '--format', 'work-mem', '--out', 'other', '--json');
    expect(refused.json.error.code).toBe('target_exists');
    expect(await readdir(join(lab.home, 'other'))).toEqual(['HANDOFF.md']);
    const nowhere = await lab.run('compile', id, '--for', 'codex', '--format', 'work-mem', '--json');
    expect(nowhere).toMatchObject({ code: 2, json: { error: { code: 'invalid_request' } } });
  });

  it('prints a task of A2A for a program to take', async () => {
    const ran = await lab.run('compile', id, '--for', 'codex', '--format', 'a2a');
    const { task } = JSON.parse(ran.stdout);
    expect(task.contextId).toBe(id);
    expect(task.artifacts[0].parts[0].text).toContain('parse_amount');
  });
});

describe('export --format', () => {
  it('writes each of them, and keeps a receipt that verify finds sound', async () => {
    for (const format of ['markdown', 'html', 'json', 'atif']) {
      const ran = await lab.run('export', id, '--format', format, '--out', `session.${format}`, '--json');
      expect(ran.json.value).toMatchObject({ format, session: id, path: join(lab.home, `session.${format}`) });
      expect(await read(`session.${format}`)).toContain('parse_amount');
      expect(await lab.run('verify', ran.json.value.receipt)).toMatchObject({ code: 0 });
    }
    expect(sessionExportSchema.safeParse(JSON.parse(await read('session.json'))).error).toBeUndefined();
  });

  it('gives another program the same bytes on standard output', async () => {
    const piped = await lab.run('export', id, '--format', 'json', '--out', '-');
    expect(piped).toMatchObject({ code: 0, stderr: '' });
    expect(piped.stdout).toBe(await read('session.json'));
    const both = await lab.run('export', id, '--format', 'json', '--out', '-', '--json');
    expect(both.json.error).toMatchObject({ code: 'invalid_request' });
  });

  it('does one thing at a time, and replaces nothing', async () => {
    for (const ways of [[], ['--bundle', '--format', 'html'], ['--agent', 'codex', '--format', 'html']]) {
      const ran = await lab.run('export', id, ...ways, '--out', 'x', '--json');
      expect(ran).toMatchObject({ code: 2, json: { error: { code: 'invalid_request' } } });
    }
    await writeFile(join(lab.home, 'there.html'), 'mine');
    expect(await lab.run('export', id, '--format', 'html', '--out', 'there.html')).toMatchObject({ code: 1 });
    expect(await read('there.html')).toBe('mine');
  });
});
