import type { EventDraft, Usage } from '../../shared/events.ts';
import type { Counts, SessionRow } from '../../shared/session.ts';
import { shorten } from '../text.ts';
import { activePath, countBranches, leafEvent } from './branch.ts';
import { classify, isReply } from './classify.ts';
import { ANSWER, CODE, CORE, codeOf, OTHER_TYPE } from './codes.ts';
import { countImages } from './content.ts';
import { type Columns, FLAG, MARK, MARK_MASK } from './flags.ts';
import {
  emptyState,
  type Facts,
  listWarnings,
  noteMeta,
  notePrompt,
  noteStart,
  noteTime,
  type SummaryState,
} from './summary-state.ts';
import { UsageLedger } from './usage.ts';

/** The part of a session's row that follows from its events and from what the adapter knows beside them. */
export type DerivedRow = Omit<
  SessionRow,
  'id' | 'agent' | 'native_id' | 'source' | 'bytes' | 'parent' | 'parent_kind' | 'children'
>;

const TITLE_CHARS = 120;

/**
 * Derives a session's row from its events as they come, one call an event, without keeping them. Counts are those of
 * the active branch, so they are computed in `row`, from three columns.
 */
export class SummaryProjector {
  #n = 0;
  #type: Uint8Array;
  #flags: Uint8Array;
  #parent: Int32Array;
  readonly #usage: UsageLedger;
  readonly #state: Omit<SummaryState, 'usage'>;

  /** Starts empty, or goes on where `save` was called; `columns` are then those of the store's index. */
  constructor(saved?: { columns: Columns; state: SummaryState }) {
    const n = saved?.columns.n ?? 0;
    this.#n = n;
    this.#type = new Uint8Array(Math.max(256, n));
    this.#flags = new Uint8Array(Math.max(256, n));
    this.#parent = new Int32Array(Math.max(256, n));
    this.#usage = new UsageLedger(saved?.state.usage);
    this.#state = saved ? structuredClone(saved.state) : emptyState();
    if (!saved) return;
    this.#type.set(saved.columns.type.subarray(0, n));
    this.#flags.set(saved.columns.flags.subarray(0, n));
    this.#parent.set(saved.columns.parent.subarray(0, n));
  }

  /** Number of events so far. */
  get n(): number {
    return this.#n;
  }

