import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claude } from './clients/claude.ts';
import { createLab, type Lab } from './lab.ts';
import { fixtureSources, homeSource, nativeSessions } from './source.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await createLab({});
});
afterAll(() => lab.remove());

describe('a source', () => {
  it('of a fixture lies below the lab, with every path in it', async () => {
    await lab.clearHome();
    const [source] = await fixtureSources(claude, ['weird-cwd']);
    await source!.lay(lab);
    const [session] = await nativeSessions(claude, lab);
    expect(session?.cwd).toBe(join(lab.root, 'work', 'My Proj_v1.2 (beta) é', '测试 目录'));
    expect(await realpath(session!.cwd)).toBe(session!.cwd);
    const folder = session!.cwd.replace(/[^a-zA-Z0-9]/g, '-');
    const text = await readFile(join(lab.home, '.claude', 'projects', folder, `${session!.id}.jsonl`), 'utf8');
    expect(text).not.toContain('/home/dev/cld');
    expect(text).not.toContain('-home-dev-cld');
  });

  it('knows the title that the agent itself shows', async () => {
    const [source] = await fixtureSources(claude, ['tui-misc']);
    expect(await source!.title?.('6ac35538-4543-4212-8981-b11ba7f865cf')).toBe('Parser tour 解析器');
  });

  it('covers every scenario of every version', async () => {
    const names = (await fixtureSources(claude, [])).map((source) => source.name);
    expect(names).toContain('tools');
    expect(names).toContain('1.0.128/tools');
    expect(names).toHaveLength(59);
  });

  it('of another home is copied, and its missing folders are made below the lab', async () => {
    await lab.clearHome();
    const home = await mkdtemp(join(tmpdir(), 'sc-test-'));
    const project = join(home, '.claude', 'projects', '-home-mira-orchard');
    const line = JSON.stringify({ type: 'user', cwd: '/home/mira/orchard', message: { role: 'user', content: 'Hi' } });
    await mkdir(project, { recursive: true });
    await writeFile(join(project, 'one.jsonl'), `${line}\n`);
    const source = await homeSource(claude, home, 'one');
    await source.lay(lab);
    expect(await nativeSessions(claude, lab, 'one')).toEqual([{ id: 'one', cwd: join(lab.root, 'work', 'orchard') }]);
    expect(await readFile(join(project, 'one.jsonl'), 'utf8')).toBe(`${line}\n`);
    await source.dispose();
    await rm(home, { recursive: true });
  });
});
