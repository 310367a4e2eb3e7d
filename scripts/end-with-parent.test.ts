import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'end-with-parent-'));
});
afterEach(() => rm(folder, { recursive: true }));

const PROGRAM = `
import { endWithParent } from ${JSON.stringify(join(import.meta.dirname, 'end-with-parent.mjs'))};
process.on('SIGTERM', () => { console.log('told'); process.exit(); });
endWithParent(20);
setInterval(() => {}, 1000);
console.log('runs');
`;

describe.skipIf(process.platform === 'win32')('what npm starts', () => {
  it('is told to end when the shell between them was ended alone', async () => {
    const program = join(folder, 'program.mjs');
    await writeFile(program, PROGRAM);
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${program}"; true`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    shell.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (said === 'runs\n') shell.kill('SIGTERM');
    });
    // the pipe closes when the last process that writes into it is gone
    await once(shell.stdout, 'close');
    expect(said).toBe('runs\ntold\n');
  });
});
