/**
 * `npm run conformance -- --mcp`: the real agents use our MCP server. Each is set up by `sessionctl mcp install`, is asked to
 * go on with an earlier session of another agent, and its scripted model calls our tools; what the agent then sends to its
 * model is compared with what our command line says of that session. At the end the model hands a session over to another
 * agent, by a plan and the plan's id, and the real one resumes it.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LAB_AGENTS } from './agents.ts';
import type { LabAgent, NativeSession, Run } from './contract.ts';
import { runCli } from './handoff.ts';
import { createLab, exists, type Lab } from './lab.ts';
import { ANSWER, type CapturedRequest, type Reply, startModelServer } from './model-server.ts';
import { fixtureSources, nativeSessions } from './source.ts';

export interface McpReport {
  agent: string;
  /** tools whose answer reached the model as it should */
  passed: string[];
  problems: string[];
}

/** What a tool's answer is checked with. */
interface Facts {
  /** our id of the earlier session, and words of it */
  previous: string;
  words: string[];
  /** what `sessionctl compile` prints of it */
  page: string;
  /** the agent that a session is handed to */
  to: LabAgent;
}

interface Step {
  tool: string;
  args: (answers: readonly string[]) => object;
  /** what is wrong with the answer that the model got, if anything */
  check: (answer: string) => string | undefined;
}

/** An agent tells its server which session it is in, or it does not (src/mcp/clients.ts). */
const TELLS = new Set(['claude', 'codex']);

const PROMPT = 'Go on with the earlier work on parse_amount.';
const FIXTURE = 'tools';
const BUDGET = 4000;

/** The agents that have a way to be asked. */
export const MCP_AGENTS: readonly LabAgent[] = LAB_AGENTS.filter(({ ask }) => ask !== undefined);

/** Runs one agent in a home of its own. `programs` by agent's id; all that take part must be in it. */
export async function runMcp(agent: LabAgent, programs: Readonly<Record<string, string>>): Promise<McpReport> {
  const to = LAB_AGENTS.find(({ id }) => id === (agent.id === 'codex' ? 'claude' : 'codex'))!;
  const lab = await createLab({ [agent.id]: programs[agent.id]!, [to.id]: programs[to.id]! });
  const report: McpReport = { agent: agent.id, passed: [], problems: [] };
  try {
    await converse({ agent, to, lab, programs }, report);
  } catch (error) {
    report.problems.push(String(error));
  } finally {
    await lab.remove();
  }
  return report;
}

interface Scene {
  agent: LabAgent;
  to: LabAgent;
  lab: Lab;
  programs: Readonly<Record<string, string>>;
}

async function converse(scene: Scene, report: McpReport): Promise<void> {
  const { agent, to, lab, programs } = scene;
  const cwd = join(lab.root, 'work', 'project');
  await mkdir(cwd, { recursive: true });
  const facts = await prepare(scene, cwd);
  const steps = stepsOf(agent, facts);
  let isOver = false;
  const server = await startModelServer((request) => (isOver ? { text: ANSWER } : answer(agent, steps, request)));
  try {
    const run: Run = { program: programs[agent.id]!, lab, server };
    const target: Run = { ...run, program: programs[to.id]! };
    // what is written for an agent follows its settings
    await to.configure(target, cwd);
    await agent.configure(run, cwd);
    await must(lab, cwd, ['mcp', 'install', '--agent', agent.id]);
    const finished = await agent.ask!(run, cwd, PROMPT);
    isOver = true;
    const answers = resultsOf(agent, server.take());
    judge(steps, answers, report);
    if (report.problems.length > 0) report.problems.push(`the agent said: ${finished.stderr.trim().slice(-300)}`);
    const handed = handedOver(answers.at(-1) ?? '');
    if (handed === null) return;
    await goOn(to, target, handed, facts, report);
  } finally {
    await server.close();
  }
}

