/** Drives the real Codex. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { type KnownSession, type LabAgent, type NativeSession, PROMPT, type Resumed, type Run } from '../contract.ts';
import { type Lab, runProgram } from '../lab.ts';
import { ANSWER, type CapturedRequest, TITLE } from '../model-server.ts';
import { responsesItems } from '../protocols/responses.ts';
import { openTerminal } from '../terminal.ts';

export const codex: LabAgent = {
  id: 'codex',
  folder: '.codex',
  recordedRoot: '/home/dev/cx',
  limits: {},
  sessions: codexSessions,
  configure,
  resume,
  items: responsesItems,
  visitBefore,
  pickerLists,
  ask: ({ program, lab }, cwd, prompt) =>
    runProgram(program, ['exec', '--skip-git-repo-check', prompt], {
      cwd,
      env: codexEnvironment(lab),
      timeoutMs: 120_000,
    }),
  mcpTool: (server, tool) => ({ name: tool, namespace: `mcp__${server}` }),
};

/**
 * Providers of the lab's own, so that no account is needed. The fixtures were recorded with them, and Codex resumes a
 * thread only with the provider that it names. A session that is handed over has to take the first, which is configured.
 */
const PROVIDERS = ['mock', 'oai'];

const providerLines = (id: string, url: string): string[] => [
  `[model_providers.${id}]`,
  'name = "Lab"',
  `base_url = "${url}/v1"`,
  'wire_api = "responses"',
  'env_key = "LAB_KEY"',
  'request_max_retries = 0',
  'stream_max_retries = 0',
];

/** Writes `~/.codex/config.toml`: the scripted server as provider, the project trusted, no question at the start. */
async function configure({ lab, server }: Run, cwd: string): Promise<void> {
  const folder = join(lab.home, '.codex');
  await mkdir(folder, { recursive: true });
  const lines = [
    'model = "gpt-5.5"',
    `model_provider = "${PROVIDERS[0]}"`,
    'check_for_update_on_startup = false',
    ...PROVIDERS.flatMap((id) => providerLines(id, server.url)),
    '[analytics]',
    'enabled = false',
    '[features]',
    ...['plugins', 'apps', 'remote_plugin', 'plugin_sharing', 'daemon_auto_start'].map((name) => `${name} = false`),
    `[projects.${JSON.stringify(cwd)}]`,
    'trust_level = "trusted"',
    '[notice.model_migrations]',
    '"gpt-5.5" = "gpt-6-sol"',
  ];
  await writeFile(join(folder, 'config.toml'), `${lines.join('\n')}\n`);
}

function codexEnvironment(lab: Lab): Record<string, string> {
  return { ...lab.env, CODEX_HOME: join(lab.home, '.codex'), LAB_KEY: 'dummy-key-for-loopback' };
}

/** `codex exec resume <id> continue`. */
async function resume({ program, lab, server }: Run, session: NativeSession): Promise<Resumed> {
  server.take();
  const provider = session.provider === undefined ? [] : ['-c', `model_provider="${session.provider}"`];
  const args = ['exec', ...provider, 'resume', '--skip-git-repo-check', session.id, PROMPT];
  const options = { cwd: session.cwd, env: codexEnvironment(lab), timeoutMs: 120_000 };
  const finished = await runProgram(program, args, options);
  const main = server.take().find(isMainRequest);
  if (main !== undefined) return { ok: true, body: main.body };
  return { ok: false, reason: `${finished.stderr}${finished.stdout}`.trim().slice(-400) || `exit ${finished.code}` };
}

/**
 * One turn of an own session in `cwd` and one look into the picker, as a user of Codex has had long ago. From then on
 * its list comes from its database, and a file that is only dropped into `sessions/` is not in it. Throws when Codex
 * does not get that far.
 */
