import { AGENT_LABELS, type AgentId } from '../../shared/agents.ts';
import type { CompiledContext } from '../../shared/compiled.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import { sha256Hex } from '../hash.ts';
import { wellFormed } from '../text.ts';
import type { Tokenizer } from '../tokens/exact.ts';
import { tokenScale } from '../tokens/scale.ts';
import { choose, type Price, type Purse } from './budget.ts';
import { type Candidate, type Excluded, Ids, type Section } from './item.ts';
import { type KnownPart, onlyNew } from './known.ts';
import { laidOut } from './layout.ts';
import type { Material } from './material.ts';
import { mayHave } from './may.ts';
import { mustHave } from './must.ts';
import { type Frame, fenceKey, heading, render } from './render.ts';
import { droppedOf, itemsOf } from './result.ts';
import type { Selection } from './select.ts';
import { type Conclusion, extractive, type Passage } from './summariser.ts';
import { talkOf } from './talk.ts';
import { counted, type Noun, type Wording, wordingFor } from './wording.ts';
import type { Workspace } from './workspace.ts';

export interface CompileInput {
  session: Pick<SessionRow, 'id' | 'agent' | 'cwd' | 'git_branch'>;
  selection: Selection;
  /** of the events that `selection` names, ascending (`gather`) */
  material: Material;
  /** by event: 0 = not on the active branch; default: all are */
  active?: Uint8Array | undefined;
  /** agent for which it is compiled */
  target: string;
  /** tokens of the target's model that the whole page may take */
  budget: number;
  /** bound in UTF-16 units, besides the tokens */
  maxChars?: number | undefined;
  tokenizer: Tokenizer;
  /** tokens of the target's model for one of the tokenizer */
  factor: number;
  /** relative uncertainty of that product; default: that of the agent */
  margin?: number | undefined;
  /** true: the last turns of the session follow the page as messages, and the material ends before them */
  tailFollows?: boolean | undefined;
  /** set: the page tells only what is new since */
  known?: KnownPart | undefined;
  /** set: what the project's folder says is offered too */
  workspace?: Workspace | undefined;
  /** set: made by a model from `passagesOf` and checked (`evidence.ts`); they come before the excerpts */
  concluded?: { by: Summarised; conclusions: readonly Conclusion[] } | undefined;
}

type Summarised = CompiledContext['summariser'];

const EXTRACTIVE: Summarised = {
  name: extractive.name,
  deterministic: extractive.isDeterministic,
  conclusions: 0,
  refused: 0,
};

/**
 * Compiles a session into one page for its successor: what must be known (P0) whole, evidence (P1) by worth per token,
 * conversation (P2) as excerpts, or as conclusions that the caller got from a model; everything else named as dropped.
 * Same input, same bytes.
 *
 * Errors: `no_conversation`; `p0_over_budget` with the items and their tokens, since P0 is never cut.
 */
export function compile(input: CompileInput): Result<CompiledContext> {
  const { material } = input;
  if (!hasConversation(material))
    return fail('no_conversation', 'This session has no conversation that could be compiled.');
  const ids = new Ids();
  const must = mustHave(material, ids);
  const may = mayHave(material, ids, {
    taken: must.items,
    turns: turnsFor(input.budget),
    conclusions: input.concluded?.conclusions ?? [],
    workspace: input.workspace ?? null,
  });
  const all = { items: [...must.items, ...may.items], excluded: [...must.excluded, ...may.excluded] };
  const found = input.known === undefined ? all : onlyNew(all, input.known, ids);
  const wording = wordingFor(material.prompts.map(({ text }) => text));
  return new Compiler(input, wording, found.items, found.excluded).run();
}

/** What a model may be asked to summarise: the conversation that `compile` would offer as excerpts. */
export function passagesOf({
  material,
  budget,
  known,
}: Pick<CompileInput, 'material' | 'budget' | 'known'>): Passage[] {
  if (!hasConversation(material)) return [];
  const ids = new Ids();
  const { passages } = talkOf(material, ids, mustHave(material, ids).items, turnsFor(budget));
  return passages.filter(({ seq }) => seq > (known?.seq ?? -1)).toSorted((a, b) => a.seq - b.seq);
}