/** A store with the earlier session in it; the agent itself may be read too. */
async function prepare({ agent, to, lab }: Scene, cwd: string): Promise<Facts> {
  const from = LAB_AGENTS.find(({ id }) => id === (agent.id === 'claude' ? 'codex' : 'claude'))!;
  const [source] = await fixtureSources(from, [from.id === 'codex' ? CODEX_FIXTURE : FIXTURE]);
  if (source === undefined) throw new Error(`there is no fixture ${FIXTURE} of ${from.id}`);
  await source.lay(lab);
  const [session] = await nativeSessions(from, lab);
  if (session === undefined) throw new Error('the fixture holds no session');
  await must(lab, cwd, ['init', '--key-file']);
  await must(lab, cwd, ['sources', 'enable', from.id, agent.id]);
  await must(lab, cwd, ['import']);
  const { rows } = (await must(lab, cwd, ['list'])) as {
    rows: { id: string; native_id: string; first_prompt: string }[];
  };
  const row = rows.find(({ native_id }) => native_id === session.id);
  if (row === undefined) throw new Error('the earlier session is not in the store');
  const compiled = await must(lab, cwd, ['compile', row.id, '--for', agent.id, '--budget', String(BUDGET)]);
  return { previous: row.id, words: words(row.first_prompt), page: (compiled as { text: string }).text, to };
}

const CODEX_FIXTURE = 'b-shell';

const words = (prompt: string): string[] => prompt.slice(0, 100).split(/\s+/).slice(0, 6);

async function must(lab: Lab, cwd: string, args: string[]): Promise<unknown> {
  const done = await runCli(lab, cwd, args);
  if (!done.ok) throw new Error(done.reason);
  return done.value;
}

function stepsOf(agent: LabAgent, { previous, words, page, to }: Facts): Step[] {
  const holds = (...wanted: string[]) => {
    return (text: string): string | undefined => {
      const missing = wanted.find((one) => !text.includes(one));
      return missing === undefined ? undefined : `"${missing}" is missing in: ${text.slice(0, 400)}`;
    };
  };
  const tells = TELLS.has(agent.id);
  return [
    { tool: 'session_list', args: () => ({}), check: holds(previous, ...words) },
    { tool: 'session_search', args: () => ({ query: words.slice(0, 3).join(' ') }), check: holds(previous) },
    {
      tool: 'session_continue',
      args: () => ({ prev_session: previous, budget: BUDGET }),
      // the page as it is, line by line: clients show it as text, or as a string in JSON
      check: holds(...page.split('\n').filter((line) => line !== '')),
    },
    { tool: 'session_summary', args: () => ({ session: previous }), check: holds(previous, ...words) },
    {
      tool: 'context_compile',
      args: () => ({ session: previous, for: to.id, budget: BUDGET }),
      check: holds(...words),
    },
    {
      tool: 'session_current',
      args: () => ({}),
      check: tells ? holds('"bound"', '"client"') : holds('selection_required', previous.slice(0, 5)),
    },
    {
      tool: 'session_handoff',
      args: () => ({ ...(tells ? {} : { session: previous }), to: to.id }),
      check: holds('planned', 'operation_id'),
    },
    {
      tool: 'session_handoff',
      args: (answers) => ({ operation_id: /mcp-[0-9a-f-]{36}/.exec(answers.at(-1) ?? '')?.[0] ?? 'none' }),
      check: holds('done', 'resume'),
    },
  ];
}

/** The model calls the next tool until all were called. Requests without tools ask for titles and the like. */
async function answer(agent: LabAgent, steps: readonly Step[], { path, body }: CapturedRequest): Promise<Reply> {
  const tools = (body as { tools?: unknown[] }).tools?.length ?? 0;
  if (tools === 0 || path.endsWith('count_tokens')) return { text: ANSWER };
  const all = resultTexts(agent, body);
  const answers = all.filter(isAnswer);
  const step = steps[answers.length];
  const tries = all.length - answers.length;
  if (step === undefined || tries > TRIES) return { text: ANSWER };
  // a server that was just started is not there yet for the first call: a model would look for the tool again
  if (all.at(-1) !== answers.at(-1)) await pause(AGAIN_MS);
  return { call: { ...agent.mcpTool!('sessionctl', step.tool), args: step.args(answers) } };
}

