import { estimateTokens } from '../tokens/estimate.ts';
import { linksIn } from './constraints.ts';
import { withoutTakenBack } from './decisions.ts';
import { staleFigures, withFiguresMarked } from './figures.ts';
import { type Candidate, cite, type Ids, type Priority, type Section, type Trust } from './item.ts';
import type { Call, Command, Edit, Material } from './material.ts';
import { commandLine, type Found, output, provenanceOf } from './must.ts';
import { decisiveLines } from './output-lines.ts';
import type { Said } from './said.ts';
import { cut, excerpt } from './sentences.ts';

const DIFF_LINES = 40;
const FAILED_LINES = 8;
const CALL_CHARS = 400;
const SAID_CHARS = 700;
const REPLY_CHARS = 900;
const SUMMARY_CHARS = 4_000;
const MEMORY_CHARS = 600;
/** Older turns than these are counted, not offered. */
const TURNS = 200;

/** P1 and P2: what helps, by weight. Evidence (paths, commands, exit codes, outputs) is carried word for word. */
export function mayHave(material: Material, ids: Ids, taken: readonly Candidate[]): Found {
  const found: Found = { items: [], excluded: [] };
  const add = adder(found, ids, material.end);
  files(material, add);
  commands(material, ids, found, add, taken);
  calls(material, add, taken);
  for (const { seq, text } of material.memories)
    add('p1', 'memory', `- ${cut(text, MEMORY_CHARS)} ${cite([seq])}`, [seq], 'agent_said', 12);
  links(material, add, taken);
  summaries(material, ids, found, add);
  talk(material, ids, found, add, taken);
  return found;
}

type Add = (
  priority: Priority,
  kind: Section,
  text: string,
  provenance: number[],
  trust: Trust,
  weight: number,
) => void;

/** Recent things weigh up to twice as much as old ones. */
function adder(found: Found, ids: Ids, end: number): Add {
  return (priority, kind, text, provenance, trust, weight) => {
    const newest = provenance.at(-1) ?? 0;
    const recency = end > 0 ? 1 + newest / end : 1;
    found.items.push({
      id: ids.next(kind, provenance[0] ?? 0),
      priority,
      kind,
      text,
      provenance,
      trust,
      weight: weight * recency,
    });
  };
}

/** One item a file with all that was done to it, and its last diff as an item of its own. */
function files({ edits }: Material, add: Add): void {
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
    add('p1', 'file', `- ${path} (${last.op}${times}) ${cite([last.seq])}`, provenance, 'verified', 10);
    if (last.diff !== null)
      add('p1', 'diff', `${path} ${cite([last.seq])}\n${diffText(last.diff)}`, [last.seq], 'verified', 8);
  }
}

function diffText(diff: string): string {
  const lines = diff.trimEnd().split('\n');
  const shown = lines.slice(0, DIFF_LINES).map((line) => cut(line, 300));
  if (lines.length > DIFF_LINES) shown.push(`[…] ${lines.length - DIFF_LINES} more lines`);
  return shown.join('\n');
}

/** The last run of each command. Failures that a later run of the same command healed are only named. */
function commands(material: Material, ids: Ids, found: Found, add: Add, taken: readonly Candidate[]): void {
  const last = new Map(material.commands.map((run) => [run.command, run]));
  const shown = new Set(taken.filter(({ kind }) => kind === 'error').flatMap(({ provenance }) => provenance));
  const runs = new Map<string, number>();
  for (const run of material.commands) {
    runs.set(run.command, (runs.get(run.command) ?? 0) + 1);
    if (shown.has(run.seq)) continue;
    const newest = last.get(run.command)!;
    if (newest !== run) {
      if (run.failed)
        found.excluded.push({
          id: ids.next('failed', run.seq),
          kind: 'failed',
          text: cut(commandLine(run), 200),
          reason: `superseded by e${newest.seq}`,
          provenance: provenanceOf(run),
        });
      continue;
    }
    addCommand(material, run, runs.get(run.command)!, add);
  }
}

function addCommand(material: Material, run: Command, times: number, add: Add): void {
  const often = times > 1 ? ` (run ${times} times)` : '';
  if (run.failed)
    add(
      'p1',
      'failed',
      `${commandLine(run)}${often}${output(material, run, FAILED_LINES)}`,
      provenanceOf(run),
      'failed',
      14,
    );
  else
    add(
      'p1',
      'command',
      `${commandLine(run)}${often}${output(material, run, 1)}`,
      provenanceOf(run),
      run.exit === null ? 'agent_said' : 'verified',
      6,
    );
}

