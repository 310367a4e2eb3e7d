import { constraintsIn, questionsAtEnd, type Rule } from './constraints.ts';
import { withDoubt } from './decisions.ts';
import { type Candidate, cite, type Excluded, type Ids } from './item.ts';
import type { Call, Command, Material } from './material.ts';
import { decisiveLines } from './output-lines.ts';
import type { Said } from './said.ts';
import { cut, excerpt } from './sentences.ts';

/** Up to so many characters the first request and the last replies are carried whole, as P0. */
const SHORT = 1_500;
/** More strict rules than these would leave no room for the work; older ones compete as P1. */
const MOST_RULES = 60;
/** Nobody works at more: older ones were left open when a list was replaced, and compete as P1. */
const MOST_TASKS = 100;
/** Of those on record and of those in words; older ones compete as P1. */
const MOST_DECISIONS = 30;
/** Older choices and rules that are not strict count like other evidence: some of them are none. */
const MOST_CHOICES = 60;
const ERROR_LINES = 14;
const CALL_CHARS = 600;

export interface Found {
  items: Candidate[];
  excluded: Excluded[];
}

/** P0: what nobody can go on without. Kept whole, or the compile fails. */
export function mustHave(material: Material, ids: Ids): Found {
  const found: Found = { items: [], excluded: [] };
  requests(material, ids, found);
  lastError(material, ids, found);
  interrupted(material, ids, found);
  tasks(material, ids, found);
  decisions(material, ids, found);
  decided(material, ids, found);
  state(material, ids, found);
  return found;
}

function add(
  found: Found,
  ids: Ids,
  item: Omit<Candidate, 'id' | 'priority' | 'weight'> & Partial<Pick<Candidate, 'priority' | 'weight'>>,
): void {
  found.items.push({ id: ids.next(item.kind, item.provenance[0] ?? 0), priority: 'p0', weight: 0, ...item });
}

function requests({ prompts }: Material, ids: Ids, found: Found): void {
  const current = prompts.at(-1);
  const first = prompts[0];
  if (!current || !first) return;
  add(found, ids, { kind: 'request', text: current.text, provenance: [current.seq], trust: 'user_said' });
  if (first !== current) {
    const whole = first.text.length <= SHORT;
    const text = whole ? first.text : excerpt(first.text, SHORT);
    add(found, ids, {
      kind: 'goal',
      text,
      provenance: [first.seq],
      trust: 'user_said',
      ...(whole ? {} : { priority: 'p1', weight: 500 }),
    });
  }
  rules(
    prompts.filter((prompt) => prompt !== current && (prompt !== first || first.text.length > SHORT)),
    ids,
    found,
  );
}

const rulesOfPrompt = new WeakMap<Said, Rule[]>();

/** Asked again for every page of the same session. */
function rulesOf(prompt: Said): Rule[] {
  const known = rulesOfPrompt.get(prompt) ?? constraintsIn(prompt.text);
  rulesOfPrompt.set(prompt, known);
  return known;
}

/** Rules of earlier requests, each once. What is strict is P0, of many those that were said last; the rest is P1. */
function rules(prompts: readonly Said[], ids: Ids, found: Found): void {
  const seqs = new Map<string, number[]>();
  const strict = new Set<string>();
  for (const prompt of prompts) {
    for (const rule of rulesOf(prompt)) {
      const known = seqs.get(rule.text);
      if (known) known.push(prompt.seq);
      else seqs.set(rule.text, [prompt.seq]);
      if (rule.strict) strict.add(rule.text);
    }
  }
  // those that were said last count, whenever they were said first
  const byLast = [...seqs].toSorted(([, a], [, b]) => a.at(-1)! - b.at(-1)!).map(([rule]) => rule);
  const must = new Set(byLast.filter((rule) => strict.has(rule)).slice(-MOST_RULES));
  const recent = new Set(byLast.slice(-MOST_CHOICES));
  for (const [rule, provenance] of seqs) {
    const text = `- ${rule} ${cite(provenance)}`;
    add(found, ids, {
      kind: 'constraint',
      text,
      provenance,
      trust: 'user_said',
      ...(must.has(rule) ? {} : { priority: 'p1', weight: strict.has(rule) || recent.has(rule) ? 25 : 8 }),
    });
  }
}

