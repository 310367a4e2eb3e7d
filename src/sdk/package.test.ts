import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Session } from './session.ts';
import { Store } from './store.ts';
import { type SdkLab, sdkLab } from './testing.ts';

const root = join(import.meta.dirname, '..', '..');
const built = join(root, 'out', 'main', 'sdk.js');

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

function run(
  args: string[],
  options: { cwd: string; env?: Record<string, string> },
  onOut = (_out: string): void => {},
) {
  const child = spawn(process.execPath, args, { cwd: options.cwd, env: { PATH: '/nowhere', ...options.env } });
  const ran: Ran = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    ran.stdout += chunk;
    onOut(ran.stdout);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    ran.stderr += chunk;
  });
  const done = new Promise<Ran>((resolve) => child.on('close', (code) => resolve({ ...ran, code })));
  return { child, done };
}

beforeAll(async () => {
  if (existsSync(built)) return;
  const { code, stderr } = await run([join(root, 'scripts', 'build.mjs')], { cwd: root, env: process.env as never })
    .done;
  if (code !== 0) throw new Error(stderr);
});

describe('the package', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sdk-package-'));
    await mkdir(join(folder, 'node_modules'));
    await symlink(root, join(folder, 'node_modules', 'sessionctl'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is imported by name, makes a store where it is told to, and leaves the process free to end', async () => {
    const program = `
      import * as sdk from 'sessionctl';
      const store = await sdk.Store.local({ home: ${JSON.stringify(join(folder, 'store'))}, create: 'keyfile' });
      const session = await sdk.Session.create({ agent: 'mybot' }, store);
      await session.append({ type: 'message.user', payload: { content: 'hi' } });
      console.log(Object.keys(sdk).sort().join(' '), (await store.list()).total);
      await store.close();`;
    await writeFile(join(folder, 'a.mjs'), program);
    expect(await run(['a.mjs'], { cwd: folder, env: { HOME: folder } }).done).toEqual({
      code: 0,
      stdout: 'AdapterRegistry ClaudeSessionStore Compiler Identity Session SessionctlError Store 1\n',
      stderr: '',
    });
  });

  it('has types that another project resolves, without any of ours', async () => {
    await writeFile(
      join(folder, 'a.ts'),
      `import { ClaudeSessionStore, Compiler, Session, Store, type SessionEvent } from 'sessionctl';
       const store = await Store.local({ create: { passphrase: 'x' } });
       const session = await Session.open((await store.list({ limit: 1 })).rows[0]!.id, store);
       for await (const event of session.tail()) { const one: SessionEvent = event; void one.seq; }
       const page = await Compiler.compile(session, 'codex', 8000);
       const seqs: number[] = page.items.flatMap(({ provenance }) => provenance);
       const mirror: { load(key: { projectKey: string; sessionId: string }): Promise<{ type: string }[] | null> } =
         new ClaudeSessionStore(store);
       void [seqs, mirror];
       // @ts-expect-error a number is no id
       await Session.open(3, store);
       // @ts-expect-error there is no such option
       await Store.local({ colour: 'red' });`,
    );
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2022',
      types: ['node'],
      typeRoots: [join(root, 'node_modules', '@types')],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['a.ts'] }));
    const tsc = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
    expect(await run([tsc, '-p', '.'], { cwd: folder }).done).toMatchObject({ code: 0, stdout: '' });
  });

  it('loads nothing of the engine before a store is opened', () => {
    const seen = new Set<string>();
    const visit = (path: string): void => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const [, from = ''] of readFileSync(path, 'utf8').matchAll(/^import [^;]*?from "([^"]+)";$/gm)) {
        if (from.startsWith('./')) visit(join(path, '..', from));
        else seen.add(from);
      }
    };
    visit(built);
    expect([...seen].filter((name) => /sqlite|zlib|keytar|worker_threads/.test(name))).toEqual([]);
  });
});

describe('an example', () => {
  let lab: SdkLab;
  let session: string;
  beforeEach(async () => {
    lab = await sdkLab(['tools']);
    session = (await lab.store.list()).rows[0]!.id;
    await lab.store.close();
  });
  afterEach(() => lab.close());

  const example = (name: string, args: string[] = [], onOut?: (out: string) => void) =>
    run([join(root, 'examples', `${name}.mjs`), ...args], { cwd: lab.home, env: { HOME: lab.home } }, onOut);

  it('compiles the last session', async () => {
    const { code, stdout, stderr } = await example('compile').done;
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/tokens; \d+ items left out/) });
    expect(stdout).toContain('parse_amount');
  });

  it('keeps the sessions of an agent of one’s own, with a fork', async () => {
    const { code, stdout } = await example('own-agent').done;
    expect({ code, lines: stdout.trim().split('\n') }).toEqual({
      code: 0,
      lines: [
        expect.stringMatching(/^sess_\w+: 2 prompts, the last: Fix it\.$/),
        expect.stringMatching(/^sess_\w+: 2 prompts, the last: Rewrite the parser\.$/),
      ],
    });
  });

  it('follows a session until it ends', async () => {
    const store = await Store.local(lab.options);
    const own = await Session.create({ agent: 'mybot' }, store);
    let told = false;
    const { done } = example('follow', [own.id], (out) => {
      if (told || !out.includes('session.start')) return;
      told = true;
      void own.append([
        { type: 'message.user', payload: { content: 'bye' } },
        { type: 'session.end', payload: { end_reason: 'done' } },
      ]);
    });
    expect(await done).toMatchObject({
      code: 0,
      stdout: '0 session.start system\n1 message.user user\n2 session.end system\n',
    });
    await store.close();
  });

  it('hands a session over, and says what is wrong', async () => {
    const { code, stdout } = await example('handoff', [session, 'codex', lab.home]).done;
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/Go on: .*codex resume /) });
    expect(await example('handoff', ['nobody', 'codex']).done).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not_found'),
    });
  });

  it('mirrors what the Claude Agent SDK writes', async () => {
    const { code, stdout } = await example('claude-session-store').done;
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '0d5b6a52-7d0c-4f0e-9c46-6f1f0f6a1c11: 2 entries, sub-agents: subagents/agent-1\n',
    });
  });
});
