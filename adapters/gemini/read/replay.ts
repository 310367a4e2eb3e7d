import type { ContextCompacted, Usage } from '../../../src/shared/events.ts';
import { Puncher } from '../native.ts';
import { blocksOf, type StoreArtifact } from './content.ts';
import type { Place, SessionLog } from './log.ts';
import { type Mapped, mapMessage, type Part, short } from './message.ts';
import { isObject, type Json, type Message, partsOf, recordOf } from './record.ts';
import type { Accounts, ReadState } from './state.ts';
import { compare, ROOT, Tree } from './tree.ts';
import { TurnWriter } from './writer.ts';

/** Answer that the client puts behind a summary, so that the roles alternate. No model said it. */
const ACKNOWLEDGED = 'Got it. Thanks for the additional context!';

/** Messages that a change further back could need again. */
const REMEMBERED = 20_000;

/** A message in the middle of the list has changed, and what follows it was captured earlier: the file must be read again. */
export class NeedsWhole extends Error {}

export interface ReplayOptions {
  log: SessionLog;
  store: StoreArtifact;
  childOf: (id: string) => string;
  accounts: Accounts;
  /** where the session's first event stands already */
  state: ReadState | null;
  /** payload of the first event without what the header says */
  start: Json;
}

/**
 * Applies the records of a file in order, as the client does when it loads it, and writes what is new to the log. What was
 * captured before, from this place of the file or another, is recognised and not written again.
 */
export class Replay {
  readonly #o: ReplayOptions;
  readonly #log: SessionLog;
  readonly #tree: Tree;
  readonly #writer: TurnWriter;
  readonly #versions: Map<string, string>;
  readonly #asides: Set<string>;
  readonly #told: Map<string, string>;
  readonly #state: Pick<ReadState, 'start' | 'title' | 'model' | 'kind'>;
  /** what nodes said, as far as this run has seen it */
  readonly #parts = new Map<number, { parts: readonly Part[]; time: unknown }>();
  #puncher: Puncher;
  #line = -1;
  /** the file is being read from its start */
  #whole: boolean;
  /** the record was captured before: its book-keeping is not written again */
  #known = false;

  constructor(options: ReplayOptions, header: Json | null, place: Place) {
    this.#o = options;
    this.#log = options.log;
    this.#puncher = new Puncher(options.store);
    const { state } = options;
    this.#whole = state === null;
    this.#versions = new Map(state?.versions);
    this.#asides = new Set(state?.asides);
    this.#told = new Map(state?.told);
    this.#state = state ?? { start: this.#start(header, place), title: null, model: null, kind: null };
    this.#tree = new Tree(state?.tree ?? null, this.#state.start);
    this.#writer = new TurnWriter(this.#log, this.#tree, state?.leaf ?? -1, { ...state?.todos });
  }