const hasConversation = ({ prompts, replies, calls }: Material): boolean =>
  prompts.length + replies.length + calls.length > 0;

/** A page of this many tokens has room for about so many turns; older ones are counted, not offered. */
const turnsFor = (budget: number): number => Math.min(MOST_TURNS, Math.max(LEAST_TURNS, Math.ceil(budget / 64)));
const LEAST_TURNS = 200;
const MOST_TURNS = 2_000;

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
      known: input.known ?? null,
      model: modelOf(input),
      notShown: this.#notShown(),
    };
    this.#limit = { tokens: input.budget, chars: input.maxChars ?? Number.POSITIVE_INFINITY };
  }

  run(): Result<CompiledContext> {
    const must = this.#candidates.filter(({ priority }) => priority === 'p0');
    // with the longest that the line of omissions can become
    const base = this.#measure(this.#page(must));
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
    const text = render(
      this.#frame,
      this.#candidates.filter((item) => set.has(item)),
      this.#left(set),
    );
    return laidOut(this.#input.target, text);
  }

  #left(kept: ReadonlySet<Candidate>): Map<Section, number> {
    const left = new Map<Section, number>();
    for (const item of this.#candidates) if (!kept.has(item)) left.set(item.kind, (left.get(item.kind) ?? 0) + 1);
    return left;
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
      .filter(({ isWithin }) => !isWithin)
      .map(({ id, kind, text }) => ({ id, kind, tokens: this.#measure(text).tokens }))
      .toSorted((a, b) => b.tokens - a.tokens || (a.id < b.id ? -1 : 1));
    const largest = items.slice(0, 3).map(({ id, tokens }) => `${id} (${tokens})`);
    const { budget, maxChars } = this.#input;
    const isTooLong = maxChars !== undefined && needed.chars > maxChars;
    const limit = isTooLong ? `${needed.chars} characters of ${maxChars}` : `${needed.tokens} tokens of ${budget}`;
    return fail(
      'p0_over_budget',
      `What must not be cut takes ${limit}; the largest items are ${largest.join(', ')}. Raise ${isTooLong ? 'the bound of characters' : 'the budget'}${wayOut(items)}.`,
      {
        needed: needed.tokens,
        budget,
        items,
      },
    );
  }

  #result(text: string, kept: ReadonlySet<Candidate>): CompiledContext {
    const { target, budget, tokenizer, factor, material, concluded } = this.#input;
    const { tokens } = this.#measure(text);
    const active = this.#input.active ?? null;
    return {
      target,
      budget,
      tokens,
      margin: Math.ceil(tokens * (this.#input.margin ?? tokenScale(target).margin)),
      tokenizer: factor === 1 ? tokenizer.name : `${tokenizer.name} × ${factor}`,
      factor,
      head: material.end,
      sha256: sha256Hex(text),
      text,
      items: itemsOf([...kept], (item) => this.#measure(item).tokens, active),
      dropped: droppedOf(
        this.#candidates.filter((item) => !kept.has(item)),
        this.#excluded,
        factor,
        active,
      ),
      cannot_see: [...this.#frame.notShown],
      summariser: concluded?.by ?? EXTRACTIVE,
    };
  }
}

/** What else makes P0 smaller, by the kind of item that fills most of it; rules and decisions stay whatever is done. */
function wayOut(items: readonly { kind: Section; tokens: number }[]): string {
  const sums = new Map<Section, number>();
  for (const { kind, tokens } of items) sums.set(kind, (sums.get(kind) ?? 0) + tokens);
  const [most] = [...sums].toSorted(([, a], [, b]) => b - a);
  if (most?.[0] === 'request') return ', or say what is to be done in a shorter prompt';
  if (most?.[0] === 'todo') return ', or have the tasks closed that are no longer open';
  return '';
}

/** The model that had a part in the page; one that gave nothing has none. */
function modelOf({ concluded }: CompileInput): string | null {
  if (concluded === undefined || concluded.conclusions.length === 0) return null;
  return oneLine(concluded.by.model ?? concluded.by.name);
}

function oneLine(text: string): string {
  return wellFormed(text).replace(/\s+/g, ' ');
}
