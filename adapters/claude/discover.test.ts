import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NativeSource } from '../contract.ts';
import { claude } from './adapter.ts';
import { withHome } from './testing/fixtures.ts';
import { SESSION } from './testing/records.ts';

async function put(home: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
}

const idsOf = (sources: readonly NativeSource[]): string[] => sources.map(({ native_id }) => native_id);

describe('finding sessions', () => {
  it('goes by names alone: sessions, sub-agents in both places, archived ones', async () => {
    await withHome(async (home) => {
      const folder = '.claude/projects/-home-dev-orchard';
      for (const path of ['s1.jsonl', 's1/subagents/agent-a1.jsonl', 's1/subagents/agent-a1.meta.json', 's2.jsonl'])
        await put(home, `${folder}/${path}`, '');
      await put(home, `${folder}/agent-0f0f0f0.jsonl`, '');
      await put(home, `${folder}/s1/tool-results/x.jsonl`, '');
      await put(home, `${folder}/s2/archived.json`, '{"archived":true}');
      await put(home, '.claude/history.jsonl', '');
      const { roots, sources, warnings } = await claude.discover({ home, env: {} });
      expect(roots).toEqual([{ agent: 'claude', path: join(home, '.claude/projects'), exists: true }]);
      expect(idsOf(sources).sort()).toEqual(['agent-0f0f0f0', 'agent-a1', 's1', 's2']);
      expect(sources.find(({ native_id }) => native_id === 'agent-a1')?.parent).toEqual({
        kind: 'subagent',
        native_id: 's1',
      });
      expect(sources.filter(({ archived }) => archived)).toMatchObject([{ native_id: 's2' }]);
      expect(warnings).toEqual([]);
    });
  });

  it('looks where CLAUDE_CONFIG_DIR says, and says when nothing is there', async () => {
    await withHome(async (home) => {
      await put(home, 'elsewhere/projects/-p/s1.jsonl', '');
      const found = await claude.discover({ home, env: { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') } });
      expect(idsOf(found.sources)).toEqual(['s1']);
      const { roots, sources } = await claude.discover({ home, env: {} });
      expect(roots[0]?.exists).toBe(false);
      expect(sources).toEqual([]);
    });
  });

  it('passes over what cannot be read and links that lead in a circle, with a warning', async () => {
    await withHome(async (home) => {
      await put(home, '.claude/projects/-p/s1.jsonl', '');
      await put(home, '.claude/projects/-q/s2.jsonl', '');
      await symlink(join(home, '.claude/projects'), join(home, '.claude/projects/-p/loop'));
      const { sources, warnings } = await claude.discover({ home, env: {} });
      expect(idsOf(sources).sort()).toEqual(['s1', 's2']);
      expect(warnings).toMatchObject([{ about: 'unreadable-file' }]);
    });
  });

  it('tells a session that the user names from other files', async () => {
    await withHome(async (home) => {
      await put(home, 'server.log', 'GET /\n');
      await put(home, 'data.jsonl', '{"id":1}\n{"id":2}\n');
      for (const name of ['server.log', 'data.jsonl'])
        expect(await claude.recognise(join(home, name), { home, env: {} })).toMatchObject({
          ok: false,
          error: { code: 'not_a_session' },
        });
      expect(await claude.recognise(join(home, 'none.jsonl'), { home, env: {} })).toMatchObject({
        ok: false,
        error: { code: 'source_unreadable' },
      });
    });
  });
});

describe('going on with a session', () => {
  const env = { home: '/home/dev', env: {} };
  const source = '/home/dev/.claude/projects/-home-dev-orchard/x.jsonl';

  it('is the official command, in the folder of the session', () => {
    expect(claude.resume({ native_id: SESSION, cwd: "/home/dev/My Pro'j", source }, env)).toEqual({
      argv: ['claude', '--resume', SESSION],
      cwd: "/home/dev/My Pro'j",
      text: `cd '/home/dev/My Pro'\\''j' && claude --resume ${SESSION}`,
    });
    expect(claude.resume({ native_id: SESSION, cwd: null, source }, env).text).toBe(`claude --resume ${SESSION}`);
  });

  it('names the file where the id would not do', () => {
    for (const native_id of ['--help', 'a b'])
      expect(claude.resume({ native_id, cwd: null, source }, env).argv[2]).toBe(source);
    expect(claude.resume({ native_id: SESSION, cwd: null, source: '/mnt/old/x.jsonl' }, env).argv[2]).toBe(
      '/mnt/old/x.jsonl',
    );
    expect(claude.resume({ native_id: '--help', cwd: null, source: null }, env).argv).toEqual([
      'claude',
      '--resume=--help',
    ]);
  });

  it('knows whether the client is installed, and its version', async () => {
    await withHome(async (home) => {
      expect(await claude.installed({ home, env: { PATH: join(home, 'bin') } })).toBeNull();
      await put(home, 'bin/claude', '#!/bin/sh\necho "2.1.332 (Claude Code)"\n');
      await chmod(join(home, 'bin/claude'), 0o755);
      expect(await claude.installed({ home, env: { PATH: `${join(home, 'bin')}:/bin` } })).toEqual({
        path: join(home, 'bin/claude'),
        version: '2.1.332',
      });
    });
  });
});
