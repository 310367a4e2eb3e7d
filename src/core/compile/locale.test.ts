import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Compiles one session with everything in it whose order or form a locale could decide, and prints the hash. */
const PROGRAM = `
import { LogBuilder } from ${JSON.stringify(join(import.meta.dirname, '../view/testing.ts'))};
import { page, shell } from ${JSON.stringify(join(import.meta.dirname, 'testing.ts'))};
const log = new LogBuilder();
log.user('Räume auf; İstanbul, ırmak, Ångström, zähler: 1.234,5 und 1,234.5. 必须保留旧接口。');
for (const name of ['ä', 'z', 'a', 'Z', 'ı', 'I', 'i', '中', 'ø'])
  for (const n of [1, 2]) {
    shell(log, name + n, 'make ' + name + n, 'took 1.5 s, ' + name, n - 1);
    log.event('file.edit', { path: name + n + '.ts', op: 'edit', diff: '+' + name });
    log.assistant('r' + name + n, 'Decision: use ' + name + n + ' because it is better than ' + name + '.');
  }
const workspace = { folder: '/home/dev/x', at: 1795900000, git: null, why: 'no', recent: [{ path: 'a', at: 1795890000 }], missing: [] };
console.log(page(log, { budget: 900, workspace }).sha256, new Date(0).getHours(), (1234.5).toLocaleString());
`;

it('a page has the same bytes in another language and another time zone', async () => {
  const program = join(tmpdir(), `compile-locale-${process.pid}.ts`);
  await writeFile(program, PROGRAM);
  const run = async (LC_ALL: string, TZ: string): Promise<string[]> => {
    const env = { PATH: process.env.PATH, LC_ALL, LANG: LC_ALL, TZ };
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
    return stdout.trim().split(' ');
  };
  const [[first, hour], ...others] = await Promise.all([
    run('C.UTF-8', 'UTC'),
    run('tr_TR.UTF-8', 'Asia/Kathmandu'),
    run('de_DE.UTF-8', 'America/St_Johns'),
  ]);
  await rm(program);
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(others.map(([sha256]) => sha256)).toEqual([first, first]);
  // the processes did live elsewhere
  expect(others.some(([, other]) => other !== hour)).toBe(true);
});