/** Calls that leave no derived event: servers, sub-agents, the web. What failed says why. */
function calls({ calls: all, edits }: Material, add: Add, taken: readonly Candidate[]): void {
  const told = new Set(taken.filter(({ kind }) => kind === 'interrupted').map(({ provenance }) => provenance[0]));
  const paths = new Set(edits.map(({ path }) => path));
  for (const call of all) {
    if (told.has(call.seq) || call.tool === 'todo' || call.tool === 'plan' || call.tool === 'shell') continue;
    const failed = call.result?.failed === true;
    if (!failed && (call.tool === 'read' || call.tool === 'search')) continue;
    if (!failed && (call.tool === 'edit' || call.tool === 'write') && paths.has(call.header)) continue;
    addCall(call, failed, add);
  }
}

function addCall(call: Call, failed: boolean, add: Add): void {
  const provenance = call.result ? [call.seq, call.result.seq] : [call.seq];
  const lines = call.result
    ? decisiveLines(call.result.text, failed ? 4 : 2).map((line) => `  ${line}`)
    : ['  (no result)'];
  const text = [
    `- ${call.name} ${cut(call.header, CALL_CHARS)} ${cite(provenance)}`.replace(/ +/g, ' '),
    ...lines,
  ].join('\n');
  if (failed) add('p1', 'failed', text, provenance, 'failed', 8);
  else
    add('p1', 'call', text, provenance, call.tool === 'web' ? 'agent_said' : 'verified', call.tool === 'web' ? 4 : 9);
}

/** Each link once, where it was named last; those of the current and the first request stand there already. */
function links({ prompts }: Material, add: Add, taken: readonly Candidate[]): void {
  const named = new Map(prompts.flatMap(({ seq, text }) => linksIn(text).map((link) => [link, seq] as const)));
  const shown = taken.filter(({ kind }) => kind === 'request' || kind === 'goal').map(({ text }) => text);
  for (const [link, seq] of named)
    if (!shown.some((text) => text.includes(link)))
      add('p1', 'reference', `- ${link} ${cite([seq])}`, [seq], 'user_said', 10);
}

/** The newest summary that an agent made of its own history; older ones are contained in it. */
function summaries(material: Material, ids: Ids, found: Found, add: Add): void {
  const newest = material.summaries.at(-1);
  for (const { seq, text } of material.summaries) {
    if (seq === newest?.seq)
      add(
        'p2',
        'summary',
        `${excerpt(text, SUMMARY_CHARS)} ${cite([seq])}`,
        [seq],
        'agent_said',
        10 * estimateTokens(text),
      );
    else
      found.excluded.push({
        id: ids.next('summary', seq),
        kind: 'summary',
        text: cut(text, 200),
        reason: `superseded by e${newest?.seq}`,
        provenance: [seq],
      });
  }
}

/** What was said, newest turns first by weight: prompts and the replies to them. */
function talk(
  { prompts, replies, decided }: Material,
  ids: Ids,
  found: Found,
  add: Add,
  taken: readonly Candidate[],
): void {
  const have = new Map(
    taken
      .filter(({ kind }) => kind === 'request' || kind === 'goal' || kind === 'state')
      .map(({ id, provenance }) => [provenance[0], id]),
  );
  const bySeq = Map.groupBy(decided, ({ seq }) => seq);
  const stale = staleFigures(replies.slice(-TURNS));
  const offer = (list: readonly Said[], kind: 'said' | 'reply', max: number, worth: number): void => {
    const from = Math.max(0, list.length - TURNS);
    for (const [at, { seq, text }] of list.entries()) {
      if (have.has(seq)) continue;
      if (at < from) {
        found.excluded.push({
          id: ids.next(kind, seq),
          kind,
          text: cut(text, 120),
          reason: 'older than the turns looked at',
          provenance: [seq],
        });
        continue;
      }
      const current = withFiguresMarked(withoutTakenBack(text, bySeq.get(seq) ?? []), stale.get(seq));
      const line = `- ${excerpt(current, max)} ${cite([seq])}`;
      add(
        'p2',
        kind,
        line,
        [seq],
        kind === 'said' ? 'user_said' : 'agent_said',
        worth * estimateTokens(line) * telling(text),
      );
    }
  };
  offer(prompts, 'said', SAID_CHARS, 1.2);
  offer(replies, 'reply', REPLY_CHARS, 1);
}

/** "Go on" and "ok" tell a successor nothing; whatever its length, the rest is worth the same per token. */
function telling(text: string): number {
  return text.length < 24 ? 0.3 : 1;
}
