import type { CompiledContext } from '../../shared/api.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { SessionEvent } from '../../shared/events.ts';
import { AGENT_LABELS, type AgentId, type SessionRow } from '../../shared/session.ts';
import { sha256Hex } from '../hash.ts';
import { wellFormed } from '../text.ts';
import { estimateTokens } from '../tokens/estimate.ts';
import type { Tokenizer } from '../tokens/exact.ts';
import { choose, type Price, type Purse } from './budget.ts';
import { type Candidate, type Excluded, Ids, RECORD_SECTIONS, type Section, USER_SECTIONS } from './item.ts';
import { gather } from './material.ts';
import { mayHave } from './may.ts';
import { mustHave } from './must.ts';
import { type Frame, fenceKey, heading, render } from './render.ts';
import type { Selection } from './select.ts';
import { cut } from './sentences.ts';
import { counted, type Noun, type Wording, wordingFor } from './wording.ts';

export interface CompileInput {
  session: Pick<SessionRow, 'id' | 'agent' | 'cwd' | 'git_branch'>;
  /** of `compileSelection`; `events` are the ones it names, ascending */
  selection: Selection;
  events: readonly SessionEvent[];
  /** agent for which it is compiled */
  target: string;
  /** tokens of the target's model that the whole page may take */
  budget: number;
  /** bound in UTF-16 units, besides the tokens */
  maxChars?: number | undefined;
  tokenizer: Tokenizer;
  /** tokens of the target's model for one of the tokenizer */
  factor: number;
  /** true: the last turns of the session follow the page as messages, and `events` end before them */
  tailFollows?: boolean | undefined;
}

/**
 * Compiles a session into one page for its successor, without any model: what must be known (P0) whole, evidence (P1)
 * by worth per token, conversation (P2) as excerpts, everything else named as dropped. Same input, same bytes.
 *
 * Errors: `no_conversation`; `p0_over_budget` with the items and their tokens, since P0 is never cut.
 */
export function compile(input: CompileInput): Result<CompiledContext> {
  const material = gather(input.events);
  if (material.prompts.length + material.replies.length + material.calls.length === 0) {
    return fail('no_conversation', 'This session has no conversation that could be compiled.');
  }
  const ids = new Ids();
  const must = mustHave(material, ids);
  const may = mayHave(material, ids, must.items);
  const candidates = [...must.items, ...may.items];
  const excluded = [...must.excluded, ...may.excluded];
  const wording = wordingFor(material.prompts.map(({ text }) => text));
  return new Compiler(input, wording, candidates, excluded).run();
}

class Compiler {
  readonly #input: CompileInput;
  readonly #wording: Wording;
  readonly #candidates: readonly Candidate[];
  readonly #excluded: readonly Excluded[];
  readonly #frame: Frame;
  readonly #limit: Price;

