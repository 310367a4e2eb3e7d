import { type Add, adder } from './adder.ts';
import { linksIn } from './constraints.ts';
import { type Candidate, cite, type Excluded, type Ids } from './item.ts';
import type { Call, Command, Edit, Material } from './material.ts';
import { commandLine, type Found, output, provenanceOf, unended } from './must.ts';
import { decisiveLines } from './output-lines.ts';
import { cut } from './sentences.ts';
import type { Conclusion } from './summariser.ts';
import { concluded, excerpts, summaries, talkOf } from './talk.ts';
import { gone, surroundings, type Workspace } from './workspace.ts';

const DIFF_LINES = 40;
const FAILED_LINES = 8;
const CALL_CHARS = 400;
const MEMORY_CHARS = 600;

export interface MayInput {
  /** on the page already */
  taken: readonly Candidate[];
  /** so many of the newest prompts and replies are offered; older ones are named as dropped */
  turns: number;
  /** a model's, checked */
  conclusions: readonly Conclusion[];
  workspace: Workspace | null;
}

/** P1 and P2: what helps, by weight. Evidence (paths, commands, exit codes, outputs) is carried word for word. */
export function mayHave(material: Material, ids: Ids, { taken, turns, conclusions, workspace }: MayInput): Found {
  const found: Found = { items: [], excluded: [] };
  const add = adder(found.items, ids, material.end);
  const exclude = excluder(found.excluded, ids);
  if (workspace !== null) surroundings(workspace, material, add);
  files(material, add, exclude, workspace);
  commands(material, add, exclude, taken);
  calls(material, add, exclude, taken);
  memories(material, add, exclude);
  links(material, add, taken);
  summaries(material, ids, found.excluded, add);
  concluded(conclusions, add);
  const talk = talkOf(material, ids, taken, turns);
  found.excluded.push(...talk.excluded);
  excerpts(talk.passages, add);
  return found;
}

/** Names what is not offered at all. */
type Exclude = (kind: string, text: string, provenance: number[], reason: string) => void;

function excluder(excluded: Excluded[], ids: Ids): Exclude {
  return (kind, text, provenance, reason) =>
    excluded.push({ id: ids.next(kind, provenance[0] ?? 0), kind, text: cut(text, 200), reason, provenance });
}

/** Nothing is left of it but what stands for a secret. */
const isSecret = (text: string): boolean =>
  text.includes('[REDACTED:') && !/[\p{L}\p{N}]/u.test(text.replace(/\[REDACTED:[^\]]*\]/g, ''));

/** The last write of each; what it took the place of is only named. */
function memories({ memories: all }: Material, add: Add, exclude: Exclude): void {
  const newest = new Map(all.map(({ seq, name }) => [name ?? seq, seq]));
  for (const { seq, text, name } of all) {
    const value = text.slice(text.indexOf(': ') + 2);
    const last = newest.get(name ?? seq)!;
    if (last !== seq) exclude('memory', text, [seq], `superseded by e${last}`);
    else if (isSecret(value)) exclude('memory', text, [seq], 'secret');
    else add('p1', 'memory', `- ${cut(text, MEMORY_CHARS)} ${cite([seq])}`, [seq], 'agent_said', 12);
  }
}

/** One item a file with all that was done to it, and its last diff as an item of its own. */
function files({ edits }: Material, add: Add, exclude: Exclude, workspace: Workspace | null): void {
  const byPath = new Map<string, Edit[]>();
  for (const edit of edits) {
    const known = byPath.get(edit.path);
    if (known) known.push(edit);
    else byPath.set(edit.path, [edit]);
  }
  for (const [path, list] of byPath) {
    const last = list.at(-1)!;
    const provenance = list.map(({ seq }) => seq);
    const times = list.length > 1 ? `, ${list.length} changes` : '';
    const line = `- ${path} (${last.op}${times}) ${cite([last.seq])}`;
    const isGone = last.op !== 'delete' && workspace !== null && gone(workspace, path);
    if (isGone) exclude('file', line, provenance, 'stale');
    else add('p1', 'file', line, provenance, 'verified', 10);
    if (last.diff === null) continue;
    const diff = `${path} ${cite([last.seq])}\n${diffText(last.diff)}`;
    if (isGone || isBinary(last.diff)) exclude('diff', diff, [last.seq], isGone ? 'stale' : 'binary');
    else add('p1', 'diff', diff, [last.seq], 'verified', 8);
  }
}

/** A patch of bytes, or bytes shown as if they were text. */
function isBinary(diff: string): boolean {
  return diff.includes('\0') || /^(?:GIT binary patch|Binary files .* differ)$/m.test(diff.slice(0, 4_000));
}

