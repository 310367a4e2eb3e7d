import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionEvent } from '../../src/shared/events.ts';
import type { Command } from '../../src/shared/handoff.ts';
import type { SessionRow } from '../../src/shared/session.ts';
import { checkHandoff, checkRedaction } from './check-outputs.ts';
import { checkSessions } from './check-sessions.ts';
import { checkWrite, REASONS } from './check-writes.ts';
import { AGENT_OF, type Case, type Expect, type ExpectedAnswer } from './expect.ts';
import { checkRun } from './faults.ts';
import { Problems } from './problems.ts';
import { Sandbox } from './sandbox.ts';

export interface CaseResult {
  name: string;
  problems: string[];
  /** targets that the case writes to and that have no adapter here yet */
  notYet: string[];
  seconds: number;
}

/** True when the case is about agents that have an adapter here. */
export function isOurs(case_: Pick<Case, 'inputs'>): boolean {
  return case_.inputs.every((input) => AGENT_OF[input.agent] !== undefined);
}

/** Runs one case folder through the CLI and compares with what it expects. */
export async function runCase(folder: string, keep: boolean): Promise<CaseResult | null> {
  const begun = performance.now();
  const sandbox = await Sandbox.make(folder);
  const case_ = sandbox.case;
  const problems = new Problems();
  const notYet: string[] = [];
  try {
    if (!isOurs(case_)) return null;
    await walk(sandbox, case_.expect, problems, notYet);
  } finally {
    if (!keep) sandbox.remove();
  }
  return {
    name: case_.case,
    problems: problems.list,
    notYet: [...new Set(notYet)],
    seconds: (performance.now() - begun) / 1000,
  };
}

async function walk(sandbox: Sandbox, expect: Expect, problems: Problems, notYet: string[]): Promise<void> {
  const before = sandbox.hashes();
  await sandbox.cli(['init', '--key-file']);
  await sandbox.cli(['sources', 'enable', 'all']);
  const imported = await sandbox.cli(['import']);
  if (!imported.ok)
    problems.add(`import failed: ${imported.error?.code} ${imported.error?.message ?? imported.stderr.slice(0, 500)}`);
  const listed = await sandbox.cli<{ rows: SessionRow[] }>(['list', '--all', '--no-scan']);
  const rows = listed.value?.rows ?? [];

  await checkSessions(sandbox, rows, expect, problems);
  await checkAsks(sandbox, rows, expect, problems);
  if (expect.handoff !== undefined)
    await checkHandoff(sandbox, mainSession(rows), expect.handoff, expect.options?.handoff_max_chars, problems);
  for (const write of expect.write ?? [])
    if (!(await checkWrite(sandbox, rows, write, problems))) notYet.push(write.target);
  for (const run of expect.runs ?? []) await checkRun(sandbox, rows, run, problems);
  if (expect.redacted !== undefined) {
    const log: SessionEvent[] = [];
    for (const row of rows)
      log.push(...((await sandbox.cli<{ events: SessionEvent[] }>(['show', row.id, '--events'])).value?.events ?? []));
    await sandbox.cli(['export', mainSession(rows), '--bundle', '--out', join(sandbox.folder, 'bundle')]);
    await checkRedaction(sandbox, new Set(before.keys()), expect.redacted, log, problems);
  }
  const verified = await sandbox.cli(['verify']);
  if (!verified.ok)
    problems.add(`the store does not verify: ${verified.error?.message ?? verified.stderr.slice(0, 300)}`);
  checkUntouched(sandbox, before, expect, problems);
  checkLimits(sandbox, expect, problems);
}

/** The conversation that a person would hand over: the top-level one with prompts. */
function mainSession(rows: SessionRow[]): string {
  return (rows.find((row) => row.parent === null && row.counts.user > 0) ?? rows[0])?.id ?? 'none';
}

