/** Drives the real Codex: its configuration, and what it sends to its model when it resumes a session. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Resumed } from './agents.ts';
import { PROMPT } from './agents.ts';
import { type Lab, runProgram } from './lab.ts';
import type { CapturedRequest, ModelServer } from './model-server.ts';

/** A provider of the lab's own, so that no account is needed. Sessions have to be written for it to be resumable. */
const PROVIDER = 'lab';

/** Writes `~/.codex/config.toml`: the scripted server as provider, the project trusted, no question at the start. */
export async function configureCodex(lab: Lab, server: ModelServer, cwd: string): Promise<void> {
  const folder = join(lab.home, '.codex');
  await mkdir(folder, { recursive: true });
  const lines = [
    'model = "gpt-5.5"',
    `model_provider = "${PROVIDER}"`,
    'check_for_update_on_startup = false',
    `[model_providers.${PROVIDER}]`,
    'name = "Lab"',
    `base_url = "${server.url}/v1"`,
    'wire_api = "responses"',
    'env_key = "LAB_KEY"',
    'request_max_retries = 0',
    'stream_max_retries = 0',
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

/** Environment of Codex. */
export function codexEnvironment(lab: Lab): Record<string, string> {
  return { ...lab.env, CODEX_HOME: join(lab.home, '.codex'), LAB_KEY: 'dummy-key-for-loopback' };
}

/** `codex exec resume <id> continue` in the session's folder. It appends to the session. */
export async function resumeCodex(
  program: string,
  lab: Lab,
  server: ModelServer,
  session: { id: string; cwd: string },
): Promise<Resumed> {
  server.take();
  const args = ['exec', 'resume', '--skip-git-repo-check', session.id, PROMPT];
  const options = { cwd: session.cwd, env: codexEnvironment(lab), timeoutMs: 120_000 };
  const finished = await runProgram(program, args, options);
  const main = server.take().find(isMainRequest);
  if (main !== undefined) return { ok: true, body: main.body };
  return { ok: false, reason: `${finished.stderr}${finished.stdout}`.trim().slice(-400) || `exit ${finished.code}` };
}

/** One turn of a new session in another folder, so that the home has a database and a session of its own. */
export async function useCodexBefore(program: string, lab: Lab, server: ModelServer): Promise<void> {
  const cwd = join(lab.root, 'work', 'another-project');
  await mkdir(cwd, { recursive: true });
  const args = ['exec', '--skip-git-repo-check', 'An earlier question.'];
  const finished = await runProgram(program, args, { cwd, env: codexEnvironment(lab), timeoutMs: 120_000 });
  server.take();
  if (finished.code !== 0) throw new Error(`codex exec failed: ${finished.stderr.trim().slice(-300)}`);
}

function isMainRequest(request: CapturedRequest): boolean {
  const body = request.body as { input?: unknown[] } | undefined;
  return request.path.endsWith('/responses') && (body?.input?.length ?? 0) > 0;
}
