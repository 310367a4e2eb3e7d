import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliLab } from './testing.ts';

const root = join(import.meta.dirname, '..', '..');
const built = join(root, 'out', 'main', 'cli.js');
const python = spawnSync('python3', ['--version'], { encoding: 'utf8' }).status === 0;

describe.skipIf(!python)('the Python client (needs python3)', () => {
  it('does by the command line what its own tests say', { timeout: 300_000 }, async () => {
    const lab = await cliLab(['tools']);
    try {
      await lab.run('init', '--key-file');
      await lab.run('sources', 'enable', 'claude');
      await lab.run('import');
      // as `npm test` has built it: it starts far faster than from source
      const cli = existsSync(built) ? built : join(root, 'src', 'cli', 'main.ts');
      const command = JSON.stringify([process.execPath, cli]);
      const child = spawn('python3', ['-B', '-m', 'unittest', '-v', 'test_sessionctl'], {
        cwd: join(root, 'clients', 'python'),
        env: {
          ...lab.env,
          PATH: process.env.PATH ?? '',
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
          SESSIONCTL_TEST_COMMAND: command,
        },
      });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          said += chunk;
        });
      const code = await new Promise((resolve) => child.on('close', resolve));
      expect({ code, said }).toMatchObject({ code: 0, said: expect.stringMatching(/Ran 7 tests[\s\S]*OK/) });
    } finally {
      await lab.close();
    }
  });
});
