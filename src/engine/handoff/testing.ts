import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadFixture } from '../../../fixtures/load.ts';
import { unwrap } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import { type Engine, type EngineOptions, openEngine } from '../engine.ts';
import type { KeyChoice } from '../keys/keys.ts';

/** A user's home with sessions of real agents, and an engine on it. For tests. */
export interface Lab {
  /** the user's home; `.sessionctl` in it is ours */
  home: string;
  /** an existing project folder */
  project: string;
  options: EngineOptions;
  engine: Engine;
  /** the first Claude session of the list */
  session: SessionRow;
  /** paths of all files below a folder of the home, relative to it */
  files(below: string): Promise<string[]>;
  /** one hash over all files below a folder of the home: names and bytes; without SQLite's table of locks */
  hash(below: string): Promise<string>;
  close(): Promise<void>;
}

export async function makeLab(
  fixtures: string[] = ['tools'],
  more: Partial<EngineOptions> = {},
  key: KeyChoice = { kind: 'keyfile' },
  path = '/nowhere',
): Promise<Lab> {
  const home = await mkdtemp(join(tmpdir(), 'engine-lab-'));
  const project = join(home, 'project');
  await mkdir(project);
  for (const name of fixtures) await loadFixture('claude', name, home);
  const options: EngineOptions = {
    home: join(home, '.sessionctl'),
    agents: { home, env: { HOME: home, PATH: path } },
    host: 'cli',
    version: 'test',
    ...more,
  };
  const engine = openEngine(options);
  unwrap(await engine.local.init(key));
  unwrap(await engine.call('sources.set', { agent: 'claude', enabled: true }));
  unwrap(await engine.local.import({ agent: 'claude' }));
  const { rows } = unwrap(await engine.call('sessions.list', { agent: 'claude' }));
  const files = async (below: string): Promise<string[]> => {
    const entries = await readdir(join(home, below), { recursive: true, withFileTypes: true }).catch(() => []);
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(home, below).length + 1))
      .sort();
  };
  return {
    home,
    project,
    options,
    engine,
    session: rows[0]!,
    files,
    hash: async (below) => {
      const sum = createHash('sha256');
      for (const file of (await files(below)).filter((name) => !name.endsWith('-shm')))
        sum.update(file).update(await readFile(join(home, below, file)));
      return sum.digest('hex');
    },
    close: async () => {
      await engine.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** A process of its own that hands off and is killed, as by `kill -9`, in the middle of it. */
const CHILD = `
import { openEngine } from ${JSON.stringify(join(import.meta.dirname, '..', 'engine.ts'))};
const { options, input, step } = JSON.parse(process.argv[2]);
const engine = openEngine({
  ...options,
  handoffHook: (at, moment) => {
    if (at === step && moment === 'after') process.kill(process.pid, 'SIGKILL');
  },
});
await engine.call('handoff.execute', input);
`;

/** Hands off in a process that is killed right behind `step`. Throws when it ended in another way. */
export async function killedHandoff(lab: Lab, input: object, step: string): Promise<void> {
  const script = join(lab.home, 'child.ts');
  await writeFile(script, CHILD);
  const child = spawn(process.execPath, [script, JSON.stringify({ options: lab.options, input, step })], {
    stdio: 'inherit',
  });
  const [code, signal] = await once(child, 'exit');
  if (signal !== 'SIGKILL') throw new Error(`the process ended with ${code}`);
}

/** Lays a Claude Code session of `turns` turns into a home; each prompt and answer has `length` words. Returns its id. */
export async function layLongSession(home: string, turns: number, length = 40): Promise<string> {
  const sessionId = '5e55100a-0000-4000-8000-000000000001';
  const folder = join(home, '.claude', 'projects', '-home-dev-long');
  const lines: string[] = [];
  let parentUuid: string | null = null;
  const add = (type: 'user' | 'assistant', message: object): void => {
    const uuid = `00000000-0000-4000-8000-${String(lines.length).padStart(12, '0')}`;
    const timestamp = new Date(1_795_000_000_000 + lines.length * 1000).toISOString();
    const place = { cwd: '/home/dev/long', gitBranch: 'main' };
    const common = { isSidechain: false, userType: 'external', ...place, sessionId, version: '2.1.332' };
    lines.push(JSON.stringify({ parentUuid, ...common, type, message: { role: type, ...message }, uuid, timestamp }));
    parentUuid = uuid;
  };
  const words = (what: string, n: number): string =>
    Array.from({ length }, (_, i) => `${what} ${n} says word${i}`).join(', ');
  for (let n = 1; n <= turns; n++) {
    add('user', { content: `Prompt number ${n}. ${words('prompt', n)}` });
    add('assistant', {
      id: `msg_${n}`,
      type: 'message',
      model: 'claude-opus-5-5',
      content: [{ type: 'text', text: `Answer number ${n}. ${words('answer', n)}` }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 10 },
    });
  }
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${sessionId}.jsonl`), `${lines.join('\n')}\n`, { mode: 0o600 });
  return sessionId;
}
