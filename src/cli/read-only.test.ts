import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionIdOf } from '../engine/capture/session-id.ts';
import { AGENTS } from '../shared/agents.ts';
import { layEveryAgent } from './testing/every-agent.ts';
import { fingerprint } from './testing/fingerprint.ts';
import { type LiveDatabase, liveDatabase } from './testing/live-database.ts';
import { traced, traceOf, whyNoTrace } from './testing/trace.ts';
import { type CliLab, cliLab } from './testing.ts';

const noTrace = whyNoTrace();
const skipped = noTrace === null ? '' : ` (skipped: ${noTrace})`;
const child = fileURLToPath(new URL('./testing/read-all-child.ts', import.meta.url));

/** A home with the sessions of all agents, some of which are being written, and a home of ours that lies elsewhere. */
let lab: CliLab;
let apart: string;
let log: string;
const live: LiveDatabase[] = [];
let before: Map<string, string>;
let after: Map<string, string>;

beforeAll(async () => {
  lab = await cliLab();
  apart = await mkdtemp(join(tmpdir(), 'read-only-'));
  lab.env.SESSIONCTL_HOME = join(apart, 'ours');
  lab.env.TMPDIR = join(apart, 'tmp');
  log = join(apart, 'trace');
  await mkdir(lab.env.TMPDIR);
  await mkdir(lab.env.SESSIONCTL_HOME, { mode: 0o700 });
  await layEveryAgent(lab.home);
  const profiles = join(lab.home, '.hermes', 'profiles');
  const opencode = join(lab.home, '.local', 'share', 'opencode');
  live.push(
    liveDatabase('hermes', join(profiles, 'simple-qa', 'state.db'), join(profiles, 'live', 'state.db')),
    liveDatabase('opencode', join(opencode, 'opencode-01-simple-qa.db'), join(opencode, 'opencode-live.db')),
  );
  before = await fingerprint(lab.home);
  for (const database of live) database.start();
  await readAll();
  for (const database of live) database.stop();
  after = await fingerprint(lab.home);
}, 900_000);

afterAll(async () => {
  for (const database of live) database.close();
  await lab.close();
  await rm(apart, { recursive: true, force: true });
});

/** Imports, lists, shows, imports again, examines, and follows until something was seen of each live database. */
async function readAll(): Promise<void> {
  const command = [...(noTrace === null ? traced(log) : []), process.execPath, child];
  const env = { ...lab.env, UV_USE_IO_URING: '0' };
  const running = spawn(command[0]!, command.slice(1), { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(running, 'exit');
  const waiting = new Set(
    live.map(({ agent, path, session }) => sessionIdOf({ agent, native_id: session, path: `${path}#${session}` })),
  );
  let following = false;
  for await (const line of createInterface(running.stdout)) {
    if (line === 'following') following = true;
    else if (following) waiting.delete(JSON.parse(line).id);
    if (following && waiting.size === 0) running.stdin.end();
  }
  expect(await ended).toEqual([0, null]);
}

const isLive = (path: string): boolean => live.some((database) => path.startsWith(database.path));

describe('reading the sessions of all agents, by commands and by following them', () => {
  it('finds sessions of each of them', async () => {
    const { rows } = (await lab.run('list', '--all', '--no-scan', '--json')).json.value;
    expect(new Set(rows.map((row: { agent: string }) => row.agent))).toEqual(new Set(AGENTS));
  });

  it('leaves every file and folder as it was, and nothing beside them', () => {
    const quiet = (marks: Map<string, string>) => [...marks].filter(([path]) => !isLive(path));
    expect(quiet(after)).toEqual(quiet(before));
  });

  it('never keeps an agent from writing, and loses nothing of what it wrote meanwhile', async () => {
    expect((await lab.run('import', '--json')).code).toBe(0);
    for (const { path, session, written } of live) {
      expect((await readdir(dirname(path))).filter((name) => name.startsWith(basename(path))).sort()).toEqual(
        ['', '-shm', '-wal'].map((suffix) => basename(path) + suffix),
      );
      const { stdout } = await lab.run('show', `${path}#${session}`, '--events', '--json');
      expect(new Set(stdout.match(/"live \d+"/g)).size).toBe(written);
    }
  });

  it.skipIf(noTrace !== null)(
    `opens none of them to write, makes and removes nothing, locks nothing${skipped}`,
    async () => {
      const { reads, others } = await traceOf(log, lab.home);
      expect(others).toEqual([]);
      const sessions = [...before.keys()].filter((path) => /\.(?:jsonl|db|vscdb|md)$/.test(path));
      expect(reads).toBeGreaterThan(sessions.length);
    },
  );
});

describe(`a trace${skipped}`, () => {
  const CHANGES = {
    write: 'fs.closeSync(fs.openSync(file, "r+"))',
    make: 'fs.closeSync(fs.openSync(file + ".new", "w"))',
    folder: 'fs.mkdirSync(file + ".new")',
    rename: 'fs.renameSync(file, file + ".new")',
    mode: 'fs.chmodSync(file, 0o600)',
    times: 'fs.utimesSync(file, 1, 1)',
    remove: 'fs.unlinkSync(file)',
    // SQLite locks what it opens, even when it only reads
    sqlite: 'new Database(file, { readonly: true }).pragma("user_version")',
  };

  it.skipIf(noTrace !== null)('would show a program that changes something, in whichever way', async () => {
    const folder = await mkdtemp(join(apart, 'other-'));
    const otherLog = join(apart, 'other-trace');
    const program = join(folder, 'program.mjs');
    const start = `import fs from 'node:fs'; import Database from ${JSON.stringify(import.meta.resolve('better-sqlite3'))};`;
    const changes = Object.entries(CHANGES).map(([name, code]) => {
      writeFileSync(join(folder, name), '');
      return `{ const file = ${JSON.stringify(join(folder, name))}; ${code}; }`;
    });
    writeFileSync(program, [start, ...changes].join('\n'));
    const [strace, ...args] = traced(otherLog);
    expect(spawnSync(strace!, [...args, process.execPath, program]).status).toBe(0);
    const { others } = await traceOf(otherLog, folder);
    const unseen = Object.keys(CHANGES).filter((name) => !others.some((line) => line.includes(join(folder, name))));
    expect(unseen).toEqual([]);
  });
});
