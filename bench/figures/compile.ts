import { join } from 'node:path';
import { loadTokenizer, type Tokenizer } from '../../src/core/tokens/exact.ts';
import { writeClaudeSession } from '../generate/claude-session.ts';
import type { PhraseSet } from '../generate/phrases.ts';
import type { WorkingSession } from '../generate/working-facts.ts';
import { workingSession } from '../generate/working-session.ts';
import { quantile, run } from '../measure.ts';
import { absolute, ahead, atLeast, type Figure } from '../report.ts';
import type { Surroundings } from '../surroundings.ts';
import { compiled, lastMessages, type Method, middleTruncated, survival } from '../survival.ts';

const TURNS = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 800, 1200, 2000, 3500, 5000];
const BUDGETS = [8_000, 32_000, 128_000];
const BASELINES: Record<string, Method> = { 'last messages': lastMessages, 'middle cut out': middleTruncated };
/** The phrases that the compiler's author wrote, those of somebody who had not read the compiler, and ordinary words. */
const SETS: Record<string, PhraseSet> = { '': 'plain', ', held out': 'held-out', ', everyday words': 'everyday' };
const VITAL_BAR = 95;
const FACTS_BAR = 90;
/** The budget at which a share of all facts is asked for. */
const FACTS_AT = 32_000;

/** What the next agent needs, and how much of it is left: in our page and in what people do without one. */
export async function compileSurvival({ quick }: Surroundings): Promise<Figure[]> {
  const tokenizer = await loadTokenizer();
  const turns = quick ? TURNS.filter((count) => count <= 200) : TURNS;
  return Object.entries(SETS).flatMap(([label, set]) => {
    const sessions = turns.flatMap((count, at) => [
      workingSession(at * 2 + 1, count, 'en', set),
      workingSession(at * 2 + 2, count, 'zh', set),
    ]);
    return BUDGETS.flatMap((budget) => figuresOf(label, budget, sessions, tokenizer));
  });
}

function figuresOf(label: string, budget: number, sessions: readonly WorkingSession[], tokenizer: Tokenizer): Figure[] {
  const at = `${label}, ${budget / 1000}k`;
  const ours = sumOf(compiled, budget, sessions, tokenizer);
  const figures = [
    ...shares(`our page${at}`, ours, VITAL_BAR, budget === FACTS_AT ? FACTS_BAR : null),
    absolute(
      `shown though no longer so: our page${at}`,
      ours.wrong,
      'cases',
      0,
      `${ours.doubted} valid decisions in doubt`,
    ),
    absolute(`over budget: our page${at}`, ours.over, 'cases', 0, `${sessions.length} sessions`),
  ];
  for (const [name, method] of Object.entries(BASELINES)) {
    const sum = sumOf(method, budget, sessions, tokenizer);
    figures.push(
      ...shares(`${name}${at}`, sum, null, null),
      ahead(`vital facts before ${name}${at}`, ours.vital - sum.vital, ''),
      ahead(`all facts before ${name}${at}`, ours.facts - sum.facts, ''),
    );
  }
  return figures;
}

interface Sum {
  /** per cent */
  vital: number;
  facts: number;
  wrong: number;
  doubted: number;
  over: number;
  note: string;
}

function sumOf(method: Method, budget: number, sessions: readonly WorkingSession[], tokenizer: Tokenizer): Sum {
  const sum = { vital: 0, vitals: 0, kept: 0, facts: 0, wrong: 0, doubted: 0, over: 0 };
  for (const session of sessions) {
    const { vital, facts, wrong, doubted, tokens } = survival(session, method(session, budget, tokenizer), tokenizer);
    sum.vital += vital[0];
    sum.vitals += vital[1];
    sum.kept += facts[0];
    sum.facts += facts[1];
    sum.wrong += wrong.length;
    sum.doubted += doubted;
    if (tokens > budget) sum.over++;
  }
  const { wrong, doubted, over } = sum;
  const note = `${sum.kept} of ${sum.facts} facts, ${sum.vital} of ${sum.vitals} vital ones; shown though no longer so: ${wrong}; over budget: ${over}; ${sessions.length} sessions`;
  return { vital: (100 * sum.vital) / sum.vitals, facts: (100 * sum.kept) / sum.facts, wrong, doubted, over, note };
}

function shares(name: string, { vital, facts, note }: Sum, vitalBar: number | null, factsBar: number | null): Figure[] {
  return [atLeast(`vital facts: ${name}`, vital, vitalBar, note), atLeast(`all facts: ${name}`, facts, factsBar, '')];
}

/** The time that a person waits for the page of a session of 100,000 events and more, once it is in the store. */
export async function compileSpeed(around: Surroundings): Promise<Figure[]> {
  const path = join(around.folder, 'compile.jsonl');
  const { lines } = await writeClaudeSession(path, { lines: around.quick ? 20_000 : 70_000, seed: 11 });
  const home = around.fresh('engine');
  const once = (budget: number) => run(around.programs, 'compile', [home, around.folder, path, String(budget)]);
  await once(0);
  const figures: Figure[] = [];
  for (const budget of BUDGETS) {
    const { told } = await once(budget);
    const [first = Number.NaN, ...others] = told.times as number[];
    const note = `p95 of ${others.length} calls, the first ${first.toFixed(0)} ms with the tokenizer; ${lines} lines; ${told.tokens} tokens`;
    figures.push(
      absolute(`compile to ${budget / 1000}k`, quantile(others, 0.95), 'ms', 500, note),
      absolute(`compile to ${budget / 1000}k, peak`, told.peak_mb, 'MB', 300, ''),
    );
  }
  return figures;
}
