import { derive, todosOf } from './derive.ts';
import { CORE, type Entry, type SessionLog } from './log.ts';
import type { Part } from './message.ts';
import type { Json } from './record.ts';
import type { Tree, TreeNode } from './tree.ts';

/** Puts the parts of messages into the log and the tree. */
export class TurnWriter {
  /** event that views take for the leaf now */
  leaf: number;
  readonly todos: Record<string, string>;
  readonly #log: SessionLog;
  readonly #tree: Tree;
  readonly #calls = new Map<string, number>();

  constructor(log: SessionLog, tree: Tree, leaf: number, todos: Record<string, string>) {
    this.#log = log;
    this.#tree = tree;
    this.leaf = leaf;
    this.todos = todos;
  }

  /** A new message behind `parent`. `native` goes to its first event; `instead`: the event that it replaces. */
  add(parent: number, id: string, parts: readonly Part[], time: unknown, native: unknown, instead?: number): number {
    const { tail, core } = this.#tree.node(parent);
    const versions = this.#tree.versions(id);
    const index = this.#tree.add({ parent, id, facts: [], seqs: [], tail, core });
    const refs = instead === undefined ? [] : [`seq:${instead}`];
    this.#put(index, parts, { response: versions === 0 ? id : `${id}~${versions + 1}`, time, native, refs });
    return index;
  }

  /** More of a message that is known. */
  extend(index: number, parts: readonly Part[], time: unknown, native: unknown): void {
    const { id } = this.#tree.node(index);
    const versions = this.#tree.versions(id);
    this.#put(index, parts, { response: versions < 2 ? id : `${id}~${versions}`, time, native, refs: [] });
  }

  /** Something that stands between messages: the next one hangs on it. */
  note(index: number, parts: readonly Part[], id: string, time: unknown, native: unknown): void {
    let { tail } = this.#tree.node(index);
    for (const [n, { type, actor, payload }] of parts.entries()) {
      const own = n === 0 ? withNative(payload, native) : payload;
      tail = this.#log.put({ type, actor, payload: own, parent: tail, id, time });
    }
    this.#tree.change(index, { tail });
  }

  meta(key: string, value: unknown, time?: unknown): number {
    const { tail } = this.#tree.node(this.#tree.at);
    return this.#log.put({ type: 'meta', actor: 'system', payload: { key, value }, parent: tail, time });
  }

  /** Any event of the tree behind `parent` (an event). */
  core(entry: Omit<Entry, 'parent'>, parent: number): number {
    const seq = this.#log.put({ ...entry, parent });
    this.leaf = seq;
    return seq;
  }

  /** Says where the conversation stands, where the last event of the log does not. */
  settle(start: number): void {
    const { tail, core } = this.#tree.node(this.#tree.at);
    if (core === this.leaf) return;
    this.leaf = core;
    this.meta('leaf', tail < 0 ? start : tail);
  }

  #put(
    index: number,
    parts: readonly Part[],
    { response, time, native, refs }: { response: string; time: unknown; native: unknown; refs: string[] },
  ): void {
    const node = this.#tree.node(index);
    const change: Pick<TreeNode, 'tail' | 'core'> & { seqs: number[]; facts: Set<string> } = {
      tail: node.tail,
      core: node.core,
      seqs: [...node.seqs],
      facts: new Set(node.facts),
    };
    for (const [n, part] of parts.entries()) {
      const { type, actor } = part;
      const grouped = ANSWER.has(type) ? { response, ...part.payload } : part.payload;
      const payload = n === 0 ? withNative(grouped, native) : grouped;
      const entry: Entry = { type, actor, payload, parent: change.tail, id: node.id, time: part.time ?? time };
      if (n === 0 && refs.length > 0) entry.refs = refs;
      const seq = this.#log.put(entry);
      change.tail = seq;
      change.seqs.push(seq);
      change.facts.add(part.fact);
      if (CORE.has(type)) this.leaf = change.core = seq;
      if (type === 'tool.call') this.#calls.set(String(payload.call_id), seq);
      this.#derived(part, seq, node.id, time);
    }
    this.#tree.change(index, { ...change, facts: [...change.facts] });
  }

  #derived({ outcome, time }: Part, seq: number, id: string, otherwise: unknown): void {
    const call = outcome === undefined ? undefined : this.#calls.get(outcome.call.id);
    if (outcome === undefined || call === undefined) return;
    for (const { type, payload } of [...derive(outcome), ...todosOf(outcome, this.todos)])
      this.#log.put({
        type,
        actor: 'agent:gemini',
        payload,
        parent: seq,
        id,
        time: time ?? otherwise,
        refs: [`seq:${call}`],
      });
  }
}

const ANSWER: ReadonlySet<string> = new Set(['message.assistant', 'message.thinking', 'tool.call']);

function withNative(payload: Json, native: unknown): Json {
  return native === undefined ? payload : { ...payload, native };
}
