/** Drives the real OpenCode. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type KnownSession, type LabAgent, type NativeSession, PROMPT, type Resumed, type Run } from '../contract.ts';
import type { Item } from '../facts.ts';
import { runProgram } from '../lab.ts';
import { itemsOf } from '../protocols/items.ts';

export const opencode: LabAgent = {
  id: 'opencode',
  folder: '.local/share/opencode',
  recordedRoot: '/home/dev/home',
  limits: { textFirst: true, joinsTexts: '', noFailures: true },
  sessions,
  configure,
  resume,
  items: (body) => summariesAsPrompts(itemsOf(body)),
  pickerLists,
  ask: (run, cwd, prompt) =>
    runProgram(run.program, ['run', prompt], { cwd, env: environment(run), timeoutMs: 120_000 }),
  mcpTool: (server, tool) => ({ name: `${server}_${tool}` }),
  refuses: (cwd) =>
    cwd.includes('%') ? 'OpenCode itself runs no session in a folder with a percent sign in its path' : undefined,
};

/** A compacted session opens with this question of OpenCode's own, and the summary is the answer to it. */
const SUMMARY_OF = 'What did we do so far?';

/** Everywhere else a summary is something that the model is told. */
function summariesAsPrompts(items: Item[]): Item[] {
  const asks = (item: Item | undefined): boolean =>
    item?.kind === 'text' && item.role === 'user' && item.text.trim() === SUMMARY_OF;
  return items.map((item, i) => {
    if (asks(item)) return { kind: 'harness', text: SUMMARY_OF };
    return item.kind === 'text' && asks(items[i - 1]) ? { ...item, role: 'user' } : item;
  });
}

const KEY = 'dummy-key-for-loopback';

async function configure({ lab, server }: Run): Promise<void> {
  const folder = join(lab.home, '.config', 'opencode');
  await mkdir(folder, { recursive: true });
  const model = {
    tool_call: true,
    attachment: true,
    reasoning: true,
    modalities: { input: ['text', 'image'], output: ['text'] },
    limit: { context: 200_000, output: 8192 },
  };
  const provider = (npm: string, ...ids: string[]): object => ({
    npm,
    name: npm,
    options: { baseURL: `${server.url}/v1`, apiKey: KEY },
    models: Object.fromEntries(ids.map((id) => [id, { name: id, ...model }])),
  });
  const config = {
    autoupdate: false,
    share: 'disabled',
    model: 'fake/fake-chat-1',
    small_model: 'fake/fake-small',
    provider: {
      fake: provider('@ai-sdk/openai-compatible', 'fake-chat-1', 'fake-small'),
      fakeant: provider('@ai-sdk/anthropic', 'fake-ant-1'),
    },
    permission: { edit: 'allow', bash: 'allow', webfetch: 'deny' },
  };
  await writeFile(join(folder, 'opencode.json'), JSON.stringify(config));
}

const environment = ({ lab }: Run): Record<string, string> => ({
  ...lab.env,
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  OPENCODE_DISABLE_SHARE: '1',
});

/** `opencode run --session <id> continue`. Requests for titles have no tools. */
async function resume(run: Run, session: NativeSession): Promise<Resumed> {
  const { program, server } = run;
  server.take();
  const options = { cwd: session.cwd, env: environment(run), timeoutMs: 120_000 };
  const finished = await runProgram(program, ['run', '--session', session.id, PROMPT], options);
  const main = server.take().find(({ body }) => ((body as { tools?: unknown[] }).tools?.length ?? 0) > 0);
  if (main !== undefined) return { ok: true, body: main.body };
  return { ok: false, reason: `${finished.stderr}${finished.stdout}`.trim().slice(-400) || `exit ${finished.code}` };
}

/** `opencode session list` prints what the list of `/sessions` shows. */
async function pickerLists(run: Run, cwd: string, titles: readonly string[]): Promise<string | undefined> {
  const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const options = { cwd, env: environment(run), timeoutMs: 60_000 };
  const { stdout, stderr } = await runProgram(run.program, ['session', 'list'], options);
  const list = plain(`${stdout}${stderr}`);
  return titles.some((title) => list.includes(plain(title).slice(0, 40).trim())) ? undefined : list.slice(-300);
}

/** Sessions of the database; sub-agents (they have a parent) are none. */
async function sessions(home: string): Promise<KnownSession[]> {
  const folder = join(home, '.local', 'share', 'opencode');
  if (!(await readdir(folder)).includes('opencode.db')) return [];
  const db = new Database(join(folder, 'opencode.db'));
  try {
    const rows = db.prepare<[], { id: string; directory: string }>(
      'SELECT id, directory FROM session WHERE parent_id IS NULL ORDER BY time_created, id',
    );
    return rows.all().map(({ id, directory }) => ({ id, folders: [directory] }));
  } finally {
    db.close();
  }
}