  state(): ReadState {
    const { title, model, kind, start } = this.#state;
    return {
      tree: this.#tree.state(),
      start,
      leaf: this.#writer.leaf,
      versions: [...this.#versions],
      asides: [...this.#asides],
      told: [...this.#told],
      todos: this.#writer.todos,
      title,
      model,
      kind,
    };
  }

  /** The file is read from its start again. */
  restart(accounts = this.#o.accounts): void {
    this.#o.accounts = accounts;
    this.#tree.clear();
    this.#line = -1;
    this.#whole = true;
  }

  #start(header: Json | null, place: Place): number {
    this.#begin(place);
    const payload: Json = { ...this.#o.start };
    const whole = header !== null && !Array.isArray(header.messages);
    if (whole) payload.native = this.#puncher.punch(header);
    const time = header?.startTime;
    return this.#log.put({ type: 'session.start', actor: 'system', payload, parent: -1, time });
  }

  #begin(place: Place): void {
    this.#log.begin(place, place.line === this.#line);
    if (place.line === this.#line) return;
    this.#line = place.line;
    this.#puncher = new Puncher(this.#o.store);
  }

  /** The next record. `known`: the file's line was captured before. `first`: it is the header that the session began with. */
  record(record: Json, place: Place, { known = false, first = false } = {}): void {
    const { accounts } = this.#o;
    accounts.records++;
    this.#begin(place);
    this.#known = known;
    const native = recordOf(record);
    if (known) accounts.declare('captured before');
    else if (native.kind === 'unknown') accounts.noteUnknown(kindOf(record));
    else accounts.mapped++;
    if (native.kind === 'message') this.#bare(native.message);
    else if (native.kind === 'rewind') {
      this.#tree.rewind(native.to);
      this.#keep(record);
    } else if (native.kind === 'set') this.#set(record, native.set, native.messages);
    else if (native.kind === 'header') this.#header(native.header, native.messages, first);
    else if (!known) this.#writer.meta('unknown', this.#puncher.punch(record));
  }

  #set(record: Json, set: Json, messages: Message[] | null): void {
    const same = this.#sameOf(messages ?? []);
    if (messages !== null) this.#replace(messages);
    this.#facts(set);
    this.#keep(record, same, '$set');
  }

  /** Some headers bring messages, which are added. */
  #header(header: Json, messages: Message[], first: boolean): void {
    if (typeof header.kind === 'string') this.#state.kind = header.kind;
    const same = this.#sameOf(messages);
    for (const message of messages) this.#message(message, undefined);
    this.#facts(header);
    if (!first || Array.isArray(header.messages)) this.#keep(header, same);
  }

  /** Messages of a list whose last version is the same. */
  #sameOf(messages: readonly Message[]): ReadonlySet<unknown> {
    return new Set(messages.filter((message) => this.#isKnown(message)));
  }

  /** A document that holds the whole session and is written anew each time. */
  document(document: Json, messages: readonly Message[], place: Place): void {
    this.#o.accounts.records++;
    this.#o.accounts.mapped++;
    this.#begin(place);
    this.#known = false;
    const same = this.#sameOf(messages);
    this.#replace(messages);
    this.#facts(document);
    this.#keep(document, same);
  }

  /** The end of what there is now. */
  finish(): void {
    this.#writer.settle(this.#state.start);
  }

  /** Whether anything of a conversation was found. */
  get hasTurns(): boolean {
    return this.#tree.size > 1;
  }

  // ---- messages

  #bare(message: Message): void {
    const hash = short(JSON.stringify(message));
    const known = this.#versions.get(message.id) === hash;
    const written = this.#message(message, () => this.#puncher.punch(message), hash);
    if (!written && !this.#known)
      this.#writer.meta('record', known ? { $same: message.id } : this.#puncher.punch(message), message.timestamp);
  }

  #isKnown(message: Message): boolean {
    return this.#versions.get(message.id) === short(JSON.stringify(message));
  }

  /** The list that replaces all messages. */
  #replace(messages: readonly Message[]): void {
    const before = this.#tree.path();
    this.#tree.clear();
    for (let i = 0; i < messages.length; i++) {
      const summed = this.#compaction(messages, i, before);
      if (summed === 0) this.#message(messages[i]!, undefined);
      else i += summed - 1;
    }
  }

