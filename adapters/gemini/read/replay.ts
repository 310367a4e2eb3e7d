import type { Usage } from '../../../src/shared/events.ts';
import type { Accounts } from '../../io/accounts.ts';
import type { StoreArtifact } from '../../io/cut-text.ts';
import { Puncher } from '../native.ts';
import { Conversation } from './conversation.ts';
import type { Place, SessionLog } from './log.ts';
import { short } from './message.ts';
import { isKnownKind, isObject, type Json, type Message, recordOf } from './record.ts';
import type { ReadState } from './state.ts';
import { Tree } from './tree.ts';
import { TurnWriter } from './writer.ts';

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
  readonly #conversation: Conversation;
  #puncher: Puncher;
  #line = -1;
  /** the message that is being read, with its hash */
  #hashed: { message: Message; hash: string } | null = null;
  /** the record was captured before: its book-keeping is not written again */
  #known = false;

  constructor(options: ReplayOptions, header: Json | null, place: Place) {
    this.#o = options;
    this.#log = options.log;
    this.#puncher = new Puncher(options.store);
    const { state } = options;
    this.#versions = new Map(state?.versions);
    this.#asides = new Set(state?.asides);
    this.#told = new Map(state?.told);
    this.#state = state ?? { start: this.#start(header, place), title: null, model: null, kind: null };
    this.#tree = new Tree(state?.tree ?? null, this.#state.start);
    this.#writer = new TurnWriter(this.#log, this.#tree, state?.leaf ?? -1, { ...state?.todos });
    const { log, store, childOf } = options;
    const [tree, writer, asides] = [this.#tree, this.#writer, this.#asides];
    const taken = (message: Message): void => this.#taken(message);
    const parts = { log, store, childOf, tree, writer, asides, taken };
    this.#conversation = new Conversation(parts, this.#puncher, state === null);
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
    this.#conversation.whole = true;
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
    if (this.#conversation !== undefined) this.#conversation.puncher = this.#puncher;
  }

  /** The next record. `known`: the file's line was captured before. `first`: it is the header that the session began with. */
  record(record: Json, place: Place, { known = false, first = false } = {}): void {
    const { accounts } = this.#o;
    accounts.records++;
    this.#begin(place);
    this.#known = known;
    const native = recordOf(record);
    if (known) accounts.declare('captured before');
    else if (!isKnownKind(record)) accounts.noteUnknown(kindOf(record));
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
    if (messages !== null) this.#conversation.replace(messages);
    this.#facts(set);
    this.#keep(record, same, '$set');
  }

  /** Some headers bring messages, which are added. */
  #header(header: Json, messages: Message[], first: boolean): void {
    if (typeof header.kind === 'string') this.#state.kind = header.kind;
    const same = this.#sameOf(messages);
    for (const message of messages) this.#conversation.message(message, undefined);
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
    this.#conversation.replace(messages);
    this.#facts(document);
    this.#keep(document, same);
  }

  /** The end of what there is now. */
  finish(): void {
    this.#writer.settle(this.#state.start);
  }

  // ---- messages

  #bare(message: Message): void {
    const known = this.#isKnown(message);
    const written = this.#conversation.message(message, () => this.#puncher.punch(message));
    if (!written && !this.#known)
      this.#writer.meta(
        known || isKnownKind(message) ? 'record' : 'unknown',
        known ? { $same: message.id } : this.#puncher.punch(message),
        message.timestamp,
      );
  }

  /** A message has its place: this is its last version now. */
  #taken(message: Message): void {
    this.#versions.set(message.id, this.#hashOf(message));
    if (message.type === 'gemini') this.#answered(message);
  }

  #hashOf(message: Message): string {
    if (this.#hashed?.message !== message) this.#hashed = { message, hash: short(JSON.stringify(message)) };
    return this.#hashed.hash;
  }

  #isKnown(message: Message): boolean {
    return this.#versions.get(message.id) === this.#hashOf(message);
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
