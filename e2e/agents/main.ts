/**
 * `npm run conformance`: hands native sessions over with our CLI and compares what the real target agent then sends to
 * its model with what the real source agent sends (see facts.ts for what is compared). Every ordered pair, unless named:
 *
 *     --from AGENT --to AGENT   these pairs (both repeatable), e.g. --from claude --to codex; the same one twice: its way home
 *     --only NAME       one scenario (repeatable), e.g. tools or 2.0.76/tools
 *     --home DIR --id ID   any other native session of the one --from; DIR is copied, never touched
 *     --mode MODE       another way than native: native-tail, context or delta (modes.ts)
 *     --quick           one handoff a session, into a fresh home
 *     --json            the reports as JSON
 *     --page FILE       also writes the results as a page
 *     --log DIR         keeps every request body there
 *     --record          stores what the source agent sends beside its fixtures
 *     --jobs N          sessions at a time (2)
 *     --mcp             instead: the agents (those of --from) use our MCP server (mcp.ts)
 *
 * Exit code 0 only when every session passed; 2 for wrong options; 3 when an agent could not be installed.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { LAB_AGENTS } from './agents.ts';
import type { LabAgent } from './contract.ts';
import { cliHandoff } from './handoff.ts';
import { installAgent } from './install.ts';
import { MCP_AGENTS, type McpReport, mcpTable, runMcp } from './mcp.ts';
import { startModelServer } from './model-server.ts';
import { MODES, runMode } from './modes.ts';
import { closingLine, matrix, page, progress, sumsLine, table, totals } from './report.ts';
import { type Bench, runSource, type SessionReport } from './scenario.ts';
import { fixtureSources, homeSource, type Source } from './source.ts';

const OPTIONS = {
  from: { type: 'string', multiple: true, default: [] as string[] },
  to: { type: 'string', multiple: true, default: [] as string[] },
  only: { type: 'string', multiple: true, default: [] as string[] },
  home: { type: 'string' },
  id: { type: 'string' },
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  page: { type: 'string' },
  log: { type: 'string' },
  record: { type: 'boolean', default: false },
  jobs: { type: 'string', default: '2' },
  mode: { type: 'string', default: 'native' },
  mcp: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];
type Options = Omit<Values, 'from' | 'to'> & { from: LabAgent[]; to: LabAgent[] };

process.exitCode = await main(process.argv.slice(2));

async function main(argv: string[]): Promise<number> {
  const options = readOptions(argv);
  if (typeof options === 'string') {
    console.error(options);
    return 2;
  }
  if (options.mcp) return mcp(options);
  const installed = await install([...new Set([...options.from, ...options.to])]);
  if (installed === null) return 3;
  const { programs, versions } = installed;
  const reports: SessionReport[] = [];
  for (const from of options.from) {
    const isHome = options.from.length === 1 && options.to.length === 1;
    const targets = options.to.filter((to) => to !== from || isHome);
    if (targets.length === 0) continue;
    const { sources, dispose } = await sourcesOf(from, options);
    const bench: Bench = {
      programs,
      from,
      targets,
      isQuick: options.quick,
      handoff: cliHandoff,
      ...(options.mode === 'native' ? {} : { runTarget: runMode(options.mode) }),
      startServer: startModelServer,
      keep: keeper(from, options),
    };
    try {
      reports.push(...(await runAll(bench, sources, options)));
    } finally {
      await dispose();
    }
  }
  if (reports.length === 0) {
    console.error(`No such scenario: ${options.only.join(', ') || 'none at all'}.`);
    return 2;
  }
  print(reports, options.json);
  if (options.page !== undefined) await writeFile(options.page, page(reports, versions, new Date()));
  const isPassed = reports.every((report) => report.verdict !== 'failed');
  return isPassed && reports.some((report) => report.verdict === 'passed') ? 0 : 1;
}

/** One agent after the other: each needs the machine for itself to answer in time. */
async function mcp({ from, json }: Options): Promise<number> {
  const agents = MCP_AGENTS.filter((agent) => from.includes(agent));
  const partners = LAB_AGENTS.filter(({ id }) => id === 'claude' || id === 'codex');
  const installed = await install([...new Set([...agents, ...partners])]);
  if (installed === null) return 3;
  const reports: McpReport[] = [];
  for (const agent of agents) {
    const report = await runMcp(agent, installed.programs);
    reports.push(report);
    if (!json) console.error(mcpTable([report]));
  }
  if (json) console.log(JSON.stringify(reports, null, 2));
  const failed = reports.filter(({ problems }) => problems.length > 0).length;
  console.log(`${reports.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Programs and versions by agent; null (and the reasons are said) when one is missing. */
async function install(
  agents: readonly LabAgent[],
): Promise<{ programs: Record<string, string>; versions: Record<string, string> } | null> {
  const programs: Record<string, string> = {};
  const versions: Record<string, string> = {};
  for (const { id, isByRules } of agents) {
    if (isByRules) {
      versions[id] = '(not run: by the rules of its reader)';
      continue;
    }
    const installed = await installAgent(id);
    if (installed.ok) {
      programs[id] = installed.program;
      versions[id] = installed.version;
    } else console.error(`${id} is not installed: ${installed.reason}`);
  }
  if (Object.keys(versions).length === agents.length) return { programs, versions };
  console.error('Not run: without the real agents nothing is proven.');
  return null;
}

function readOptions(argv: string[]): Options | string {
  try {
    const { values } = parseArgs({ args: argv, options: OPTIONS });
    const known = LAB_AGENTS.map(({ id }) => id);
    const unknown = [...values.from, ...values.to].find((id) => !known.includes(id));
    if (unknown !== undefined) return `There is no agent "${unknown}" in the lab. Known are: ${known.join(', ')}.`;
    if ((values.home === undefined) !== (values.id === undefined)) return '--home DIR and --id ID belong together.';
    if (values.home !== undefined && values.from.length !== 1)
      return '--home needs the one --from whose session it is.';
    if (!MODES.includes(values.mode)) return `--mode takes one of ${MODES.join(', ')}.`;
    if (!/^[1-9]\d?$/.test(values.jobs)) return '--jobs takes a number from 1.';
    const chosen = (ids: readonly string[]) => LAB_AGENTS.filter(({ id }) => ids.length === 0 || ids.includes(id));
    return { ...values, from: chosen(values.from), to: chosen(values.to) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function sourcesOf(from: LabAgent, options: Options): Promise<{ sources: Source[]; dispose(): Promise<void> }> {
  if (options.home !== undefined && options.id !== undefined) {
    const source = await homeSource(from, resolve(options.home), options.id);
    return { sources: [source], dispose: source.dispose };
  }
  return { sources: await fixtureSources(from, options.only), dispose: async () => {} };
}

/** Runs the sources with a few at a time; the reports come back in the order of the sources. */
async function runAll(bench: Bench, sources: readonly Source[], options: Options): Promise<SessionReport[]> {
  const reports: SessionReport[][] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < sources.length) {
      const index = next++;
      const source = sources[index]!;
      reports[index] = await runSource(bench, source);
      if (!options.json) console.error(progress(reports[index]));
    }
  };
  await Promise.all(Array.from({ length: Number(options.jobs) }, worker));
  return reports.flat();
}

function print(reports: readonly SessionReport[], asJson: boolean): void {
  if (asJson) {
    console.log(JSON.stringify({ sessions: reports, totals: totals(reports) }, null, 2));
    return;
  }
  console.log(table(reports));
  console.log('');
  console.log(matrix(reports));
  console.log('');
  console.log(sumsLine(reports));
  console.log(closingLine(reports));
}

/** Writes request bodies where `--log` and `--record` want them. */
function keeper(from: LabAgent, options: Options): Bench['keep'] {
  return async (what, scenario, id, body, root) => {
    if (options.log !== undefined) {
      await mkdir(options.log, { recursive: true });
      await writeFile(join(options.log, `${scenario.replace('/', '-')}.${id}.${what}.json`), JSON.stringify(body));
    }
    if (options.record && what === 'oracle' && options.home === undefined) await record(from, scenario, id, body, root);
  };
}

/** Only the messages, with the paths of the recording, compressed (this also keeps fake secrets out of clear text). */
async function record(agent: LabAgent, scenario: string, id: string, body: unknown, root: string): Promise<void> {
  const coded = (path: string): string => path.replace(/[^a-zA-Z0-9]/g, '-');
  const { messages } = body as { messages?: unknown };
  const text = JSON.stringify({ messages })
    .replaceAll(root, agent.recordedRoot)
    .replaceAll(coded(root), coded(agent.recordedRoot));
  const [version, name] = scenario.includes('/') ? scenario.split('/') : [undefined, scenario];
  const folder = resolve(
    import.meta.dirname,
    '../../fixtures',
    version === undefined ? agent.id : `${agent.id}-${version}`,
    name ?? '',
  );
  await writeFile(join(folder, `resume.${id}.json.gz`), gzipSync(text, { level: 9 }));
}
