import { compile } from '../src/core/compile/compile.ts';
import { gather } from '../src/core/compile/material.ts';
import { compileSelection } from '../src/core/compile/select.ts';
import type { Tokenizer } from '../src/core/tokens/exact.ts';
import { activePath } from '../src/core/view/branch.ts';
import { classifyLog } from '../src/core/view/classify-log.ts';
import { textOf } from '../src/core/view/content.ts';
import { modelOrder, readSpecial, specialSeqs } from '../src/core/view/model.ts';
import type { SessionEvent } from '../src/shared/events.ts';
import type { Fact, Stale, WorkingSession } from './generate/working-facts.ts';

/** What of a session is left in a text of at most `budget` tokens. */
export interface Survival {
  /** facts of the session that are there, and all of them */
  vital: [kept: number, all: number];
  facts: [kept: number, all: number];
  /** stale things that stand there as if they were so */
  wrong: string[];
  /** decisions that stand, and of which the text says that perhaps they do not */
  doubted: number;
  lost: Fact[];
  tokens: number;
}

export type Method = (session: WorkingSession, budget: number, tokenizer: Tokenizer) => string;

/** Ours. */
export const compiled: Method = ({ events, name }, budget, tokenizer) => {
  const index = classifyLog(events);
  const special = readSpecial(specialSeqs(index).map((seq) => events[seq]!));
  const selection = compileSelection(index, activePath(index, special.leaf));
  const session = { id: `sess_${name}`, agent: 'claude' as const, cwd: '/home/dev/project', git_branch: 'main' };
  const picked = selection.seqs.map((seq) => events[seq]!);
  const page = compile({ session, selection, material: gather(picked), target: 'codex', budget, tokenizer, factor: 1 });
  if (!page.ok) throw new Error(`${name} at ${budget}: ${page.error.message}`);
  return page.value.text;
};

/** As many of the last messages as fit. */
export const lastMessages: Method = (session, budget, tokenizer) => {
  const kept: string[] = [];
  let left = budget;
  for (const message of transcript(session).toReversed()) {
    left -= tokenizer.count(message) + 1;
    if (left < 0) break;
    kept.unshift(message);
  }
  return kept.join('\n');
};

/** The whole transcript with its middle cut out. */
export const middleTruncated: Method = (session, budget, tokenizer) => {
  const messages = transcript(session);
  const costs = messages.map((message) => tokenizer.count(message) + 1);
  if (costs.reduce((sum, cost) => sum + cost, 0) <= budget) return messages.join('\n');
  const head: string[] = [];
  const tail: string[] = [];
  const half = (budget - 10) / 2;
  for (let at = 0, left = half; at < messages.length && left >= costs[at]!; at++) {
    left -= costs[at]!;
    head.push(messages[at]!);
  }
  for (let at = messages.length - 1, left = half; at >= head.length && left >= costs[at]!; at--) {
    left -= costs[at]!;
    tail.unshift(messages[at]!);
  }
  return [...head, '[…]', ...tail].join('\n');
};

/** What the source agent itself would send, as text. */
function transcript({ events }: WorkingSession): string[] {
  const index = classifyLog(events);
  const special = readSpecial(specialSeqs(index).map((seq) => events[seq]!));
  return [...modelOrder(index, special)].map((seq) => asText(events[seq]!)).filter((line) => line !== '');
}

function asText({ type, payload }: SessionEvent): string {
  if (type === 'message.user') return `User: ${textOf(payload.content)}`;
  if (type === 'message.assistant') return `Assistant: ${textOf(payload.content)}`;
  if (type === 'tool.call') return `Tool call: ${String(payload.name)} ${JSON.stringify(payload.arguments)}`;
  if (type === 'tool.result') return `Tool result: ${textOf(payload.content)}`;
  if (type === 'context.compacted') return `Summary: ${textOf(payload.summary)}`;
  return '';
}

export function survival(session: WorkingSession, text: string, tokenizer: Tokenizer): Survival {
  // a number may stand in the name of an event
  const lines = text.replace(/\[e\d+(?: ×\d+)?\]/g, '').split('\n');
  const lost = session.facts.filter((fact) => !isThere(fact, lines));
  const kept = (facts: readonly Fact[]): [number, number] => [
    facts.filter((fact) => !lost.includes(fact)).length,
    facts.length,
  ];
  return {
    vital: kept(session.facts.filter(({ isVital }) => isVital)),
    facts: kept(session.facts),
    wrong: session.stale
      .filter((stale) => lines.some((line, at) => isClaimed(line, stale, lines[at - 1] ?? '')))
      .map(({ kind, needles }) => `${kind}: ${needles.join(' ')}`),
    doubted: session.facts.filter(
      ({ kind, needles }) => kind === 'decision' && lines.some((line) => isDoubted(line, needles)),
    ).length,
    lost,
    tokens: tokenizer.count(text),
  };
}

/** So many lines belong together: a command and its output. */
const NEAR = 6;

function isThere({ needles }: Fact, lines: readonly string[]): boolean {
  return lines.some((line, at) => {
    if (!line.includes(needles[0]!)) return false;
    const around = lines.slice(Math.max(0, at - NEAR), at + NEAR + 1).join('\n');
    return needles.every((needle) => around.includes(needle));
  });
}

function isDoubted(line: string, needles: readonly string[]): boolean {
  return /perhaps superseded/.test(line) && line.startsWith('- ') && needles.every((needle) => line.includes(needle));
}

/** Words that say of a line that it is over. */
const OVER = /supersed|replaced|no longer|was measured again|earlier value|\[x\]|取代|不再|已完成|旧/i;

function isClaimed(line: string, { needles, takenBack }: Stale, before: string): boolean {
  const isSaid = needles.every((needle) => line.includes(needle)) && !takenBack.some((words) => line.includes(words));
  return isSaid && !OVER.test(line) && !OVER.test(before);
}
