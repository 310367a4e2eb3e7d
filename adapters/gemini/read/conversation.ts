import type { ContextCompacted } from '../../../src/shared/events.ts';
import type { StoreArtifact } from '../../io/cut-text.ts';
import type { Puncher } from '../native.ts';
import { blocksOf } from './content.ts';
import type { SessionLog } from './log.ts';
import { type Mapped, mapMessage, type Part } from './message.ts';
import { type Message, partsOf } from './record.ts';
import { Remembered } from './remembered.ts';
import { compare, ROOT, type Tree } from './tree.ts';
import type { TurnWriter } from './writer.ts';

/** Answer that the client puts behind a summary, so that the roles alternate. No model said it. */
const ACKNOWLEDGED = 'Got it. Thanks for the additional context!';

/** Characters of messages that a change further back could need again. */
const REMEMBERED = 4 << 20;

/** A message in the middle of the list has changed, and what follows it was captured earlier: the file must be read again. */
export class NeedsWhole extends Error {}

interface ConversationOptions {
  log: SessionLog;
  tree: Tree;
  writer: TurnWriter;
  store: StoreArtifact;
  childOf: (id: string) => string;
  /** id and facts of messages without a place, every version that was written */
  asides: Set<string>;
  /** told of each message once it has its place */
  taken: (message: Message) => void;
}

/** How a message is kept with its first event; undefined = elsewhere. */
type Native = (() => unknown) | undefined;

/** Gives each message its place in the tree, and writes what is new of it. */
export class Conversation {
  /** of the record that is being read */
  puncher: Puncher;
  /** the file is being read from its start */
  whole: boolean;
  readonly #o: ConversationOptions;
  readonly #log: SessionLog;
  readonly #tree: Tree;
  readonly #writer: TurnWriter;
  /** what nodes said, as far as this run has seen it */
  readonly #parts = new Remembered(REMEMBERED);

  constructor(options: ConversationOptions, puncher: Puncher, whole: boolean) {
    this.#o = options;
    this.#log = options.log;
    this.#tree = options.tree;
    this.#writer = options.writer;
    this.puncher = puncher;
    this.whole = whole;
  }

  /** Takes a message. True = events were written. */
  message(message: Message, native: Native): boolean {
    const written = this.#place(message, this.#map(message), native);
    this.#o.taken(message);
    return written;
  }

  /** The list that replaces all messages. */
  replace(messages: readonly Message[]): void {
    const before = this.#tree.path();
    this.#tree.clear();
    for (let i = 0; i < messages.length; i++) {
      const summed = this.#compaction(messages, i, before);
      if (summed === 0) this.message(messages[i]!, undefined);
      else i += summed - 1;
    }
  }

  #map(message: Message): Mapped {
    return mapMessage(message, this.#o.store, this.#o.childOf);
  }

  #place(message: Message, mapped: Mapped, native: Native): boolean {
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

  #append(message: Message, parts: Part[], facts: string[], at: number, native: Native): boolean {
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
  }

  #extend(node: number, message: Message, parts: readonly Part[], native: Native): boolean {
    const known = this.#tree.node(node).facts;
    const more = parts.filter(({ fact }) => !known.includes(fact));
    this.#writer.extend(node, more, message.timestamp, this.#kept(more, native));
    return more.length > 0;
  }

  /** Another version of a message: it and all that follows it stand behind what was before it, once more. */
  #changed(node: number, message: Message, parts: Part[], native: Native): boolean {
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
      this.puncher.know(said.parts, wholes(said.parts));
      last = this.#writer.add(last, this.#tree.node(one).id, said.parts, said.time, undefined, this.#firstOf(one));
      this.#parts.set(last, said);
      now.set(one, last);
    }
    this.#tree.relist(now);
    return parts.length > 0;
  }

  #unchanged(): boolean {
    if (!this.whole) throw new NeedsWhole();
    this.#log.warn(
      'message-changed',
      'A message far back was changed; the session shows it as it was. Its new text is kept with the record.',
    );
    return false;
  }

  /** Context that the client gives, and notices to the person. */
  #aside(message: Message, parts: readonly Part[], native: Native): boolean {
    const version = [message.id, ...parts.map(({ fact }) => fact)].join(' ');
    this.#tree.list(message.id, -1);
    if (this.#o.asides.has(version) || parts.length === 0) return false;
    this.#o.asides.add(version);
    this.#writer.note(this.#tree.at, parts, message.id, message.timestamp, this.#kept(parts, native));
    return true;
  }

  /** Results that nearly always stand with their calls as well. */
  #responses(message: Message, parts: readonly Part[], native: Native): boolean {
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
    this.puncher.know([event], []);
    const seq = this.#writer.core({ ...event, id: summary.id, time: summary.timestamp }, parent);
    const stand = (message: Message, said: readonly string[], seqs: readonly number[]): void => {
      const node = this.#tree.add({ parent: this.#tree.at, id: message.id, facts: said, seqs, tail: seq, core: seq });
      this.#tree.list(message.id, node);
      this.#remember(node, message, this.#map(message).parts);
      this.#o.taken(message);
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

  /** Native form for the first event of these parts. */
  #kept(parts: readonly Part[], native: Native): unknown {
    this.puncher.know(parts, wholes(parts));
    return parts.length === 0 ? undefined : native?.();
  }
}

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
