/** Drives the real Claude Code: what it sends to its model when it resumes one of its own sessions. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Resumed } from './agents.ts';
import { PROMPT } from './agents.ts';
import type { Lab } from './lab.ts';
import { runProgram } from './lab.ts';
import type { CapturedRequest, ModelServer } from './model-server.ts';
import type { NativeSession } from './source.ts';

const KEY = 'dummy-key-for-loopback';

/** `claude --resume <id> -p continue` in the session's folder. It appends to the session: use a copy. */
export async function resumeClaude(
  program: string,
  lab: Lab,
  server: ModelServer,
  session: NativeSession,
): Promise<Resumed> {
  const state = { hasCompletedOnboarding: true, theme: 'dark', bypassPermissionsModeAccepted: true };
  await writeFile(join(lab.home, '.claude.json'), JSON.stringify(state));
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