  /**
   * Takes the next event and returns its flags byte for the index. Stored events are added the same way.
   * `redactions`: how many placeholders the redactor put into it.
   */
  add(seq: number, draft: EventDraft, redactions = 0): number {
    if (seq !== this.#n) throw new RangeError(`event ${seq} given where ${this.#n} was due`);
    if (seq === this.#type.length) this.#grow();
    const code = codeOf(draft.type);
    const payload = draft.payload;
    let flags = classify(code, payload);
    if (ANSWER[code]) flags |= this.#answer(seq, code, flags, payload);
    else this.#note(seq, code, flags, draft);
    if (flags & FLAG.IMAGE) this.#countImages(seq, payload.content);
    if (redactions > 0) {
      flags |= FLAG.REDACTED;
      this.#state.redactions += redactions;
    }
    if (CORE[code] || code === CODE.start || code === CODE.system || code === CODE.end) noteTime(this.#state, draft.ts);
    this.#type[seq] = code;
    this.#flags[seq] = flags;
    this.#parent[seq] = draft.parent_seq ?? -1;
    this.#n = seq + 1;
    return flags;
  }

  /** Later calls overwrite field by field. Wins over what the events say. */
  facts(facts: Facts): void {
    Object.assign(this.#state.facts, facts);
  }

  /** JSON to store beside the index, for `new SummaryProjector({columns, state})`. */
  save(): SummaryState {
    return { ...structuredClone(this.#state), usage: this.#usage.save() };
  }

  #grow(): void {
    const size = this.#type.length * 2;
    const type = new Uint8Array(size);
    const flags = new Uint8Array(size);
    const parent = new Int32Array(size);
    type.set(this.#type);
    flags.set(this.#flags);
    parent.set(this.#parent);
    this.#type = type;
    this.#flags = flags;
    this.#parent = parent;
  }

  /** What depends on the events before it: whether the response goes on, whether this is its reply, its usage. */
  #answer(seq: number, code: number, flags: number, payload: Record<string, unknown>): number {
    const state = this.#state;
    const response = typeof payload.response === 'string' ? payload.response : null;
    let more = response !== null && response === state.last_response ? FLAG.SAME_RESPONSE : 0;
    state.last_response = response;
    if (isReply(code, flags, payload) && (response === null || response !== state.replied)) {
      more |= FLAG.REPLY;
      state.replied = response;
    }
    if (code === CODE.assistant && flags & MARK.SYNTHETIC) return more;
    if (payload.usage) this.#usage.add(seq, response ?? `seq:${seq}`, payload.usage as Usage);
    if (typeof payload.model === 'string') state.told.model = payload.model;
    return more;
  }

  #note(seq: number, code: number, flags: number, draft: EventDraft): void {
    const { payload } = draft;
    const state = this.#state;
    if (code === CODE.user) {
      if (flags & FLAG.PROMPT) notePrompt(state, seq, payload.content);
    } else if (code === CODE.meta) {
      if (payload.key === 'usage') this.#metaUsage(seq, payload.value);
      else noteMeta(state, draft.actor, payload);
    } else if (code === CODE.start) noteStart(state, payload);
    else if (code === CODE.compacted) {
      const after = payload.tokens_after;
      state.compactions.push([seq, typeof after === 'number' ? after : null]);
    } else if (code === OTHER_TYPE) state.unknown_records++;
  }

  #metaUsage(seq: number, value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const usage = value as Usage & { response?: unknown };
    this.#usage.add(seq, typeof usage.response === 'string' ? usage.response : `seq:${seq}`, usage);
  }

  #countImages(seq: number, content: unknown): void {
    const count = countImages(content);
    if (count > 1) this.#state.images.push([seq, count]);
  }

  #columns(): Columns {
    return { n: this.#n, type: this.#type, flags: this.#flags, parent: this.#parent };
  }

  /** The row as of now: one pass over the columns. */
  row(): DerivedRow {
    const state = this.#state;
    const columns = this.#columns();
    const active = activePath(columns, leafEvent(columns) < 0 ? null : state.leaf);
    const { counts, errors } = this.#count(active);
    const { told, facts } = state;
    const first = state.first.find((prompt) => active[prompt.seq]) ?? state.first[0];
    const last = state.last.findLast((prompt) => active[prompt.seq]) ?? first;
    const compaction = state.compactions.findLast(([seq]) => active[seq]);
    return {
      ...titleOf({ ...told, ...facts }, first?.text),
      first_prompt: first?.text ?? null,
      last_prompt: last?.text ?? null,
      cwd: pick(facts.cwd, told.cwd),
      cwd_last: pick(facts.cwd_last, told.cwd_last ?? told.cwd),
      git_branch: pick(facts.git_branch, told.git_branch),
      model: pick(facts.model, told.model),
      agent_version: pick(facts.agent_version, told.agent_version),
      started_at: state.started_at,
      last_activity: state.last_activity,
      counts,
      usage: { ...this.#usage.totals },
      context_tokens: this.#usage.contextTokens(active, compaction?.[0] ?? -1) ?? compaction?.[1] ?? null,
      events: this.#n,
      branches: countBranches(columns),
      errors,
      redactions: state.redactions,
      unknown_records: state.unknown_records,
      warnings: listWarnings(state),
      archived: facts.archived ?? false,
      status: facts.status ?? this.#status(counts, active),
    };
  }

  /** Counts of the active branch, by the case schema. */
  #count(active: Uint8Array): { counts: Counts; errors: number } {
    const type = this.#type;
    const flags = this.#flags;
    const byType = new Uint32Array(256);
    let user = 0;
    let assistant = 0;
    let thinking = 0;
    let missing = 0;
    let image = 0;
    let errors = 0;
    for (let i = 0; i < this.#n; i++) {
      if (!active[i]) continue;
      const code = type[i]!;
      const flag = flags[i]!;
      byType[code]!++;
      if (flag & FLAG.ERROR) errors++;
      if (flag & FLAG.IMAGE) image++;
      const mark = flag & MARK_MASK;
      if (mark === 0) continue;
      if (code === CODE.user) user++;
      else if (code === CODE.assistant) assistant += mark & FLAG.REPLY ? 1 : 0;
      else if (code === CODE.thinking) thinking++;
      else if (code === CODE.result) missing++;
    }
    for (const [seq, count] of this.#state.images) if (active[seq]) image += count - 1;
    const counts = {
      user,
      assistant,
      tool_call: byType[CODE.call]!,
      tool_result: byType[CODE.result]! - missing,
      thinking,
      image,
      compaction: byType[CODE.compacted]!,
    };
    return { counts, errors };
  }

  /** Idle, unless nothing was said, or the branch ends with a call that has no result. */
  #status(counts: Counts, active: Uint8Array): SessionRow['status'] {
    if (counts.user + counts.assistant + counts.tool_call === 0) return 'empty';
    let open = 0;
    for (let i = this.#n - 1; i >= 0; i--) {
      const code = this.#type[i]!;
      if (!active[i] || !CORE[code]) continue;
      if (code === CODE.call) open++;
      else if (code === CODE.result) open -= this.#flags[i]! & MARK.MISSING ? 0 : 1;
      else break;
    }
    return open > 0 ? 'ended_mid_tool' : 'idle';
  }
}

function pick(fact: string | null | undefined, told: string | null | undefined): string | null {
  return fact ?? told ?? null;
}

function titleOf(facts: Facts, prompt: string | undefined): Pick<SessionRow, 'title' | 'title_from'> {
  if (facts.title) return { title: facts.title, title_from: facts.title_from ?? 'agent' };
  const line = prompt?.replace(/\s+/g, ' ').trim();
  return line ? { title: shorten(line, TITLE_CHARS), title_from: 'prompt' } : { title: null, title_from: 'none' };
}
