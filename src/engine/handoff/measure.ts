import type { Carry, TargetAdapter } from '../../../adapters/contract.ts';
import { EventKinds } from '../../core/fidelity/kinds.ts';
import { FidelityReportBuilder } from '../../core/fidelity/report.ts';
import { eventTokens } from '../../core/tokens/event-tokens.ts';
import { textOf } from '../../core/view/content.ts';
import { FLAG } from '../../core/view/flags.ts';
import { sightOf } from '../../core/view/rows.ts';
import type { SessionEvent, ToolResult } from '../../shared/events.ts';
import type { FidelityReport } from '../../shared/handoff.ts';
import type { StoreReader } from '../store/contract.ts';
import type { OutgoingRedactor } from './outgoing.ts';
import type { Snapshot } from './snapshot.ts';

/** What becomes of the events before a tail that goes natively. */
const COMPILED: Carry = { outcome: 'summarised', how: 'in the compiled context in front' };

/** What becomes of what the target does not know yet. */
const NEW: Carry = { outcome: 'summarised', how: 'in the page of what is new' };

/** What becomes of everything in a session that goes back to its own agent. */
const AS_IT_WAS: Carry = { outcome: 'kept', how: 'as it was' };

/** What one pass over the model view tells, a few bytes an event, so that every mode's report follows without another pass. */
export class Measure {
  readonly #snapshot: Snapshot;
  readonly #tokens: Uint32Array;
  /** which of `#fates` */
  readonly #fate: Uint16Array;
  readonly #fates: { kind: string; carry: Carry }[] = [];
  readonly #known = new Map<string, number>();
  /** places in the order at which a turn begins */
  readonly turns: number[] = [];
  /** number of events measured */
  length = 0;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#tokens = new Uint32Array(snapshot.order.length);
    this.#fate = new Uint16Array(snapshot.order.length);
  }

  /** The next event of the order. */
  add(kind: string, carry: Carry, tokens: number, turn: boolean): void {
    const key = `${kind}\0${carry.outcome}\0${carry.how}`;
    let fate = this.#known.get(key);
    if (fate === undefined) {
      fate = this.#fates.push({ kind, carry }) - 1;
      this.#known.set(key, fate);
    }
    if (turn) this.turns.push(this.length);
    this.#tokens[this.length] = tokens;
    this.#fate[this.length] = fate;
    this.length++;
  }

  #arrives(place: number): number {
    return this.#fates[this.#fate[place]!]!.carry.outcome === 'dropped' ? 0 : this.#tokens[place]!;
  }

  /** Tokens that arrive natively when everything from a place on does. */
  arriving(from: number): number {
    let sum = 0;
    for (let place = from; place < this.length; place++) sum += this.#arrives(place);
    return sum;
  }

  /** Tokens that would arrive natively of what is newer than an event. */
  arrivingAfter(seq: number): number {
    const { order } = this.#snapshot;
    let sum = 0;
    for (let place = 0; place < this.length; place++) if (order[place]! > seq) sum += this.#arrives(place);
    return sum;
  }

  /** How many of the last turns fit into so many tokens. */
  turnsWithin(room: number): number {
    let turns = 0;
    let sum = 0;
    let from = this.length;
    for (const begin of this.turns.toReversed()) {
      while (from > begin) sum += this.#arrives(--from);
      if (sum > room) break;
      turns++;
    }
    return turns;
  }

  /** The place where the last `turns` turns begin; 0 when there are not so many. */
  startOf(turns: number): number {
    return this.turns[this.turns.length - turns] ?? 0;
  }

  /** The report when the session goes back to its own agent, with all that no model sees. */
  wholeReport(): FidelityReport {
    const { index, order, special } = this.#snapshot;
    const builder = new FidelityReportBuilder();
    for (let place = 0; place < this.length; place++)
      builder.add(order[place]!, this.#fates[this.#fate[place]!]!.kind, AS_IT_WAS, this.#tokens[place]!);
    builder.addOutside(index, sightOf(index, special), order, AS_IT_WAS);
    return builder.build();
  }

  /** The report when the target knows everything up to an event, as `known` tells, and what is newer is compiled. */
  reportSince(seq: number, known: Carry): FidelityReport {
    const { index, order, special } = this.#snapshot;
    const builder = new FidelityReportBuilder();
    for (let place = 0; place < this.length; place++) {
      const { kind, carry } = this.#fates[this.#fate[place]!]!;
      const fate = carry.outcome === 'dropped' ? carry : order[place]! > seq ? NEW : known;
      builder.add(order[place]!, kind, fate, this.#tokens[place]!);
    }
    builder.addOutside(index, sightOf(index, special), order);
    return builder.build();
  }

  /** The report when everything from a place on goes natively and what comes before it is compiled. */
  report(from: number): FidelityReport {
    const { index, order, special } = this.#snapshot;
    const builder = new FidelityReportBuilder();
    for (let place = 0; place < this.length; place++) {
      const { kind, carry } = this.#fates[this.#fate[place]!]!;
      const native = place >= from || carry.outcome === 'dropped';
      builder.add(order[place]!, kind, native ? carry : COMPILED, this.#tokens[place]!);
    }
    builder.addOutside(index, sightOf(index, special), order);
    return builder.build();
  }
}

/** The last measures, by store: whoever looks at a plan from several sides, and then presses the button, waits once. */
const kept = new WeakMap<StoreReader, Map<string, Measure>>();
const KEPT = 4;

/** Measures the model view in one pass: what the target does with each event, and its tokens in the target's count. */
export async function measureModel(
  reader: StoreReader,
  snapshot: Snapshot,
  redactor: OutgoingRedactor,
  target: { id: string; adapter: TargetAdapter; factor: number },
): Promise<Measure> {
  const known = kept.get(reader) ?? new Map<string, Measure>();
  kept.set(reader, known);
  const key = `${snapshot.row.id} ${snapshot.index.n} ${target.id} ${target.factor}`;
  const same = redactor.clean ? undefined : known.get(key);
  if (same) return same;
  const measure = await measureEvents(snapshot, redactor, target);
  known.set(key, measure);
  const [oldest] = known.keys();
  if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
  return measure;
}

async function measureEvents(
  snapshot: Snapshot,
  redactor: OutgoingRedactor,
  { adapter, factor }: { adapter: TargetAdapter; factor: number },
): Promise<Measure> {
  const measure = new Measure(snapshot);
  const kinds = new EventKinds();
  for await (const stored of snapshot.read(snapshot.order)) {
    const event = redactor.event(stored);
    const turn = event.type === 'message.user' && (snapshot.index.flags[event.seq]! & FLAG.PROMPT) !== 0;
    measure.add(kinds.of(event), adapter.carry(event, snapshot.row.agent), targetTokens(event, factor), turn);
  }
  return measure;
}

/** Tokens of an event in the target's count, estimated. A long output is cut in the log and goes whole. */
export function targetTokens(event: SessionEvent, factor: number): number {
  const tokens = eventTokens(event) * factor;
  const { truncated, content } = event.payload as Partial<ToolResult>;
  if (truncated === undefined) return Math.ceil(tokens);
  const shown = textOf(content).length;
  return Math.ceil(shown > 0 && truncated.bytes > shown ? tokens * (truncated.bytes / shown) : tokens);
}
