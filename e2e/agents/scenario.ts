/** One native session: what its agent sends, and for each target the handoff, the list, what that sends, the comparison. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Comparison, compare, type Difference } from './compare.ts';
import { type LabAgent, type NativeSession, PROMPT, type Run } from './contract.ts';
import { declaresThinking, splitLosses } from './declared.ts';
import type { Item } from './facts.ts';
import type { HandedOver, Handoff } from './handoff.ts';
import { createLab, type Lab } from './lab.ts';
import type { ModelServer } from './model-server.ts';
import { nativeSessions, type Source } from './source.ts';

/** The installed programs and what is under test. */
export interface Bench {
  /** installed agents, program by id */
  programs: Readonly<Record<string, string>>;
  from: LabAgent;
  targets: readonly LabAgent[];
  /** Leaves the second handoff out: into a home in which the target was used before. */
  isQuick: boolean;
  handoff: Handoff;
  /** Another way than the whole session (modes.ts). */
  runTarget?: RunTarget;
  startServer(): Promise<ModelServer>;
  /** Called with every oracle and measured body, for `--log` and `--record`. */
  keep(what: string, scenario: string, id: string, body: unknown, root: string): Promise<void>;
}

export interface SessionReport {
  from: string;
  to: string;
  scenario: string;
  id: string;
  /** `skipped`: the agent itself does not resume it, or runs in no such folder, so there is nothing to compare with. */
  verdict: 'passed' | 'failed' | 'skipped';
  /** Everything that makes it fail, in words; or why it was skipped. */
  problems: string[];
  comparison?: Comparison;
  /** Losses that the fidelity report names. */
  declared: Difference[];
  thinkingDeclared: boolean;
  /** Whether the target's own list has it by its title, in a fresh home and in one used before; null = not looked. */
  picker: { fresh: boolean | null; used: boolean | null };
}

/** Runs every session of a source, one after the other, each in a home of its own. */
export async function runSource(bench: Bench, source: Source): Promise<SessionReport[]> {
  const lab = await createLab(bench.programs);
  const server = await bench.startServer();
  try {
    await source.lay(lab);
    const sessions = await nativeSessions(bench.from, lab, source.id);
    const reports: SessionReport[] = [];
    for (const session of sessions) reports.push(...(await runSession({ bench, lab, server, source, session })));
    if (reports.length > 0) return reports;
    const none = { source, bench, session: { id: source.id ?? '' } };
    return bench.targets.map((to) => unfinished(none, to, ['keeps no session there that it could resume'], 'skipped'));
  } finally {
    await server.close();
    await lab.remove();
  }
}

export interface SessionRun {
  bench: Bench;
  lab: Lab;
  server: ModelServer;
  source: Source;
  session: NativeSession;
}

export type RunTarget = (run: SessionRun, to: LabAgent, oracle: readonly Item[]) => Promise<SessionReport>;

export const runOf = ({ bench, lab, server }: SessionRun, agent: LabAgent): Run => ({
  program: bench.programs[agent.id] ?? '',
  lab,
  server,
});

async function runSession(run: SessionRun): Promise<SessionReport[]> {
  const { bench, lab, source, session } = run;
  const { from, targets } = bench;
  await layAgain(run);
  await from.configure(runOf(run, from), session.cwd);
  const oracle = await from.resume(runOf(run, from), session);
  if (!oracle.ok) return targets.map((to) => unfinished(run, to, [oracle.reason], 'skipped'));
  await bench.keep('oracle', source.name, session.id, oracle.body, lab.root);
  const items = from.items(oracle.body);
  const reports: SessionReport[] = [];
  for (const to of targets) {
    const report = (bench.runTarget ?? runTarget)(run, to, items).catch((error: unknown) =>
      unfinished(run, to, [`the run broke off: ${error instanceof Error ? error.message : String(error)}`]),
    );
    reports.push(await report);
  }
  return reports;
}

async function runTarget(run: SessionRun, to: LabAgent, oracle: readonly Item[]): Promise<SessionReport> {
  const { bench, lab, source, session } = run;
  const refusal = to.refuses?.(session.cwd);
  if (refusal !== undefined) return unfinished(run, to, [refusal], 'skipped');
  const fresh = await handOver(run, to, false);
  if (!fresh.ok) return unfinished(run, to, [fresh.problem]);
  const measured = await to.resume(runOf(run, to), { id: fresh.value.native_id, cwd: session.cwd });
  if (!measured.ok) return unfinished(run, to, [`the target does not resume it: ${measured.reason}`]);
  await bench.keep(`measured-${to.id}`, source.name, session.id, measured.body, lab.root);
  const comparison = compare(oracle, to.items(measured.body), PROMPT, to.limits);
  const used = to.visitBefore === undefined || bench.isQuick ? null : await handOver(run, to, true);
  return judge(run, to, comparison, fresh, used);
}