/** The newest command that failed and was not seen to succeed later, with the lines that say why. */
function lastError(material: Material, ids: Ids, found: Found): void {
  const { commands, edits, prompts } = material;
  const fixed = new Set<string>();
  const tried = new Map<string, number>();
  for (const run of commands.toReversed()) {
    if (run.outcome === 'ok') fixed.add(run.command);
    if (run.outcome === 'unknown' && !tried.has(run.command)) tried.set(run.command, run.seq);
    if (run.outcome !== 'failed' || fixed.has(run.command)) continue;
    const again = tried.get(run.command);
    const touched = edits.some(({ seq }) => seq > run.seq);
    const stale = touched || again !== undefined || prompts.some(({ seq }) => seq > run.seq);
    add(found, ids, {
      kind: 'error',
      text: `${commandLine(run, material)}${output(material, run, ERROR_LINES)}${sinceThen(touched, again)}`,
      provenance: provenanceOf(run),
      trust: stale ? 'stale' : 'failed',
    });
    return;
  }
}

/** What has come of it since the error, as far as the log tells. */
function sinceThen(touched: boolean, again: number | undefined): string {
  const run = again === undefined ? 'not run again' : `run again ${cite([again])}, how it ended is not known`;
  if (touched) return `\n(files were changed since; ${run})`;
  return again === undefined ? '' : `\n(${run})`;
}

/** `$ command → exit 1 [e12]` */
export function commandLine(run: Command, { callAt }: Material): string {
  const { outcome, exit, call } = run;
  const ends = [
    ...(exit === null ? [] : [`exit ${exit}`]),
    ...(outcome === 'unknown' ? [unended(call === null ? undefined : callAt.get(call))] : []),
    ...(exit === null && outcome === 'failed' ? ['failed'] : []),
  ];
  return `$ ${run.command}${ends.length === 0 ? '' : ` → ${ends.join(', ')}`} ${cite(provenanceOf(run))}`;
}

/** Why it is not known how a call ended. */
export function unended(call: Call | undefined): string {
  const closed = call?.result?.closed;
  if (closed === 'denied') return 'refused by the user';
  return call === undefined || closed === 'ran' ? 'end not known' : 'not finished';
}

/** The lines of its output that decide; the result's text where it says more than the tail does. */
export function output(material: Material, run: Command, lines: number): string {
  const result = run.call === null ? undefined : material.callAt.get(run.call)?.result;
  const text = result && result.text.length > run.output.length ? result.text : run.output;
  const shown = decisiveLines(text, lines);
  return shown.length === 0 ? '' : `\n${shown.map((line) => `  ${line}`).join('\n')}`;
}

export function provenanceOf(run: Command): number[] {
  return run.call === null || run.call === run.seq ? [run.seq] : [run.call, run.seq];
}

/** Calls after the last reply that never came to an end. */
function interrupted({ calls, replies, prompts }: Material, ids: Ids, found: Found): void {
  const since = Math.max(replies.at(-1)?.seq ?? -1, prompts.at(-2)?.seq ?? -1);
  for (const call of calls) {
    if (call.seq < since || (call.result && call.result.closed === 'ran')) continue;
    const provenance = call.result ? [call.seq, call.result.seq] : [call.seq];
    add(found, ids, {
      kind: 'interrupted',
      text: `- ${call.name} ${cut(call.header, CALL_CHARS)}: ${unended(call)} ${cite(provenance)}`,
      provenance,
      trust: 'failed',
    });
  }
}

function tasks({ todos }: Material, ids: Ids, found: Found): void {
  const open = todos.filter(({ status }) => status === 'pending' || status === 'in_progress');
  const oldest = open.map(({ seq }) => seq).toSorted((a, b) => b - a)[MOST_TASKS - 1] ?? -1;
  for (const { seq, text, status } of todos) {
    if (text === '') continue;
    if (status === 'pending' || status === 'in_progress') {
      const doing = status === 'in_progress' ? ' (in progress)' : '';
      add(found, ids, {
        kind: 'todo',
        text: `- [ ] ${text}${doing} ${cite([seq])}`,
        provenance: [seq],
        trust: 'agent_said',
        ...(seq >= oldest ? {} : { priority: 'p1', weight: 20 }),
      });
    } else {
      found.excluded.push({
        id: ids.next('todo', seq),
        kind: 'todo',
        text,
        reason: status === 'done' ? 'done' : 'cancelled',
        provenance: [seq],
      });
    }
  }
}

