import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEnv } from '../contract.ts';
import { gemini } from './adapter.ts';
import { withHome } from './testing/home.ts';
import { toolOf } from './tools.ts';

function program(folder: string, text: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'gemini.js');
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

const withPath = ({ home }: AgentEnv, ...folders: string[]): AgentEnv => ({ home, env: { PATH: folders.join(':') } });

describe('the installed client', () => {
  it('is found on PATH, its version told by its package without starting it', async () => {
    await withHome(async (env) => {
      const bundle = join(env.home, 'node_modules/@google/gemini-cli/bundle');
      const script = program(bundle, '#!/bin/sh\nexit 1\n');
      writeFileSync(join(bundle, '../package.json'), '{"name":"@google/gemini-cli","version":"0.61.0"}');
      const bin = join(env.home, 'bin');
      mkdirSync(bin);
      symlinkSync(script, join(bin, 'gemini'));
      const found = await gemini.installed(withPath(env, 'relative', '/nowhere', bin));
      expect(found).toEqual({ path: join(bin, 'gemini'), version: '0.61.0' });
    });
  });

  it('is asked where there is no package, and its version unknown where it does not answer', async () => {
    await withHome(async (env) => {
      const [good, bad] = [join(env.home, 'good'), join(env.home, 'bad')];
      symlinkSync(program(good, '#!/bin/sh\necho 0.60.1\n'), join(good, 'gemini'));
      symlinkSync(program(bad, '#!/bin/sh\nexit 3\n'), join(bad, 'gemini'));
      expect(await gemini.installed(withPath(env, good))).toMatchObject({ version: '0.60.1' });
      expect(await gemini.installed(withPath(env, bad))).toMatchObject({ version: null });
      expect(await gemini.installed(withPath(env, '/nowhere'))).toBeNull();
    });
  });
});

describe('the command to go on', () => {
  const env: AgentEnv = { home: '/home/dev', env: {} };
  it('names the whole id, in the folder of the project', () => {
    const session = { native_id: '0a1b2c3d-bb90', cwd: '/home/dev/my loom', source: null };
    expect(gemini.resume(session, env)).toEqual({
      argv: ['gemini', '--resume', '0a1b2c3d-bb90'],
      cwd: '/home/dev/my loom',
      text: "cd '/home/dev/my loom' && gemini --resume 0a1b2c3d-bb90",
    });
  });
  it('does not let an id become an option', () => {
    expect(gemini.resume({ native_id: '--yolo', cwd: null, source: null }, env).argv).toEqual([
      'gemini',
      '--resume=--yolo',
    ]);
  });
});

describe('the window', () => {
  it('ends where the client compresses, and follows its settings', async () => {
    await withHome(async (env) => {
      const { window, reserve } = await gemini.target!.window(env);
      expect([window, window - reserve]).toEqual([1_048_576, 524_288 - 15_000]);
      mkdirSync(join(env.home, '.gemini'));
      const settings = (model: unknown): void =>
        writeFileSync(join(env.home, '.gemini/settings.json'), JSON.stringify({ model }));
      settings({ name: 'gemini-2.5-pro', compressionThreshold: 0.8 });
      expect(await gemini.target!.window(env)).toMatchObject({
        model: 'gemini-2.5-pro',
        reserve: 1_048_576 - 838_860 + 15_000,
      });
      settings({ name: 'gemma-4-31b-it' });
      expect(await gemini.target!.window(env)).toMatchObject({ window: 256_000 });
    });
  });
});

describe('tools', () => {
  it('are known by kind, those of servers by their server', () => {
    expect(
      ['run_shell_command', 'mcp_issues_search', 'issues__search', 'mcp__issues__search', 'ask_user'].map(toolOf),
    ).toEqual([
      { kind: 'shell', server: undefined },
      { kind: 'mcp', server: 'issues' },
      { kind: 'mcp', server: 'issues' },
      { kind: 'mcp', server: 'issues' },
      { kind: 'other', server: undefined },
    ]);
  });
});