export async function layAgain({ bench, lab, source, session }: SessionRun): Promise<void> {
  await lab.clearHome();
  await source.lay(lab);
  await nativeSessions(bench.from, lab, session.id);
}

type HandOver =
  | { ok: true; value: HandedOver; problems: string[]; isListed: boolean | null }
  | { ok: false; problem: string };

/** Hands the session over in an untouched copy of the source, then looks into the target's own list. */
async function handOver(run: SessionRun, to: LabAgent, isUsedHome: boolean): Promise<HandOver> {
  const { bench, lab, source, session } = run;
  await layAgain(run);
  await to.configure(runOf(run, to), session.cwd);
  if (isUsedHome) await to.visitBefore?.(runOf(run, to), session.cwd);
  const before = await fingerprint(join(lab.home, bench.from.folder));
  const outcome = await bench.handoff(lab, session, bench.from.id, to.id);
  if (!outcome.ok) return { ok: false, problem: outcome.reason };
  const isHome = bench.from.id === to.id;
  const isSame = isUnchanged(before, await fingerprint(join(lab.home, bench.from.folder)), isHome);
  const problems = isSame ? [] : ['the handoff changed the source'];
  // a copy is listed where its original is: Claude Code lists no session that was made without a screen
  if (to.pickerLists === undefined || isHome) return { ok: true, value: outcome.value, problems, isListed: null };
  const { title } = outcome.value;
  const own = await source.title?.(session.id);
  const shown = await to.pickerLists(runOf(run, to), session.cwd, own === undefined ? [title] : [own, title]);
  const where = isUsedHome ? 'a home used before' : 'a fresh home';
  if (shown !== undefined)
    problems.push(`not listed as "${title.slice(0, 60)}" in ${where}; the picker shows: ${shown}`);
  return { ok: true, value: outcome.value, problems, isListed: shown === undefined };
}

function judge(
  run: SessionRun,
  to: LabAgent,
  comparison: Comparison,
  fresh: HandOver & { ok: true },
  used: HandOver | null,
): SessionReport {
  const { rows } = fresh.value.fidelity;
  const losses = comparison.differences.filter((difference) => difference.what === 'lost');
  const { declared, undeclared } = splitLosses(losses, rows);
  const misplaced = comparison.differences.filter((difference) => difference.what !== 'lost');
  const thinkingDeclared = declaresThinking(rows);
  const problems = [
    ...fresh.problems,
    ...(used === null ? [] : used.ok ? used.problems : [used.problem]),
    ...undeclared.map((loss) => `lost and not declared: ${inWords(loss)}`),
    ...misplaced.map(inWords),
  ];
  if (comparison.thinking.source > 0 && !thinkingDeclared) problems.push('reasoning stays behind and is not declared');
  if (comparison.thinking.target > 0) problems.push('reasoning of another provider is sent to the target');
  if (comparison.redacted > 0 && fresh.value.redactions === 0) problems.push('withheld text is not declared');
  return {
    ...unfinished(run, to, problems, problems.length === 0 ? 'passed' : 'failed'),
    comparison,
    declared,
    thinkingDeclared,
    picker: { fresh: fresh.isListed, used: used?.ok ? used.isListed : null },
  };
}

const EXCERPT = 240;

export function inWords(difference: Difference): string {
  const cut = (text: string | undefined): string => JSON.stringify((text ?? '').slice(0, EXCERPT));
  if (difference.what === 'lost') return `${difference.kind} ${cut(difference.expected)}`;
  if (difference.what === 'order') return `out of order: ${difference.kind} ${cut(difference.expected)}`;
  return `wrongly shown: ${difference.kind} ${cut(difference.got)}`;
}

export function unfinished(
  { bench, source, session }: { bench: Bench; source: Source; session: { id: string } },
  to: LabAgent,
  problems: string[],
  verdict: SessionReport['verdict'] = 'failed',
): SessionReport {
  return {
    from: bench.from.id,
    to: to.id,
    scenario: source.name,
    id: session.id,
    verdict,
    problems,
    declared: [],
    thinkingDeclared: false,
    picker: { fresh: null, used: null },
  };
}

/** Hashes of all files of a tree, by path. */
async function fingerprint(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hashes = new Map<string, string>();
  for (const file of files)
    hashes.set(
      file,
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    );
  return hashes;
}

/** `isHome`: the new session lies beside the source, in a file of its own or in the same database. */
function isUnchanged(before: Map<string, string>, after: Map<string, string>, isHome: boolean): boolean {
  if (!isHome && before.size !== after.size) return false;
  const watched = [...before].filter(([path]) => !isHome || !/\.db(?:-wal|-shm)?$/.test(path));
  return watched.every(([path, hash]) => after.get(path) === hash);
}