async function checkAsks(sandbox: Sandbox, rows: SessionRow[], expect: Expect, problems: Problems): Promise<void> {
  for (const ask of expect.ask ?? []) {
    const answer = await sandbox.cli(['show', ask.id]);
    if (ask.outcome === 'refuse' && !(REASONS[ask.reason_about ?? ''] ?? []).includes(answer.error?.code ?? ''))
      problems.add(`show ${ask.id}: ${answer.error?.code ?? 'answered'}, expected a refusal about ${ask.reason_about}`);
    const named = sandbox.case.inputs.filter((input) => JSON.stringify(answer.error ?? {}).includes(input.path)).length;
    if (ask.lists_paths !== undefined) problems.equal(`paths named for ${ask.id}`, named, ask.lists_paths);
    checkAnswer(ask, answer.value, problems);
  }
  for (const { cwd, ids } of expect.list_for_cwd ?? []) {
    const answer = await sandbox.cli<{ rows: SessionRow[] }>(['list', '--cwd', cwd, '--no-scan']);
    problems.equal(`sessions of ${cwd}`, (answer.value?.rows ?? []).map((row) => row.native_id).join(), ids.join());
  }
  for (const { session_id, text } of expect.resume_command_contains ?? []) {
    const row = rows.find((candidate) => candidate.native_id === session_id);
    const answer = await sandbox.cli<Command>(['resume', row?.id ?? session_id]);
    problems.contains(`resume command of ${session_id}`, answer.value?.text ?? '', [text]);
  }
}

/** What `show` gives for an id of a conversation that its agent keeps in several sessions. */
function checkAnswer(ask: ExpectedAnswer, value: unknown, problems: Problems): void {
  const { session, tip, rows } = (value ?? {}) as { session?: SessionRow; tip?: string; rows?: unknown };
  const text = JSON.stringify(rows ?? []);
  if (ask.resolves_to_tip !== undefined)
    problems.equal(`tip of ${ask.id}`, tip ?? session?.native_id ?? 'none', ask.resolves_to_tip);
  problems.contains(`show ${ask.id}`, text, [...(ask.contains ?? []), ...(ask.order ?? [])]);
  const places = (ask.order ?? []).map((part) => text.indexOf(part));
  if (places.some((place, i) => i > 0 && place < places[i - 1]!)) problems.add(`show ${ask.id}: texts out of order`);
  for (const part of ask.excludes ?? []) if (text.includes(part)) problems.add(`show ${ask.id} holds ${part}`);
}

function checkUntouched(sandbox: Sandbox, before: Map<string, string>, expect: Expect, problems: Problems): void {
  const after = sandbox.hashes();
  const only = Array.isArray(expect.source_unchanged) ? expect.source_unchanged : [...before.keys()];
  const target = new Set(
    (expect.write ?? []).flatMap(() =>
      [...before.keys()].filter((path) => /\.sqlite(-wal|-shm)?$|session_index\.jsonl$/.test(path)),
    ),
  );
  for (const path of only)
    if (!target.has(path) && after.get(path) !== before.get(path)) problems.add(`${path} was changed`);
}

function checkLimits(sandbox: Sandbox, expect: Expect, problems: Problems): void {
  if (expect.max_rss_mb !== undefined && sandbox.maxRssMb > expect.max_rss_mb)
    problems.add(`peak memory ${Math.round(sandbox.maxRssMb)} MB, at most ${expect.max_rss_mb}`);
  if (expect.max_seconds !== undefined && sandbox.seconds > expect.max_seconds)
    problems.add(`took ${sandbox.seconds.toFixed(1)} s, at most ${expect.max_seconds}`);
  if (
    expect.output_is_valid_utf8 &&
    (!sandbox.printed.isWellFormed() || /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])/i.test(sandbox.printed))
  )
    problems.add('output holds a lone surrogate');
  if (expect.modes === undefined) return;
  for (const path of sandbox.files('store')) {
    const mode = (statSync(join(sandbox.folder, path)).mode & 0o777).toString(8).padStart(4, '0');
    if (mode !== expect.modes.files) problems.add(`${path} has mode ${mode}`);
  }
  const folderMode = (statSync(sandbox.store).mode & 0o777).toString(8).padStart(4, '0');
  problems.equal('mode of the store folder', folderMode, expect.modes.dirs);
}
