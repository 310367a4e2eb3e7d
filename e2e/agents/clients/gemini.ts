/** Drives the real Gemini CLI. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type KnownSession, type LabAgent, type NativeSession, PROMPT, type Resumed, type Run } from '../contract.ts';
import { runProgram } from '../lab.ts';
import { geminiItems } from '../protocols/gemini.ts';

export const gemini: LabAgent = {
  id: 'gemini',
  folder: '.gemini',
  recordedRoot: '/home/dev/hms',
  limits: {},
  sessions,
  settle,
  configure,
  resume,
  items: geminiItems,
  pickerLists,
  ask: (run, cwd, prompt) =>
    runProgram(run.program, ['--skip-trust', '-m', 'gemini-2.5-flash', '--yolo', '-p', prompt], {
      cwd,
      env: environment(run),
      timeoutMs: 120_000,
    }),
  mcpTool: (server, tool) => ({ name: `mcp_${server}_${tool}` }),
};

async function configure({ lab }: Run): Promise<void> {
  const folder = join(lab.home, '.gemini');
  await mkdir(folder, { recursive: true });
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    privacy: { usageStatisticsEnabled: false },
    general: { disableAutoUpdate: true, disableUpdateNag: true },
  };
  await writeFile(join(folder, 'settings.json'), JSON.stringify(settings));
}

const environment = ({ lab, server }: Run): Record<string, string> => ({
  ...lab.env,
  GEMINI_API_KEY: 'dummy-key-for-loopback',
  GOOGLE_GEMINI_BASE_URL: server.url,
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
  GEMINI_TELEMETRY_ENABLED: 'false',
  NO_BROWSER: 'true',
  CI: '1',
});

/** `gemini --resume <id> -m <model> -p continue`; without a model it asks a router first. */
async function resume(run: Run, session: NativeSession): Promise<Resumed> {
  const { program, server } = run;
  server.take();
  const options = { cwd: session.cwd, env: environment(run), timeoutMs: 120_000 };
  const args = ['--skip-trust', '-m', 'gemini-2.5-flash', '--resume', session.id, '-p', PROMPT];
  const finished = await runProgram(program, args, options);
  const main = server.take().find(({ body }) => ((body as { tools?: unknown[] }).tools?.length ?? 0) > 0);
  if (main !== undefined) return { ok: true, body: main.body };
  return { ok: false, reason: `${finished.stderr}${finished.stdout}`.trim().slice(-400) || `exit ${finished.code}` };
}

/** `gemini --list-sessions` prints what the list of `/resume` shows. */
async function pickerLists(run: Run, cwd: string, titles: readonly string[]): Promise<string | undefined> {
  const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const options = { cwd, env: environment(run), timeoutMs: 60_000 };
  const { stdout, stderr } = await runProgram(run.program, ['--skip-trust', '--list-sessions'], options);
  const list = plain(`${stdout}${stderr}`);
  return titles.some((title) => list.includes(plain(title).slice(0, 60).trim())) ? undefined : list.slice(-300);
}

/** Up to 0.24 the folder's name is the hash of the project's path; 0.61 looks there for sessions of a project. */
async function settle(home: string, { id }: KnownSession, cwd: string): Promise<void> {
  const root = join(home, '.gemini', 'tmp');
  for (const name of await readdir(root)) {
    const chats = await readdir(join(root, name, 'chats')).catch(() => []);
    if (/^[0-9a-f]{64}$/.test(name) && chats.some((file) => file.includes(id.slice(0, 8))))
      await rename(join(root, name), join(root, createHash('sha256').update(cwd).digest('hex')));
  }
}

/** Sub-agents have a folder of their own below `chats/`. */
async function sessions(home: string): Promise<KnownSession[]> {
  const root = join(home, '.gemini', 'tmp');
  const known = new Map<string, KnownSession>();
  for (const name of (await readdir(root, { recursive: true }).catch(() => [])).sort()) {
    if (!/^session-.*\.jsonl?$/.test(basename(name)) || basename(dirname(name)) !== 'chats') continue;
    const text = await readFile(join(root, name), 'utf8');
    const id = /"sessionId"\s*:\s*"([^"]+)"/.exec(text)?.[1];
    const folder = await readFile(join(root, name, '..', '..', '.project_root'), 'utf8').catch(() => '');
    if (id !== undefined && !known.has(id)) known.set(id, { id, folders: folder.trim() === '' ? [] : [folder.trim()] });
  }
  return [...known.values()];
}