async function visitBefore(run: Run, cwd: string): Promise<void> {
  const { program, lab, server } = run;
  const terminal = await openTerminal(lab, [program, EARLIER_PROMPT], cwd, codexEnvironment(lab));
  try {
    const isAnswered = await terminal.until((screen) => screen.includes(ANSWER), SCREEN_MS);
    if (!isAnswered)
      throw new Error(`no answer on the screen of Codex: ${plain(await terminal.screen()).slice(0, 300)}`);
    await terminal.type('/quit');
    await terminal.press('Enter');
    await terminal.until((screen) => screen === '', SCREEN_MS);
  } finally {
    await terminal.close();
  }
  const missing = await pickerLists(run, cwd, [TITLE, EARLIER_PROMPT]);
  if (missing !== undefined) throw new Error(`Codex does not list its own session: ${missing}`);
  server.take();
}

const EARLIER_PROMPT = 'An earlier question.';

/** How long a screen may take to show what is waited for. It takes half a second on an idle machine. */
const SCREEN_MS = 30_000;

/**
 * Opens `codex resume` in `cwd` and waits for a row with one of `titles`; when none comes, the answer is what the screen
 * shows. The list is cut by the width of the screen, so the first characters of a title decide.
 */
async function pickerLists({ program, lab }: Run, cwd: string, titles: readonly string[]): Promise<string | undefined> {
  const wanted = titles.map((title) => plain(title).slice(0, 60).trim());
  const isWanted = (row: string): boolean => wanted.some((title) => row.includes(title));
  const terminal = await openTerminal(lab, [program, 'resume'], cwd, codexEnvironment(lab));
  try {
    const isListed = await terminal.until((screen) => rows(screen).some(isWanted), SCREEN_MS);
    return isListed
      ? undefined
      : rows(await terminal.screen())
          .join(' | ')
          .slice(0, 300);
  } finally {
    await terminal.close();
  }
}

/** Rows of the list: the lines that stand between the filter line and the rule at the bottom. */
function rows(screen: string): string[] {
  const lines = screen.split('\n').map(plain);
  const start = lines.findIndex((line) => line.includes('Filter:'));
  const end = lines.findIndex((line) => /^─{20}/.test(line));
  return lines.slice(start + 1, end === -1 ? undefined : end).filter((line) => line !== '');
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function isMainRequest(request: CapturedRequest): boolean {
  const body = request.body as { input?: unknown[] } | undefined;
  return request.path.endsWith('/responses') && (body?.input?.length ?? 0) > 0;
}

/** Threads that a user can resume: those of sub-agents are none. A compressed file of a thread stands for itself. */
async function codexSessions(home: string): Promise<KnownSession[]> {
  const root = join(home, '.codex', 'sessions');
  const sessions = new Map<string, KnownSession>();
  for (const name of (await readdir(root, { recursive: true })).sort()) {
    if (!/\.jsonl(\.zst)?$/.test(name)) continue;
    const bytes = await readFile(join(root, name));
    const text = (name.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes).toString('utf8');
    const head = headOf(text);
    if (head !== undefined && !sessions.has(head.id)) sessions.set(head.id, head);
  }
  return [...sessions.values()];
}

/** The first line tells it; threads before 0.32 have their folder in the context that opens the conversation, if at all. */
function headOf(text: string): KnownSession | undefined {
  try {
    const record = JSON.parse(text.slice(0, text.indexOf('\n'))) as { payload?: Record<string, unknown> } & Record<
      string,
      unknown
    >;
    const { id, cwd, source, model_provider: provider } = record.payload ?? record;
    const isChild = typeof source === 'object' && JSON.stringify(source).includes('subagent');
    if (isChild || typeof id !== 'string') return undefined;
    const folder = typeof cwd === 'string' ? cwd : /<cwd>([^<]+)<\/cwd>/.exec(text)?.[1];
    return { id, folders: folder === undefined ? [] : [folder], ...(typeof provider === 'string' && { provider }) };
  } catch {
    return undefined;
  }
}
