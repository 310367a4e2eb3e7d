/** Drives the real Pi. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KnownSession, type LabAgent, type NativeSession, PROMPT, type Resumed, type Run } from '../contract.ts';
import { type Lab, runProgram } from '../lab.ts';
import { itemsOf } from '../protocols/items.ts';
import { openTerminal } from '../terminal.ts';

export const pi: LabAgent = {
  id: 'pi',
  folder: '.pi',
  recordedRoot: '/home/dev/home',
  limits: { textFirst: true, joinsTexts: '', noFailures: true },
  sessions,
  configure,
  resume,
  items: itemsOf,
  pickerLists,
  ask: ({ program, lab }, cwd, prompt) =>
    runProgram(program, ['-p', prompt], { cwd, env: environment(lab), timeoutMs: 120_000 }),
  mcpTool: (server, tool) => ({ name: `mcp__${server}__${tool}` }),
};

const KEY = 'dummy-key-for-loopback';
const MODEL = { reasoning: true, input: ['text', 'image'], contextWindow: 200_000, maxTokens: 16_384 };

/** The providers of the fixtures, all of them the scripted model. */
const providers = (url: string): object => ({
  fakechat: {
    baseUrl: `${url}/v1`,
    apiKey: KEY,
    api: 'openai-completions',
    models: models('fake-chat-1', 'fake-chat-2'),
  },
  fakeant: { baseUrl: url, apiKey: KEY, api: 'anthropic-messages', models: models('fake-ant-1') },
  fakeresp: { baseUrl: `${url}/v1`, apiKey: KEY, api: 'openai-responses', models: models('fake-resp-1') },
});

const models = (...ids: string[]): object[] => ids.map((id) => ({ id, name: id, ...MODEL }));

async function configure({ lab, server }: Run): Promise<void> {
  const folder = join(lab.home, '.pi', 'agent');
  await mkdir(folder, { recursive: true });
  const settings = {
    defaultProvider: 'fakechat',
    defaultModel: 'fake-chat-1',
    defaultThinkingLevel: 'off',
    defaultProjectTrust: 'always',
    enableInstallTelemetry: false,
    quietStartup: true,
    cacheWarming: 'off',
    retry: { enabled: false },
  };
  await writeFile(join(folder, 'models.json'), JSON.stringify({ providers: providers(server.url) }));
  await writeFile(join(folder, 'settings.json'), JSON.stringify(settings));
}

const environment = (lab: Lab): Record<string, string> => ({
  ...lab.env,
  PI_OFFLINE: '1',
  PI_SKIP_VERSION_CHECK: '1',
  PI_TELEMETRY: '0',
});

/** `pi --session <file> -p continue`. */
async function resume({ program, lab, server }: Run, session: NativeSession): Promise<Resumed> {
  const file = session.path ?? (await files(lab.home)).find((path) => path.includes(session.id));
  if (file === undefined) return { ok: false, reason: `no file of Pi has the id ${session.id}` };
  server.take();
  const options = { cwd: session.cwd, env: environment(lab), timeoutMs: 120_000 };
  const finished = await runProgram(program, ['--session', file, '-p', PROMPT], options);
  const main = server.take().find(({ body }) => JSON.stringify(body).includes(PROMPT));
  if (main !== undefined) return { ok: true, body: main.body };
  return { ok: false, reason: `${finished.stderr}${finished.stdout}`.trim().slice(-400) || `exit ${finished.code}` };
}

const SCREEN_MS = 30_000;

/** `pi --resume` opens the list of the folder's sessions. */
async function pickerLists({ program, lab }: Run, cwd: string, titles: readonly string[]): Promise<string | undefined> {
  const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const wanted = titles.map((title) => plain(title).slice(0, 60).trim());
  const terminal = await openTerminal(lab, [program, '--resume'], cwd, environment(lab));
  try {
    const isListed = await terminal.until((screen) => wanted.some((title) => plain(screen).includes(title)), SCREEN_MS);
    return isListed ? undefined : plain(await terminal.screen()).slice(0, 300);
  } finally {
    await terminal.close();
  }
}

async function files(home: string): Promise<string[]> {
  const root = join(home, '.pi', 'agent', 'sessions');
  const names = await readdir(root, { recursive: true }).catch(() => []);
  return names
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(root, name));
}

async function sessions(home: string): Promise<KnownSession[]> {
  const known: KnownSession[] = [];
  for (const file of await files(home)) {
    const text = await readFile(file, 'utf8');
    const { id, cwd } = headOf(text.slice(0, text.indexOf('\n')));
    if (id !== undefined) known.push({ id, path: file, folders: cwd === undefined || cwd === '' ? [] : [cwd] });
  }
  return known;
}

function headOf(line: string): { id?: string; cwd?: string } {
  try {
    return JSON.parse(line) as { id?: string; cwd?: string };
  } catch {
    return {};
  }
}
