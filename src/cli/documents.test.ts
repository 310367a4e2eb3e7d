import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { adapters } from '../../adapters/registry.ts';
import { ERROR_CODES, exitCodeOf } from '../shared/errors.ts';
import { runCli } from './run.ts';

async function helpOf(...command: string[]): Promise<string> {
  const stdout = new PassThrough();
  await runCli([...command, '--help'], {
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    env: {},
    cwd: '/',
  });
  stdout.end();
  return text(stdout);
}

describe('the documents', () => {
  it('say in the README which agents are read and which can be continued in', async () => {
    const readme = await readFile(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
    const rows = [...readme.matchAll(/^\| ([A-Z][^|]+?) \| yes \| (yes|no)\b/gm)].map((row) => [
      row[1],
      row[2] === 'yes',
    ]);
    expect(rows).toEqual(Object.values(adapters).map(({ label, target }) => [label, target !== undefined]));
  });

  it('say the exit code of every error code, and of every way to be stopped', async () => {
    const errors = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'errors.md'), 'utf8');
    const rows = [...errors.matchAll(/^\| (\d+) +\| [^|]+\| (.*?) *\|$/gm)];
    const table = new Map(rows.map(([, code, names]) => [Number(code), names!]));
    expect([...table.keys()]).toEqual([0, 1, 2, 3, 4, 130, 143]);
    for (const code of ERROR_CODES) {
      const exit = exitCodeOf(code);
      expect({ code, exit, said: table.get(exit)!.includes(`\`${code}\``) || exit === 1 }).toMatchObject({
        said: true,
      });
    }
  });

  it('name every error code and every command', async () => {
    const docs = join(import.meta.dirname, '..', '..', 'docs');
    const errors = await readFile(join(docs, 'errors.md'), 'utf8');
    for (const code of ERROR_CODES) expect(errors).toContain(`\`${code}\``);
    const cli = await readFile(join(docs, 'cli.md'), 'utf8');
    const help = await helpOf();
    const commands = [...help.matchAll(/^ {2}([a-z]+)(?: \[| <| {2,})/gm)].map((match) => match[1]!);
    expect(commands.length).toBeGreaterThan(12);
    for (const command of commands) {
      expect(cli).toMatch(new RegExp(`^## ${command}\\b`, 'm'));
      const options = (await helpOf(command)).matchAll(/^ {2}(--[a-z-]+)/gm);
      for (const [, option] of options)
        expect({ command, option, documented: cli.includes(option!) }).toMatchObject({ documented: true });
    }
  });
});