function diffText(diff: string): string {
  const lines = diff.trimEnd().split('\n');
  const shown = lines.slice(0, DIFF_LINES).map((line) => cut(line, 300));
  if (lines.length > DIFF_LINES) shown.push(`[…] ${lines.length - DIFF_LINES} more lines`);
  return shown.join('\n');
}

/**
 * The last run of each command whose end is known, and one after it whose end is not. Failures that a later run of the same
 * command took the place of are only named.
 */
function commands(material: Material, add: Add, exclude: Exclude, taken: readonly Candidate[]): void {
  const last = new Map(material.commands.map((run) => [run.command, run]));
  const ended = new Map(
    material.commands.filter(({ outcome }) => outcome !== 'unknown').map((run) => [run.command, run]),
  );
  const shown = new Set(
    taken.filter(({ kind }) => kind === 'error' || kind === 'interrupted').flatMap(({ provenance }) => provenance),
  );
  const runs = new Map<string, number>();
  for (const run of material.commands) {
    runs.set(run.command, (runs.get(run.command) ?? 0) + 1);
    if (provenanceOf(run).some((seq) => shown.has(seq))) continue;
    const newest = ended.get(run.command);
    if (newest === run || last.get(run.command) === run) addCommand(material, run, runs.get(run.command)!, add);
    else if (run.outcome === 'failed')
      exclude('failed', commandLine(run, material), provenanceOf(run), `superseded by e${newest!.seq}`);
  }
}

function addCommand(material: Material, run: Command, times: number, add: Add): void {
  const often = times > 1 ? ` (run ${times} times)` : '';
  if (run.outcome === 'failed')
    add(
      'p1',
      'failed',
      `${commandLine(run, material)}${often}${output(material, run, FAILED_LINES)}`,
      provenanceOf(run),
      'failed',
      14,
    );
  else
    add(
      'p1',
      'command',
      `${commandLine(run, material)}${often}${output(material, run, 1)}`,
      provenanceOf(run),
      run.exit === null || run.outcome === 'unknown' ? 'agent_said' : 'verified',
      6,
    );
}

/** Calls that leave no derived event: servers, sub-agents, the web. What failed says why, unless the same call worked later. */
function calls({ calls: all, edits }: Material, add: Add, exclude: Exclude, taken: readonly Candidate[]): void {
  const told = new Set(taken.filter(({ kind }) => kind === 'interrupted').map(({ provenance }) => provenance[0]));
  const paths = new Set(edits.map(({ path }) => path));
  const worked = new Map(all.filter(({ outcome }) => outcome === 'ok').map((call) => [sameCall(call), call.seq]));
  for (const call of all) {
    if (told.has(call.seq) || call.tool === 'todo' || call.tool === 'plan' || call.tool === 'shell') continue;
    const failed = call.outcome === 'failed';
    if (!failed && (call.tool === 'read' || call.tool === 'search')) continue;
    if (!failed && (call.tool === 'edit' || call.tool === 'write') && paths.has(call.header)) continue;
    if (failed && call.header !== '' && (worked.get(sameCall(call)) ?? -1) > call.seq)
      exclude('failed', `- ${call.name} ${call.header}`, [call.seq, call.result!.seq], 'failed attempt');
    else addCall(call, failed, add);
  }
}

const sameCall = ({ name, header }: Call): string => `${name}\n${header}`;

function addCall(call: Call, failed: boolean, add: Add): void {
  const provenance = call.result ? [call.seq, call.result.seq] : [call.seq];
  const lines = [
    ...(call.outcome === 'unknown' ? [`  (${unended(call)})`] : []),
    ...decisiveLines(call.result?.text ?? '', failed ? 4 : 2).map((line) => `  ${line}`),
  ];
  const text = [
    `- ${call.name} ${cut(call.header, CALL_CHARS)} ${cite(provenance)}`.replace(/ +/g, ' '),
    ...lines,
  ].join('\n');
  if (failed) add('p1', 'failed', text, provenance, 'failed', 8);
  else {
    const isHearsay = call.tool === 'web' || call.outcome === 'unknown';
    add('p1', 'call', text, provenance, isHearsay ? 'agent_said' : 'verified', call.tool === 'web' ? 4 : 9);
  }
}

/** Each link once, where it was named last; those of the current and the first request stand there already. */
function links({ prompts }: Material, add: Add, taken: readonly Candidate[]): void {
  const named = new Map(prompts.flatMap(({ seq, text }) => linksIn(text).map((link) => [link, seq] as const)));
  const shown = taken.filter(({ kind }) => kind === 'request' || kind === 'goal').map(({ text }) => text);
  for (const [link, seq] of named)
    if (!shown.some((text) => text.includes(link)))
      add('p1', 'reference', `- ${link} ${cite([seq])}`, [seq], 'user_said', 10);
}
