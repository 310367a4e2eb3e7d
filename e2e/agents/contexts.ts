/**
 * `node scripts/task.mjs e2e/agents/contexts.ts`: whether a compiled context reaches the model by the line that we print. `sessionctl compile --out` writes
 * the page into the session's folder; the command that it says is typed into a terminal, as a person would, and the first
 * request of the real agent that holds the page is looked for: each of its lines must be in it.
 *
 *     --agent AGENT     only this one (repeatable)
 *     --json            the reports as JSON
 *
 * Exit code 0 only when every agent that could be run passed. Hermes is not run: it cannot be had from the registries.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { LAB_AGENTS } from './agents.ts';
import type { LabAgent, NativeSession } from './contract.ts';
import { runCli } from './handoff.ts';
import { installAgent } from './install.ts';
import { createLab, type Lab } from './lab.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import { fixtureSources, nativeSessions } from './source.ts';
import { openTerminal } from './terminal.ts';

interface Report {
  agent: string;
  version: string;
  /** the line that was typed */
  line: string;
  lines: number;
  /** lines of the page that no request held */
  missing: string[];
  problem?: string;
}

const KEY = 'dummy-key-for-loopback';
const FIRST_REQUEST_MS = 60_000;
const POLL_MS = 200;

/** What the client asks for beside the lab's home: its scripted model, no news, no questions. */
const ENVIRONMENT: Record<string, (lab: Lab, server: ModelServer) => Record<string, string>> = {
  claude: (_lab, { url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
    IS_SANDBOX: '1',
  }),
  codex: (lab) => ({ CODEX_HOME: join(lab.home, '.codex'), LAB_KEY: KEY }),
  pi: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' }),
  opencode: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_SHARE: '1',
  }),
  gemini: (_lab, { url }) => ({
    GEMINI_API_KEY: KEY,
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_MODEL: 'gemini-2.5-flash',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
    NO_BROWSER: 'true',
  }),
};

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      agent: { type: 'string', multiple: true, default: [] as string[] },
      json: { type: 'boolean', default: false },
    },
  });
  const agents = LAB_AGENTS.filter(
    ({ id }) => id in ENVIRONMENT && (values.agent.length === 0 || values.agent.includes(id)),
  );
  const reports: Report[] = [];
  for (const agent of agents) {
    const installed = await installAgent(agent.id);
    if (!installed.ok) {
      console.error(`${agent.id}: not run: ${installed.reason}`);
      continue;
    }
    const report = await runOne(agent, installed.program, installed.version);
    reports.push(report);
    if (!values.json) console.error(lineOf(report));
  }
  if (values.json) console.log(JSON.stringify(reports, null, 2));
  const failed = reports.filter(isFailed).length;
  console.log(`${reports.length - failed} passed, ${failed} failed`);
  return failed === 0 && reports.length > 0 ? 0 : 1;
}

function isFailed({ missing, problem }: Report): boolean {
  return missing.length > 0 || problem !== undefined;
}

function lineOf(report: Report): string {
  const { agent, version, line, lines, missing, problem } = report;
  const result =
    problem ??
    (missing.length === 0
      ? `all ${lines} lines reached the model`
      : `${missing.length} of ${lines} lines missing: ${missing[0]}`);
  return `${isFailed(report) ? 'FAILED' : 'passed'}  ${agent} ${version}: ${result}\n        ${line}`;
}

async function runOne(agent: LabAgent, program: string, version: string): Promise<Report> {
  const lab = await createLab({ [agent.id]: program });
  const server = await startModelServer();
  const report: Report = { agent: agent.id, version, line: '', lines: 0, missing: [] };
  try {
    const session = await laidOut(lab);
    await agent.configure({ program, lab, server }, session.cwd);
    const file = join(session.cwd, 'context.md');
    const { text, cwd } = await compiledCommand(lab, session, agent.id, file);
    report.line = text;
    const page = (await readFile(file, 'utf8'))
      .split('\n')
      .map(plain)
      .filter((line) => line !== '');
    report.lines = page.length;
    const env = { ...lab.env, ...ENVIRONMENT[agent.id]!(lab, server) };
    const terminal = await openTerminal(lab, ['sh', '-c', text], cwd ?? session.cwd, env);
    try {
      const bodies = await bodiesWith(server, page[0]!);
      if (bodies === null)
        report.problem = `no request held the page; the screen says: ${plain(await terminal.screen()).slice(0, 300)}`;
      else report.missing = page.filter((line) => !bodies.includes(line));
    } finally {
      await terminal.close();
    }
  } catch (error) {
    report.problem = String(error);
  } finally {
    await server.close();
    await lab.remove();
  }
  return report;
}

/** A session of Claude Code in a folder that exists, in our store. */
async function laidOut(lab: Lab): Promise<NativeSession> {
  const claude = LAB_AGENTS.find(({ id }) => id === 'claude')!;
  const [source] = await fixtureSources(claude, ['tools']);
  if (source === undefined) throw new Error('the fixture "tools" is gone');
  await source.lay(lab);
  const [session] = await nativeSessions(claude, lab);
  if (session === undefined) throw new Error('the fixture holds no session');
  for (const step of [['init', '--key-file'], ['sources', 'enable', 'claude'], ['import']])
    await must(lab, session.cwd, step);
  return session;
}

async function compiledCommand(
  lab: Lab,
  session: NativeSession,
  agent: string,
  file: string,
): Promise<{ text: string; cwd: string | null }> {
  const answer = await must(lab, session.cwd, ['compile', session.id, '--for', agent, '--out', file]);
  const { injection } = answer as { injection: { command: { text: string; cwd: string | null } | null } };
  if (injection.command === null) throw new Error('there is no command for it');
  return injection.command;
}

async function must(lab: Lab, cwd: string, args: string[]): Promise<unknown> {
  const answer = await runCli(lab, cwd, args);
  if (!answer.ok) throw new Error(answer.reason);
  return answer.value;
}

/** Texts of the requests so far, once one of them holds the page's first line. */
async function bodiesWith(server: ModelServer, first: string): Promise<string | null> {
  let texts = '';
  const end = Date.now() + FIRST_REQUEST_MS;
  while (Date.now() < end) {
    texts += server
      .take()
      .map(({ body }) => plain(strings(body).join(' ')))
      .join('\n');
    if (texts.includes(first)) return texts;
    await pause(POLL_MS);
  }
  return null;
}

/** Every text of a request. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(strings);
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