  constructor(input: CompileInput, wording: Wording, candidates: readonly Candidate[], excluded: readonly Excluded[]) {
    this.#input = input;
    this.#wording = wording;
    this.#candidates = candidates;
    this.#excluded = excluded;
    const { session } = input;
    this.#frame = {
      wording,
      agent: AGENT_LABELS[session.agent as AgentId] ?? session.agent,
      session: session.id,
      key: fenceKey(session.id, [...candidates.map(({ text }) => text), session.cwd ?? '', session.git_branch ?? '']),
      cwd: session.cwd === null ? null : oneLine(session.cwd),
      branch: session.git_branch === null ? null : oneLine(session.git_branch),
      tailFollows: input.tailFollows ?? false,
      notShown: this.#notShown(),
    };
    this.#limit = { tokens: input.budget, chars: input.maxChars ?? Number.POSITIVE_INFINITY };
  }

  run(): Result<CompiledContext> {
    const must = this.#candidates.filter(({ priority }) => priority === 'p0');
    const base = this.#measure(render(this.#frame, must, this.#allLeft()));
    if (!this.#fits(base)) return this.#overBudget(must, base);
    const chosen = choose(this.#purse(), must, base, this.#candidates);
    // the sum of parts is a close bound of the whole, not an exact one
    let text = this.#page([...must, ...chosen]);
    while (chosen.length > 0 && !this.#fits(this.#measure(text))) {
      chosen.pop();
      text = this.#page([...must, ...chosen]);
    }
    if (!this.#fits(this.#measure(text))) return this.#overBudget(must, this.#measure(text));
    return ok(this.#result(text, new Set([...must, ...chosen])));
  }

  #measure(text: string): Price {
    return { tokens: Math.ceil(this.#input.tokenizer.count(text) * this.#input.factor), chars: text.length };
  }

  #fits({ tokens, chars }: Price): boolean {
    return tokens <= this.#limit.tokens && chars <= this.#limit.chars;
  }

  #purse(): Purse {
    return {
      room: this.#limit,
      measure: (text) => this.#measure(text),
      factor: this.#input.factor,
      heading: (section) => this.#measure(`${heading(this.#frame, section)}\n`),
    };
  }

  #page(items: readonly Candidate[]): string {
    const set = new Set(items);
    return render(
      this.#frame,
      this.#candidates.filter((item) => set.has(item)),
      this.#left(set),
    );
  }

  #left(kept: ReadonlySet<Candidate>): Map<Section, number> {
    const left = new Map<Section, number>();
    for (const item of this.#candidates) if (!kept.has(item)) left.set(item.kind, (left.get(item.kind) ?? 0) + 1);
    return left;
  }

  /** The longest that the line of omissions can become. */
  #allLeft(): Map<Section, number> {
    return this.#left(new Set());
  }

  #notShown(): string[] {
    const { older, unseen } = this.#input.selection;
    const { images, thinking, unknown } = this.#wording;
    const counts: [number, Noun][] = [
      [unseen.images, images],
      [unseen.thinking, thinking],
      [unseen.unknown, unknown],
      [older, this.#wording.older],
    ];
    return counts.filter(([count]) => count > 0).map(([count, what]) => counted(count, what));
  }

  #overBudget(must: readonly Candidate[], needed: Price): Result<CompiledContext> {
    const items = must
      .map(({ id, kind, text }) => ({ id, kind, tokens: this.#measure(text).tokens }))
      .toSorted((a, b) => b.tokens - a.tokens || (a.id < b.id ? -1 : 1));
    const largest = items.slice(0, 3).map(({ id, tokens }) => `${id} (${tokens})`);
    const { budget, maxChars } = this.#input;
    const limit =
      maxChars !== undefined && needed.chars > maxChars
        ? `${needed.chars} characters of ${maxChars}`
        : `${needed.tokens} tokens of ${budget}`;
    return fail(
      'p0_over_budget',
      `What must not be cut takes ${limit}; the largest items are ${largest.join(', ')}. Raise the budget, or shorten the task by a new prompt.`,
      {
        needed: needed.tokens,
        budget,
        items,
      },
    );
  }

  #result(text: string, kept: ReadonlySet<Candidate>): CompiledContext {
    const { target, budget, tokenizer, factor } = this.#input;
    const order: readonly string[] = [...USER_SECTIONS, ...RECORD_SECTIONS];
    const items = [...kept]
      .map(({ weight: _, ...item }) => ({ ...item, tokens: this.#measure(item.text).tokens }))
      .toSorted(
        (a, b) =>
          (a.priority < b.priority ? -1 : a.priority > b.priority ? 1 : 0) ||
          order.indexOf(a.kind) - order.indexOf(b.kind),
      );
    const short = (dropped: string): number => Math.ceil(estimateTokens(dropped) * factor);
    const overBudget = this.#candidates.filter((item) => !kept.has(item));
    return {
      target,
      budget,
      tokens: this.#measure(text).tokens,
      tokenizer: factor === 1 ? tokenizer.name : `${tokenizer.name} × ${factor}`,
      sha256: sha256Hex(text),
      text,
      items,
      dropped: [
        ...overBudget.map(({ id, kind, text: whole, provenance }) => ({
          id,
          kind,
          text: cut(whole, 200),
          tokens: short(whole),
          reason: 'over budget',
          provenance,
        })),
        ...this.#excluded.map((item) => ({ ...item, text: cut(item.text, 200), tokens: short(item.text) })),
      ],
      cannot_see: [...this.#frame.notShown],
    };
  }
}

function oneLine(text: string): string {
  return wellFormed(text).replace(/\s+/g, ' ');
}

/** Tokens by priority for a budget bar; the frame counts with P0. */
export function partsOf(compiled: CompiledContext): { name: 'p0' | 'p1' | 'p2'; tokens: number }[] {
  const sum = (name: 'p1' | 'p2'): number =>
    compiled.items.filter(({ priority }) => priority === name).reduce((total, { tokens }) => total + tokens, 0);
  const p1 = sum('p1');
  const p2 = sum('p2');
  return [
    { name: 'p0', tokens: Math.max(0, compiled.tokens - p1 - p2) },
    { name: 'p1', tokens: p1 },
    { name: 'p2', tokens: p2 },
  ];
}
