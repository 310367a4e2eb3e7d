import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { HandoffResult } from '../../src/shared/handoff.ts';
import type { SessionRow } from '../../src/shared/session.ts';
import { checkHandoff } from './check-outputs.ts';
import { REASONS } from './check-writes.ts';
import { AGENT_OF, type FaultRun } from './expect.ts';
import type { Problems } from './problems.ts';
import type { Answer, Sandbox } from './sandbox.ts';

/** Runs a case once more with other options or with something going wrong, and checks that nothing was harmed. */
export async function checkRun(sandbox: Sandbox, rows: SessionRow[], run: FaultRun, problems: Problems): Promise<void> {
  const session = rows.find((row) => row.parent === null);
  if (session === undefined) return problems.add('no session for this run');
  if (run.handoff !== undefined)
    return checkHandoff(sandbox, session.id, run.handoff, run.options.handoff_max_chars, problems);
  const before = sandbox.hashes();
  const answer = await perform(sandbox, session, run);
  if ((run.outcome === 'refuse' || run.outcome === 'error') && answer.code === 0)
    problems.add(`it should have failed, and printed ${answer.stdout.slice(0, 200)}`);
  if (run.outcome !== undefined && answer.code !== 0 && !answer.error?.message)
    problems.add(`it failed without a clear message: ${answer.stderr.slice(0, 300)}`);
  if (run.reason_about !== undefined && !(REASONS[run.reason_about] ?? []).includes(answer.error?.code ?? ''))
    problems.add(`refused with ${answer.error?.code}, expected ${run.reason_about}`);
  const after = sandbox.hashes();
  for (const path of run.unchanged ?? []) problems.equal(`${path} unchanged`, after.get(path), before.get(path));
  const added = [...after.keys()].filter((path) => !before.has(path));
  if (run.no_partial_output && added.length > 0) problems.add(`left behind: ${added.join(', ')}`);
  if (run.no_partial_session_visible) {
    const visible = added.filter((path) => path.endsWith('.jsonl') && !isWhole(join(sandbox.folder, path)));
    if (visible.length > 0) problems.add(`a partial session is visible: ${visible.join(', ')}`);
  }
}

/** The kill may come too late: what is in place then has to be a whole file. */
function isWhole(path: string): boolean {
  const lines = readFileSync(path, 'utf8').split('\n');
  if (lines.pop() !== '') return false;
  return lines.every((line) => {
    try {
      JSON.parse(line);
      return true;
    } catch {
      return false;
    }
  });
}

async function perform(sandbox: Sandbox, session: SessionRow, run: FaultRun): Promise<Answer<HandoffResult>> {
  const { options } = run;
  if (options.read !== undefined) return sandbox.cli(['import', '--path', join(sandbox.folder, options.read)]);
  const to = AGENT_OF[options.target ?? ''] ?? '';
  const handoff = ['handoff', session.id, '--to', to, '--operation', `run-${(run.name ?? '').replaceAll(' ', '-')}`];
  // ids are always new: there is no way to ask for one, which is the refusal
  if (options.new_session_id !== undefined) return sandbox.cli([...handoff, '--native-id', options.new_session_id]);
  if (run.fault?.startsWith('ENOSPC'))
    return sandbox.cli(handoff, { wrap: tinyFolder(join(sandbox.home, to === 'codex' ? '.codex' : '.claude')) });
  if (run.fault?.startsWith('SIGKILL'))
    return killedWhileWriting(sandbox, handoff, join(sandbox.home, to === 'codex' ? '.codex' : '.claude'));
  const readOnly = (run.setup ?? []).flatMap((step) => (step.op === 'chmod' ? [join(sandbox.folder, step.path)] : []));
  return sandbox.cli(handoff, { wrap: readOnly.flatMap(readOnlyFolder) });
}

/** A program that runs the rest of its arguments in a mount namespace of its own; root is asked for nothing then. */
const unshare = (script: string): string[] => [
  'unshare',
  ...(process.getuid?.() === 0 ? ['-m'] : ['-Urm']),
  'sh',
  '-c',
  `${script} && exec "$@"`,
  'sh',
];

/** The folder is a disk with one free page: full after the first few hundred bytes. */
function tinyFolder(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  return unshare(`mount -t tmpfs -o size=8k tmpfs '${folder}' && head -c 4096 /dev/zero > '${folder}/full'`);
}

/** chmod does not stop root, a read-only mount does. */
function readOnlyFolder(folder: string): string[] {
  return unshare(`mount --bind '${folder}' '${folder}' && mount -o remount,ro,bind '${folder}'`);
}

/** Kills the CLI as soon as it has made any file in the target's folder. */
async function killedWhileWriting(sandbox: Sandbox, args: string[], folder: string): Promise<Answer<HandoffResult>> {
  mkdirSync(folder, { recursive: true });
  let child: ChildProcess | undefined;
  const watcher = watch(folder, { recursive: true }, (_kind, name) => {
    if (name?.endsWith('.part')) child?.kill('SIGKILL');
  });
  const answer = await sandbox.cli<HandoffResult>(args, {
    started: (started) => {
      child = started;
    },
  });
  watcher.close();
  if (!existsSync(folder)) return answer;
  return answer;
}