function decisions(material: Material, ids: Ids, found: Found): void {
  const superseded = new Map(
    material.decisions.flatMap(({ seq, supersedes }) => (supersedes === null ? [] : [[supersedes, seq] as const])),
  );
  const oldest = material.decisions.filter(({ seq }) => !superseded.has(seq)).at(-MOST_DECISIONS)?.seq ?? -1;
  for (const { seq, text } of material.decisions) {
    const by = superseded.get(seq);
    if (by === undefined)
      add(found, ids, {
        kind: 'decision',
        text: `- ${text} ${cite([seq])}`,
        provenance: [seq],
        trust: 'agent_said',
        ...(seq >= oldest ? {} : { priority: 'p1', weight: 40 }),
      });
    else
      found.excluded.push({
        id: ids.next('decision', seq),
        kind: 'decision',
        text,
        reason: `superseded by e${by}`,
        provenance: [seq],
        by,
      });
  }
}

/** What was decided in words, each once: the newest explicit ones are P0. What a later one took back is named as that. */
function decided(material: Material, ids: Ids, found: Found): void {
  const valid = material.decided.filter(({ supersededBy }) => supersededBy === null);
  for (const { seq, text, supersededBy } of material.decided)
    if (supersededBy !== null)
      found.excluded.push({
        id: ids.next('decision', seq),
        kind: 'decision',
        text,
        reason: `superseded by e${supersededBy}`,
        provenance: [seq],
        by: supersededBy,
      });
  const rules = found.items.filter(({ kind }) => kind === 'constraint').map(({ text }) => text);
  const same = [...Map.groupBy(valid, withDoubt)]
    .filter(([text]) => !rules.some((rule) => rule.includes(text)))
    .toSorted(([, a], [, b]) => a.at(-1)!.seq - b.at(-1)!.seq);
  const must = new Set(same.filter(([, all]) => all.at(-1)!.isExplicit).slice(-MOST_DECISIONS));
  for (const [at, one] of same.entries()) {
    const [text, all] = one;
    const { isUsers } = all[0]!;
    add(found, ids, {
      kind: isUsers ? 'constraint' : 'decision',
      text: `- ${text} ${cite(all.map(({ seq }) => seq))}`,
      provenance: all.map(({ seq }) => seq),
      trust: isUsers ? 'user_said' : 'agent_said',
      ...(must.has(one) ? {} : { priority: 'p1', weight: at >= same.length - MOST_CHOICES ? 40 : 8 }),
    });
  }
}

/** Where things stand: the last reply with the questions that wait, and the one that the current request answers. */
function state({ prompts, replies }: Material, ids: Ids, found: Found): void {
  const current = prompts.at(-1)?.seq ?? -1;
  const last = replies.at(-1);
  const before = replies.findLast(({ seq }) => seq < current);
  const stand: Said[] = [...new Set([before, last])].filter((reply) => reply !== undefined);
  for (const reply of stand) {
    const whole = reply.text.length <= SHORT;
    const text = whole ? reply.text : excerpt(reply.text, SHORT);
    add(found, ids, {
      kind: 'state',
      text: `${text} ${cite([reply.seq])}`,
      provenance: [reply.seq],
      trust: 'agent_said',
      ...(whole ? {} : { priority: 'p1', weight: 1000 }),
    });
  }
  if (!last || last.seq < current) return;
  // a short reply stands on the page whole, and its questions with it
  const isWhole = last.text.length <= SHORT;
  for (const question of questionsAtEnd(last.text)) {
    add(found, ids, {
      kind: 'question',
      text: isWhole ? question : `- ${question} ${cite([last.seq])}`,
      provenance: [last.seq],
      trust: 'agent_said',
      ...(isWhole ? { isWithin: true } : {}),
    });
  }
}
