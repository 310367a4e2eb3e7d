/** One run of one native session: oracle, handoff, picker, measurement, comparison. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROMPT } from './agents.ts';
import { resumeClaude } from './claude.ts';
import { claudeItems } from './claude-facts.ts';
import { configureCodex, openCodexOnce, pickerLists, resumeCodex } from './codex.ts';
import { codexItems } from './codex-facts.ts';
import { type Comparison, compare, type Difference } from './compare.ts';
import { declaresThinking, splitLosses } from './declared.ts';
import type { HandedOver, Handoff } from './handoff.ts';
import { createLab, type Lab } from './lab.ts';
import type { ModelServer } from './model-server.ts';
import { type NativeSession, nativeSessions, type Source } from './source.ts';

/** The installed programs and what is under test. */
export interface Bench {
  claude: string;
  codex: string;
  handoff: Handoff;
  startServer(): Promise<ModelServer>;
  /** Called with every oracle and measured body, for `--log` and `--record`. */
  keep(what: 'oracle' | 'measured', scenario: string, id: string, body: unknown, root: string): Promise<void>;
}

export interface SessionReport {
  scenario: string;
  id: string;
  /** `skipped`: the source agent itself does not resume it, so there is nothing to compare with. */
  verdict: 'passed' | 'failed' | 'skipped';
  /** Everything that makes it fail, in words; or why it was skipped. */
  problems: string[];
  comparison?: Comparison;
  /** Losses that the fidelity report names. */
  declared: Difference[];
  thinkingDeclared: boolean;
  /** Whether the target's picker lists it by its title: in a fresh home, in one that was used before. */
  picker: { fresh: boolean; used: boolean };
}

/** Runs every session of a source, one after the other, each in a home of its own. */
export async function runSource(bench: Bench, source: Source): Promise<SessionReport[]> {
  const lab = await createLab({ claude: bench.claude, codex: bench.codex });
  const server = await bench.startServer();
  try {
    await source.lay(lab);
    const sessions = await nativeSessions(lab.home, source.id);
    const reports: SessionReport[] = [];
    for (const session of sessions) reports.push(await runSession({ bench, lab, server, source, session }));
    if (reports.length === 0)
      reports.push(failedRun(source.name, source.id ?? '', ['no session with a known folder found']));
    return reports;
  } finally {
    await server.close();
    await lab.remove();
  }
}

interface Run {
  bench: Bench;
  lab: Lab;
  server: ModelServer;
  source: Source;
  session: NativeSession;
}

async function runSession(run: Run): Promise<SessionReport> {
  const { bench, lab, server, source, session } = run;
  try {
    await layAgain(run);
    const oracle = await resumeClaude(bench.claude, lab, server, session);
    if (!oracle.ok) return { ...failedRun(source.name, session.id, [oracle.reason]), verdict: 'skipped' };
    await bench.keep('oracle', source.name, session.id, oracle.body, lab.root);
    const fresh = await handOver(run, false);
    if (!fresh.ok) return failedRun(source.name, session.id, [fresh.problem]);
    const measured = await resumeCodex(bench.codex, lab, server, { id: fresh.value.native_id, cwd: session.cwd });
    if (!measured.ok) return failedRun(source.name, session.id, [`the target does not resume it: ${measured.reason}`]);
    await bench.keep('measured', source.name, session.id, measured.body, lab.root);
    const comparison = compare(claudeItems(oracle.body), codexItems(measured.body), PROMPT);
    const used = await handOver(run, true);
    return judge(run, comparison, fresh, used);
  } catch (error) {
    return failedRun(source.name, session.id, [
      `the run broke off: ${error instanceof Error ? error.message : String(error)}`,
    ]);
  }
}

async function layAgain({ lab, source, session }: Run): Promise<void> {
  await lab.clearHome();
  await source.lay(lab);
  await nativeSessions(lab.home, session.id);
}

type HandOver = { ok: true; value: HandedOver; problems: string[]; isListed: boolean } | { ok: false; problem: string };

/** Hands the session over in an untouched copy of the source, then looks into the target's picker. */
async function handOver(run: Run, isUsedHome: boolean): Promise<HandOver> {
  const { bench, lab, server, source, session } = run;
  await layAgain(run);
  await configureCodex(lab, server, session.cwd);
  if (isUsedHome) await openCodexOnce(bench.codex, lab, server, session.cwd);
  const before = await fingerprint(join(lab.home, '.claude'));
  const outcome = await bench.handoff(lab, session, 'claude', 'codex');
  if (!outcome.ok) return { ok: false, problem: outcome.reason };
  const problems = (await fingerprint(join(lab.home, '.claude'))) === before ? [] : ['the handoff changed the source'];
  const title = (await source.title?.(session.id)) ?? outcome.value.title;
  const shown = title === undefined ? undefined : await pickerLists(bench.codex, lab, session.cwd, [title]);
  const where = isUsedHome ? 'a home used before' : 'a fresh home';
  if (title === undefined) problems.push('no title to look for in the picker');
  else if (shown !== undefined)
    problems.push(`not listed as "${title.slice(0, 60)}" in ${where}; the picker shows: ${shown}`);
  return { ok: true, value: outcome.value, problems, isListed: title !== undefined && shown === undefined };
}

function judge(run: Run, comparison: Comparison, fresh: HandOver & { ok: true }, used: HandOver): SessionReport {
  const { rows } = fresh.value.fidelity;
  const losses = comparison.differences.filter((difference) => difference.what === 'lost');
  const { declared, undeclared } = splitLosses(losses, rows);
  const misplaced = comparison.differences.filter((difference) => difference.what !== 'lost');
  const thinkingDeclared = declaresThinking(rows);
  const problems = [
    ...fresh.problems,
    ...(used.ok ? used.problems : [used.problem]),
    ...undeclared.map((loss) => `lost and not declared: ${inWords(loss)}`),
    ...misplaced.map(inWords),
  ];
  if (comparison.thinking.source > 0 && !thinkingDeclared) problems.push('reasoning stays behind and is not declared');
  if (comparison.thinking.target > 0) problems.push('reasoning of another provider is sent to the target');
  if (comparison.redacted > 0 && fresh.value.redactions === 0) problems.push('withheld text is not declared');
  return {
    scenario: run.source.name,
    id: run.session.id,
    verdict: problems.length === 0 ? 'passed' : 'failed',
    problems,
    comparison,
    declared,
    thinkingDeclared,
    picker: { fresh: fresh.isListed, used: used.ok && used.isListed },
  };
}

const EXCERPT = 240;

function inWords(difference: Difference): string {
  const cut = (text: string | undefined): string => JSON.stringify((text ?? '').slice(0, EXCERPT));
  if (difference.what === 'lost') return `${difference.kind} ${cut(difference.expected)}`;
  if (difference.what === 'order') return `out of order: ${difference.kind} ${cut(difference.expected)}`;
  return `wrongly shown: ${difference.kind} ${cut(difference.got)}`;
}

function failedRun(scenario: string, id: string, problems: string[]): SessionReport {
  return {
    scenario,
    id,
    verdict: 'failed',
    problems,
    declared: [],
    thinkingDeclared: false,
    picker: { fresh: false, used: false },
  };
}

/** Hash over names and bytes of a tree, to see whether anything in it changed. */
async function fingerprint(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${file}\0`).update(await readFile(file));
  return hash.digest('hex');
}
