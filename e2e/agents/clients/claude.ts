/** Drives the real Claude Code. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { type KnownSession, type LabAgent, PROMPT, type Resumed, type Run } from '../contract.ts';
import { type Lab, runProgram } from '../lab.ts';
import type { CapturedRequest, ModelServer } from '../model-server.ts';
import { anthropicItems } from '../protocols/anthropic.ts';
import { openTerminal } from '../terminal.ts';

export const claude: LabAgent = {
  id: 'claude',
  folder: '.claude',
  recordedRoot: '/home/dev/cld',
  limits: { textFirst: true },
  sessions: claudeSessions,
  configure,
  resume,
  items: anthropicItems,
  pickerLists,
  ask: ({ program, lab, server }, cwd, prompt) =>
    runProgram(program, ['-p', prompt, '--dangerously-skip-permissions'], {
      cwd,
      env: claudeEnvironment(lab, server),
      timeoutMs: 120_000,
    }),
  mcpTool: (server, tool) => ({ name: `mcp__${server}__${tool}` }),
};

const KEY = 'dummy-key-for-loopback';

/** Its state beside the folder: what it asks at its first start has been answered. */
async function configure({ lab }: Run, cwd: string): Promise<void> {
  const state = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    bypassPermissionsModeAccepted: true,
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  await writeFile(join(lab.home, '.claude.json'), JSON.stringify(state));
}

/** `claude --resume <id> -p continue`. */
async function resume({ program, lab, server }: Run, session: { id: string; cwd: string }): Promise<Resumed> {
  server.take();
  const finished = await runProgram(program, ['--resume', session.id, '-p', PROMPT, '--dangerously-skip-permissions'], {
    cwd: session.cwd,
    env: claudeEnvironment(lab, server),
    timeoutMs: 120_000,
  });
  const main = server.take().find(isMainRequest);
  if (main !== undefined) return { ok: true, body: main.body };
  return { ok: false, reason: `${finished.stderr}${finished.stdout}`.trim().slice(0, 300) || `exit ${finished.code}` };
}

const SCREEN_MS = 30_000;

/** `claude --resume` without an id opens the list. A long title is cut there. */
async function pickerLists(
  { program, lab, server }: Run,
  cwd: string,
  titles: readonly string[],
): Promise<string | undefined> {
  const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const wanted = titles.map((title) => plain(title).slice(0, 60).trim());
  const terminal = await openTerminal(lab, [program, '--resume'], cwd, claudeEnvironment(lab, server));
  try {
    const isListed = await terminal.until((screen) => wanted.some((title) => plain(screen).includes(title)), SCREEN_MS);
    return isListed ? undefined : plain(await terminal.screen()).slice(0, 300);
  } finally {
    await terminal.close();
  }
}

/** Files of sub-agents (`agent-…`) and files without any message are no sessions. */
async function claudeSessions(home: string): Promise<KnownSession[]> {
  const projects = join(home, '.claude', 'projects');
  const sessions: KnownSession[] = [];
  for (const project of (await readdir(projects)).sort()) {
    for (const name of (await readdir(join(projects, project))).sort()) {
      if (!name.endsWith('.jsonl') || name.startsWith('agent-')) continue;
      const id = basename(name, '.jsonl');
      const folders = await foldersOf(join(projects, project, name));
      const known = sessions.find((session) => session.id === id);
      if (known === undefined) sessions.push({ id, folders });
      else known.folders = [...new Set([...known.folders, ...folders])];
    }
  }
  return sessions;
}

/** Working folders named in the messages of a file, in the order of their first use. */
async function foldersOf(file: string): Promise<string[]> {
  const folders = new Set<string>();
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    const record = parseRecord(line);
    const isMessage = record?.type === 'user' || record?.type === 'assistant';
    if (isMessage && typeof record.cwd === 'string' && isAbsolute(record.cwd)) folders.add(record.cwd);
  }
  return [...folders];
}

function parseRecord(line: string): { type?: unknown; cwd?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function claudeEnvironment(lab: Lab, server: ModelServer): Record<string, string> {
  return {
    ...lab.env,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
    IS_SANDBOX: '1',
  };
}

/** The conversation itself has tools; requests for titles and the like have none. */
function isMainRequest(request: CapturedRequest): boolean {
  const body = request.body as { tools?: unknown[]; messages?: unknown[] } | undefined;
  return request.path === '/v1/messages' && (body?.tools?.length ?? 0) > 0 && (body?.messages?.length ?? 0) > 0;
}