  /** Takes a message; `native` = how it is kept with its first event. True = events were written. */
  #message(message: Message, native: (() => unknown) | undefined, hash = short(JSON.stringify(message))): boolean {
    const mapped = this.#map(message);
    const written = this.#place(message, mapped, native);
    this.#versions.set(message.id, hash);
    if (message.type === 'gemini') this.#answered(message);
    return written;
  }

  #map(message: Message): Mapped {
    return mapMessage(message, this.#o.store, this.#o.childOf);
  }

  #place(message: Message, mapped: Mapped, native: (() => unknown) | undefined): boolean {
    if (mapped.kind === 'aside') return this.#aside(message, mapped.parts, native);
    if (mapped.kind === 'responses') return this.#responses(message, mapped.parts, native);
    const facts = mapped.parts.map(({ fact }) => fact);
    const { at } = this.#tree;
    const listed = this.#tree.listed(message.id);
    if (listed === undefined || listed < 0) return this.#append(message, mapped.parts, facts, at, native);
    this.#remember(listed, message, mapped.parts);
    const change = compare(this.#tree.node(listed).facts, facts);
    if (change === 'same' || change === 'less') return false;
    if (change === 'more' && listed === at && this.#tree.isLeaf(at))
      return this.#extend(at, message, mapped.parts, native);
    return this.#changed(listed, message, mapped.parts, native);
  }

  #append(message: Message, parts: Part[], facts: string[], at: number, native: (() => unknown) | undefined): boolean {
    const found = this.#tree.find(at, message.id, facts);
    const richer = found !== undefined && compare(this.#tree.node(found).facts, facts) === 'more';
    if (found !== undefined && !(richer && !this.#tree.isLeaf(found))) {
      this.#tree.list(message.id, found);
      this.#remember(found, message, parts);
      return richer ? this.#extend(found, message, parts, native) : false;
    }
    this.#unanswered(at);
    const node = this.#writer.add(
      at,
      message.id,
      parts,
      message.timestamp,
      this.#kept(parts, native),
      this.#firstOf(found),
    );
    this.#tree.list(message.id, node);
    this.#remember(node, message, parts);
    return parts.length > 0;
  }

  #firstOf(node: number | undefined): number | undefined {
    return node === undefined ? undefined : this.#tree.node(node).seqs[0];
  }

  #remember(node: number, { timestamp }: Message, parts: readonly Part[]): void {
    this.#parts.set(node, { parts, time: timestamp });
    if (this.#parts.size > REMEMBERED) this.#parts.delete(this.#parts.keys().next().value!);
  }

  #extend(node: number, message: Message, parts: readonly Part[], native: (() => unknown) | undefined): boolean {
    const known = this.#tree.node(node).facts;
    const more = parts.filter(({ fact }) => !known.includes(fact));
    this.#writer.extend(node, more, message.timestamp, this.#kept(more, native));
    return more.length > 0;
  }

  /** Another version of a message: it and all that follows it stand behind what was before it, once more. */
  #changed(node: number, message: Message, parts: Part[], native: (() => unknown) | undefined): boolean {
    const path = this.#tree.path();
    const after = path.slice(path.indexOf(node) + 1);
    if (after.some((one) => !this.#parts.has(one))) return this.#unchanged();
    const kept = this.#kept(parts, native);
    const { parent } = this.#tree.node(node);
    let last = this.#writer.add(parent, message.id, parts, message.timestamp, kept, this.#firstOf(node));
    const now = new Map([[node, last]]);
    this.#remember(last, message, parts);
    for (const one of after) {
      const said = this.#parts.get(one)!;
      this.#puncher.know(said.parts, wholes(said.parts));
      last = this.#writer.add(last, this.#tree.node(one).id, said.parts, said.time, undefined, this.#firstOf(one));
      this.#parts.set(last, said);
      now.set(one, last);
    }
    this.#tree.relist(now);
    return parts.length > 0;
  }

  #unchanged(): boolean {
    if (!this.#whole) throw new NeedsWhole();
    this.#log.warn(
      'message-changed',
      'A message far back was changed; the session shows it as it was. Its new text is kept with the record.',
    );
    return false;
  }

  /** Context that the client gives, and notices to the person. */
  #aside(message: Message, parts: readonly Part[], native: (() => unknown) | undefined): boolean {
    const version = [message.id, ...parts.map(({ fact }) => fact)].join(' ');
    this.#tree.list(message.id, -1);
    if (this.#asides.has(version) || parts.length === 0) return false;
    this.#asides.add(version);
    this.#writer.note(this.#tree.at, parts, message.id, message.timestamp, this.#kept(parts, native));
    return true;
  }

  /** Results that nearly always stand with their calls as well. */
  #responses(message: Message, parts: readonly Part[], native: (() => unknown) | undefined): boolean {
    this.#tree.list(message.id, -1);
    const { at } = this.#tree;
    const missing = parts.filter(({ fact }) => !this.#said(at, fact));
    if (missing.length === 0) return false;
    const orphans = missing.filter(({ fact }) => !this.#said(at, `c${fact.slice(1)}`));
    if (orphans.length > 0)
      this.#log.warn('orphan-result', 'There is a result without its call.', { count: orphans.length });
    this.#writer.extend(at, missing, message.timestamp, this.#kept(missing, native));
    return true;
  }

  /** Whether a message up to here says it. */
  #said(from: number, fact: string): boolean {
    for (let at = from; at > ROOT; at = this.#tree.node(at).parent)
      if (this.#tree.node(at).facts.includes(fact)) return true;
    return false;
  }

  /** A new turn begins: calls of the last one will have no result any more. */
  #unanswered(at: number): void {
    const { facts } = this.#tree.node(at);
    const open = facts.filter((fact) => fact.startsWith('c') && !facts.includes(`x${fact.slice(1)}`)).length;
    if (open > 0)
      this.#log.warn('unanswered-call', 'The conversation went on without a result of this call.', { count: open });
  }

  // ---- compaction

  /**
   * A summary in the place of earlier messages, with those that stay. Gives the number of messages that it took, 0 = there
   * is none at this place.
   */
  #compaction(messages: readonly Message[], i: number, before: readonly number[]): number {
    const summary = messages[i]!;
    const { at } = this.#tree;
    if (at !== ROOT || summary.type !== 'user') return 0;
    const mapped = this.#map(summary);
    const answer = messages[i + 1];
    const acknowledged = answer?.type === 'gemini' && this.#map(answer).text === ACKNOWLEDGED;
    if (mapped.kind !== 'turn' || !(acknowledged || /^\s*<state_snapshot>/.test(mapped.text))) return 0;
    const facts = mapped.parts.map(({ fact }) => fact);
    if (this.#tree.find(at, summary.id, facts) !== undefined) return 0;
    const kept = this.#keptOf(messages, i + (acknowledged ? 2 : 1), before);
    const parent = this.#tree.node(before.at(-1) ?? ROOT).tail;
    const payload: ContextCompacted = {
      trigger: 'auto',
      summary: blocksOf(partsOf(summary.content), this.#o.store),
      kept: kept.flatMap(({ node }) => (node < 0 ? [] : [...this.#tree.node(node).seqs])),
    };
    const event = { type: 'context.compacted', actor: 'system', payload: { ...payload } };
    this.#puncher.know([event], []);
    const seq = this.#writer.core({ ...event, id: summary.id, time: summary.timestamp }, parent);
    const stand = (message: Message, said: readonly string[], seqs: readonly number[]): void => {
      const node = this.#tree.add({ parent: this.#tree.at, id: message.id, facts: said, seqs, tail: seq, core: seq });
      this.#tree.list(message.id, node);
      this.#remember(node, message, this.#map(message).parts);
      this.#versions.set(message.id, short(JSON.stringify(message)));
    };
    stand(summary, facts, [seq]);
    if (acknowledged) stand(answer, factsOf(this.#map(answer)), []);
    for (const { message, node } of kept) {
      if (node >= 0) stand(message, this.#tree.node(node).facts, this.#tree.node(node).seqs);
      else this.#tree.list(message.id, -1);
    }
    return 1 + (acknowledged ? 1 : 0) + kept.length;
  }

  /** The messages behind a summary that are copies of earlier ones, in their order. */
  #keptOf(messages: readonly Message[], from: number, before: readonly number[]): { message: Message; node: number }[] {
    const kept: { message: Message; node: number }[] = [];
    let next = 0;
    for (const message of messages.slice(from)) {
      const mapped = this.#map(message);
      if (mapped.kind !== 'turn') {
        kept.push({ message, node: -1 });
        continue;
      }
      const facts = factsOf(mapped);
      const at = before.findIndex((node, n) => n >= next && isCopy(this.#tree.node(node).facts, facts));
      if (at < 0) break;
      kept.push({ message, node: before[at]! });
      next = at + 1;
    }
    return kept;
  }

  // ---- what is no message

  #facts(set: Json): void {
    const { summary } = set;
    if (typeof summary !== 'string' || summary.trim() === '' || this.#state.kind === 'subagent') return;
    const title = summary.replace(/\s+/g, ' ').trim();
    if (title === this.#state.title) return;
    this.#state.title = title;
    if (!this.#known) this.#writer.meta('title', title);
    this.#log.sink.facts({ title, title_from: 'agent' });
  }

  /** Model and tokens. The same message can come with other numbers; readers take the highest of a response. */
  #answered({ id, model, tokens, timestamp }: Message): void {
    if (typeof model === 'string' && model !== this.#state.model) {
      this.#state.model = model;
      this.#log.sink.facts({ model });
    }
    const usage = usageOf(tokens);
    if (usage === null) return;
    const hash = short(JSON.stringify(usage));
    if (this.#told.get(id) === hash) return;
    this.#told.set(id, hash);
    this.#writer.meta('usage', { response: id, ...usage }, timestamp);
  }

  /** Native form for the first event of these parts. */
  #kept(parts: readonly Part[], native: (() => unknown) | undefined): unknown {
    this.#puncher.know(parts, wholes(parts));
    return parts.length === 0 ? undefined : native?.();
  }

  /** Keeps a record that has no event of its own; messages of its list that are known are named only. */
  #keep(record: Json, same: ReadonlySet<unknown> = NONE, inside?: '$set'): void {
    if (this.#known) return;
    const holder = inside === undefined ? record : (record[inside] as Json);
    const { messages, ...rest } = holder;
    const value = this.#puncher.punch(rest) as Json;
    if (Array.isArray(messages))
      value.messages = messages.map((one) =>
        same.has(one) ? { $same: (one as Message).id } : this.#puncher.punch(one),
      );
    else if (messages !== undefined) value.messages = this.#puncher.punch(messages);
    const kept =
      inside === undefined
        ? value
        : { ...(this.#puncher.punch({ ...record, [inside]: null }) as Json), [inside]: value };
    this.#writer.meta('record', kept, holder.lastUpdated);
  }
}

const NONE: ReadonlySet<unknown> = new Set();

function wholes(parts: readonly Part[]): string[] {
  return parts.flatMap(({ payload, whole }) => (payload.truncated === undefined ? [] : [whole ?? '']));
}

function factsOf({ parts }: Mapped): string[] {
  return parts.map(({ fact }) => fact);
}

/** A copy says nothing that the message did not, and at least something. */
function isCopy(known: readonly string[], copy: readonly string[]): boolean {
  const change = compare(known, copy);
  return change === 'same' || (change === 'less' && copy.length > 0);
}

function kindOf(record: Json): string {
  return typeof record.type === 'string' ? `type ${record.type}` : `{${Object.keys(record).slice(0, 3).join(', ')}}`;
}

/** `input` counts cached tokens too; ours are disjoint. */
function usageOf(tokens: unknown): Usage | null {
  if (!isObject(tokens)) return null;
  const count = (value: unknown): number =>
    typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
  const cached = count(tokens.cached);
  return {
    input: Math.max(0, count(tokens.input) - cached),
    output: count(tokens.output),
    cache_read: cached,
    reasoning: count(tokens.thoughts),
  };
}
