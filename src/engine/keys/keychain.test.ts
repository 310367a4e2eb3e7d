import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keychain } from './keychain.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engine-keychain-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the keychain', () => {
  it('is an error, not an exception, when no Secret Service can be reached', async () => {
    const store = keychain({ env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/none` } });
    expect(await store.get('home-0')).toMatchObject({ ok: false, error: { code: 'key_locked' } });
  });

  it('gives up when the service hangs, and leaves no stuck process', async () => {
    const server = createServer((socket) => socket.on('error', () => {}));
    await new Promise<void>((done) => server.listen(join(folder, 'bus'), done));
    const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/bus` };
    expect(await keychain({ env, timeout: 300 }).get('home-0')).toMatchObject({
      ok: false,
      error: { code: 'key_locked' },
    });
    server.close();
  });

  const daemon =
    spawnSync('gnome-keyring-daemon', ['--version']).status === 0 &&
    spawnSync('dbus-run-session', ['--version']).status === 0;
  it.runIf(daemon)('keeps and gives back a secret by the Secret Service', async () => {
    const script = join(folder, 'ask.ts');
    await writeFile(
      script,
      `import { keychain } from ${JSON.stringify(join(import.meta.dirname, 'keychain.ts'))};
       const store = keychain({ env: process.env });
       const before = await store.get('home-1');
       const set = await store.set('home-1', 'kept');
       console.log(JSON.stringify([before, set.ok, await store.get('home-1')]));`,
    );
    const unlock = `printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec "${process.execPath}" "${script}"`;
    const child = spawn('dbus-run-session', ['--', 'sh', '-c', unlock], {
      env: { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let out = '';
    for await (const chunk of child.stdout) out += chunk;
    expect(JSON.parse(out)).toEqual([{ ok: true, value: null }, true, { ok: true, value: 'kept' }]);
  });
});
