/**
 * The ways of a handoff that do not carry the whole session natively: what the real target then sends.
 *
 * - `native-tail`: the page comes first, and behind it stands exactly what the source would have sent from its last prompt on;
 * - `context`: the page with the newest prompt in it, and nothing else;
 * - `delta`: the session is handed over whole, the source agent says one thing more, and it is handed over again. All of
 *   the first handoff arrives as before, and behind it one page that tells what was said since, and nothing of the rest.
 */
import { type Comparison, compare } from './compare.ts';
import { type LabAgent, PROMPT } from './contract.ts';
import { splitLosses } from './declared.ts';
import type { Item } from './facts.ts';
import { cleanText } from './facts.ts';
import { type HandedOver, handOffAgain } from './handoff.ts';
import { ANSWER } from './model-server.ts';
import {
  inWords,
  layAgain,
  type RunTarget,
  runOf,
  type SessionReport,
  type SessionRun,
  unfinished,
} from './scenario.ts';

export const MODES: readonly string[] = ['native', 'native-tail', 'context', 'delta'];

/** Title of a page, in both of its languages. What a target's own words stand around is harness text to its client. */
const PAGE = /^# (?:Handover from|来自) /m;
const NEW_PAGE = /^# (?:What is new from |.+ 的新进展$)/m;

type Part = Extract<Item, { kind: 'text' }>;

export function runMode(mode: string): RunTarget {
  return async (run, to, oracle) => {
    const { bench, lab, source, session } = run;
    const done = await handedOver(run, to, mode);
    if (!done.ok) return unfinished(run, to, [done.problem], done.isOpen ? 'failed' : 'skipped');
    const measured = await to.resume(runOf(run, to), { id: done.value.native_id, cwd: session.cwd });
    if (!measured.ok) return unfinished(run, to, [`the target does not resume it: ${measured.reason}`]);
    await bench.keep(`${mode}-${to.id}`, source.name, session.id, measured.body, lab.root);
    return judged(run, to, mode, oracle, to.items(measured.body), done.value);
  };
}

type Done = { ok: true; value: HandedOver } | { ok: false; problem: string; isOpen: boolean };

async function handedOver(run: SessionRun, to: LabAgent, mode: string): Promise<Done> {
  const { bench, lab, session } = run;
  await layAgain(run);
  await to.configure(runOf(run, to), session.cwd);
  const options = mode === 'native-tail' ? ['--turns', '1'] : [];
  if (mode !== 'delta')
    return asDone(await bench.handoff(lab, session, bench.from.id, to.id, ['--mode', mode, ...options]));
  const first = await bench.handoff(lab, session, bench.from.id, to.id);
  if (!first.ok) return asDone(first);
  await bench.from.configure(runOf(run, bench.from), session.cwd);
  const said = await bench.from.resume(runOf(run, bench.from), session);
  if (!said.ok) return { ok: false, problem: said.reason, isOpen: true };
  return asDone(await handOffAgain(lab, session, bench.from.id, to.id, ['--mode', 'delta']));
}

/** A session of one turn has no tail. */
const asDone = (outcome: Awaited<ReturnType<typeof handOffAgain>>): Done =>
  outcome.ok ? outcome : { ok: false, problem: outcome.reason, isOpen: !/has one turn only/.test(outcome.reason) };

function judged(
  run: SessionRun,
  to: LabAgent,
  mode: string,
  oracle: readonly Item[],
  measured: readonly Item[],
  done: HandedOver,
): SessionReport {
  const at = measured.findIndex((item) => isPage(item, mode === 'delta' ? NEW_PAGE : PAGE));
  if (at < 0) return unfinished(run, to, ['the target sends no compiled page']);
  const page = cleanText((measured[at] as Extract<Item, { kind: 'text' | 'harness' }>).text);
  const asked = promptsOf(oracle).slice(0, -1);
  const newest = asked.at(-1)?.text ?? '';
  const [before, behind] = [measured.slice(0, at), measured.slice(at + 1)];
  const kept = mode === 'delta' ? before : behind;
  const expected = mode === 'delta' ? oracle : mode === 'context' ? [] : tailOf(oracle);
  // `compare` leaves the lab's own prompt out of both
  const comparison = compare(expected, mode === 'delta' ? [...kept, ...promptItem()] : kept, PROMPT, to.limits);
  const problems = problemsOf(comparison, done);
  if (mode === 'context' && !page.includes(cleanText(newest).slice(0, 400)))
    problems.push(`the page does not hold the newest prompt: ${JSON.stringify(newest.slice(0, 120))}`);
  if (mode === 'delta') problems.push(...problemsOfNew(page, asked));
  return {
    ...unfinished(run, to, problems, problems.length === 0 ? 'passed' : 'failed'),
    comparison,
  };
}

const isPage = (item: Item, title: RegExp): boolean =>
  (item.kind === 'harness' || (item.kind === 'text' && item.role === 'user')) && title.test(item.text);

const promptsOf = (items: readonly Item[]): Part[] =>
  items.filter((item): item is Part => item.kind === 'text' && item.role === 'user');

const promptItem = (): Item[] => [{ kind: 'text', role: 'user', text: PROMPT }];

/** From the last prompt before the lab's own on. */
function tailOf(oracle: readonly Item[]): Item[] {
  const prompts = oracle.flatMap((item, at) => (item.kind === 'text' && item.role === 'user' ? [at] : []));
  return oracle.slice(prompts.at(-2) ?? 0);
}

function problemsOf({ differences }: Comparison, { fidelity }: HandedOver): string[] {
  const losses = differences.filter(({ what }) => what === 'lost');
  const { undeclared } = splitLosses(losses, fidelity.rows);
  return [
    ...undeclared.map((loss) => `lost and not declared: ${inWords(loss)}`),
    ...differences.filter(({ what }) => what !== 'lost').map(inWords),
  ];
}

/** What was said after the first handoff is told, and nothing of what was there before. */
function problemsOfNew(page: string, asked: readonly Part[]): string[] {
  const problems: string[] = [];
  if (!page.includes(PROMPT)) problems.push('the page does not tell what was asked since');
  if (!page.includes(ANSWER)) problems.push('the page does not tell what was answered since');
  const told = asked.find(({ text }) => cleanText(text).length > 40 && page.includes(cleanText(text).slice(0, 200)));
  if (told) problems.push(`the page tells again what is known: ${JSON.stringify(told.text.slice(0, 120))}`);
  return problems;
}