const TRIES = 40;
const AGAIN_MS = 500;

/** Codex' words for a tool that it does not know, or not yet. */
const isAnswer = (text: string): boolean => !text.startsWith('unsupported call');

function resultTexts(agent: LabAgent, body: unknown): string[] {
  return agent.items(body).flatMap((item) => (item.kind === 'result' ? [plain(item.text)] : []));
}

/** What clients put around, and the escapes of JSON in which some show an answer. */
function plain(text: string): string {
  const json = /\{[\s\S]*\}/.exec(text)?.[0];
  try {
    return json === undefined ? text : flat(JSON.parse(json));
  } catch {
    return text;
  }
}

/** All keys and strings of a value, a line each; strings in quotes too, so that words of ours are told from those of others. */
function flat(value: unknown): string {
  if (Array.isArray(value)) return value.map(flat).join('\n');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, entry]) => `${key}\n${flat(entry)}`)
      .join('\n');
  return typeof value === 'string' && value.length < 40 ? `"${value}"\n${value}` : String(value);
}

/** The results in the last request of the conversation. */
function resultsOf(agent: LabAgent, requests: readonly CapturedRequest[]): string[] {
  const all = requests
    .filter(
      ({ path, body }) => ((body as { tools?: unknown[] }).tools?.length ?? 0) > 0 && !path.endsWith('count_tokens'),
    )
    .map(({ body }) => resultTexts(agent, body).filter(isAnswer));
  return all.reduce((longest, one) => (one.length > longest.length ? one : longest), []);
}

function judge(steps: readonly Step[], answers: readonly string[], report: McpReport): void {
  for (const [at, { tool, check }] of steps.entries()) {
    const text = answers[at];
    const problem = text === undefined ? 'no answer of it reached the model' : check(text);
    if (problem === undefined) report.passed.push(tool);
    else report.problems.push(`${tool}: ${problem}`);
  }
}

/** The agent's own id of the new session, from the command in the last answer. */
function handedOver(text: string): NativeSession | null {
  const id = /resume\s+([0-9a-f-]{36})/.exec(text)?.[1];
  const cwd = /(?:in the folder |cwd\n(?:"[^"\n]*"\n)?)"?([^"\n]+)/.exec(text)?.[1];
  return id === undefined || cwd === undefined ? null : { id, cwd };
}

async function goOn(to: LabAgent, run: Run, session: NativeSession, facts: Facts, report: McpReport): Promise<void> {
  if (!(await exists(session.cwd))) await mkdir(session.cwd, { recursive: true });
  const resumed = await to.resume(run, session);
  if (!resumed.ok) report.problems.push(`${to.id} does not resume: ${resumed.reason}`);
  else {
    const sent = to
      .items(resumed.body)
      .map((item) => JSON.stringify(item))
      .join('\n');
    const wanted = TELLS.has(report.agent) ? [PROMPT, 'session_list', facts.previous] : facts.words;
    const missing = wanted.find((one) => !sent.includes(one));
    if (missing === undefined) report.passed.push(`resumed by ${to.id}`);
    else report.problems.push(`${to.id} resumes without "${missing}"`);
  }
}

/** A line an agent, and what was wrong. */
export function mcpTable(reports: readonly McpReport[]): string {
  return reports
    .map(({ agent, passed, problems }) =>
      [`${agent}: ${passed.length} passed (${passed.join(', ')})`, ...problems.map((one) => `  ${one}`)].join('\n'),
    )
    .join('\n');
}
