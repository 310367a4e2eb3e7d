import type { EventDraft, Usage } from '../../shared/events.ts';
import { NO_USAGE, type SessionRow } from '../../shared/session.ts';
import { shorten } from '../text.ts';
import { classify, isReply } from './classify.ts';
import { ANSWER, CODE, CORE, codeOf, OTHER_TYPE } from './codes.ts';
import { countImages } from './content.ts';
import { isCopy } from './copies.ts';
import { type Columns, FLAG, MARK } from './flags.ts';
import {
  emptyState,
  type Facts,
  listWarnings,
  noteFork,
  noteMeta,
  notePrompt,
  noteStart,
  noteTime,
  type SummaryState,
} from './summary-state.ts';
import { isActive, Tally } from './tally.ts';
import { UsageLedger } from './usage.ts';

/** The part of a session's row that follows from its events and from what the adapter knows beside them. */
export type DerivedRow = Omit<
  SessionRow,
  'id' | 'agent' | 'native_id' | 'source' | 'bytes' | 'parent' | 'parent_kind' | 'children' | 'kin'
>;

const TITLE_CHARS = 120;

/**
 * Derives a session's row from its events as they come, one call an event, without keeping them. Counts are those of
 * the active branch.
 */
export class SummaryProjector {
  readonly #tally: Tally;
  readonly #usage: UsageLedger;
  readonly #state: Omit<SummaryState, 'usage' | 'images'>;

  /** Starts empty, or goes on where `save` was called; `columns` are then those of the store's index. */
  constructor(saved?: { columns: Columns; state: SummaryState }) {
    this.#tally = new Tally(saved && { columns: saved.columns, images: saved.state.images });
    this.#usage = new UsageLedger(saved?.state.usage);
    this.#state = { ...emptyState(), ...structuredClone(saved?.state) };
  }

  /** Number of events so far. */
  get n(): number {
    return this.#tally.n;
  }

  /** The end of the active conversation, on which what is said next hangs; null when nothing was said. */
  get tip(): number | null {
    return this.#tally.tip(this.#state.leaf);
  }

  /**
   * Takes the next event and returns its flags byte for the index. Stored events are added the same way.
   * `redactions`: how many placeholders the redactor put into it.
   */
  add(seq: number, draft: EventDraft, redactions = 0): number {
    if (seq !== this.#tally.n) throw new RangeError(`event ${seq} given where ${this.#tally.n} was due`);
    const code = codeOf(draft.type);
    const payload = draft.payload;
    let flags = classify(code, payload);
    const copied = isCopy(draft);
    if (copied) this.#state.copied++;
    if (ANSWER[code]) flags |= this.#answer(seq, code, flags, payload, copied);
    else this.#note(seq, code, flags, draft);
    if (redactions > 0) {
      flags |= FLAG.REDACTED;
      this.#state.redactions += redactions;
    }
    if (isActivity(code, payload)) noteTime(this.#state, draft.ts);
    this.#tally.add(code, flags, draft.parent_seq ?? -1, flags & FLAG.IMAGE ? countImages(payload.content) : 0);
    return flags;
  }

  /** The native session that a record of this one was copied from, where it was written as a copy by us; null = its own. */
  copyOf({ ts, origin }: Pick<EventDraft, 'ts' | 'origin'>): string | null {
    const { copying } = this.#state;
    if (copying === null || origin === null || origin.session !== undefined) return null;
    if (ts === null || ts <= copying.until) return copying.from;
    this.#state.copying = null;
    return null;
  }

  /** Later calls overwrite field by field. Wins over what the events say. */
  facts(facts: Facts): void {
    Object.assign(this.#state.facts, facts);
  }

  /**
   * What to store as JSON beside the index, for `new SummaryProjector({columns, state})`. True until the next event: it
   * shares its parts with the projector.
   */
  save(): SummaryState {
    return { ...this.#state, images: this.#tally.images, usage: this.#usage.save() };
  }

  /** What depends on the events before it: whether the response goes on, whether this is its reply, its usage. */
  #answer(seq: number, code: number, flags: number, payload: Record<string, unknown>, copied: boolean): number {
    const state = this.#state;
    const response = typeof payload.response === 'string' ? payload.response : null;
    let more = response !== null && response === state.last_response ? FLAG.SAME_RESPONSE : 0;
    state.last_response = response;
    if (isReply(code, flags, payload) && (response === null || response !== state.replied)) {
      more |= FLAG.REPLY;
      state.replied = response;
    }
    if (code === CODE.assistant && flags & MARK.SYNTHETIC) return more;
    if (payload.usage) this.#count(seq, response, payload.usage as Usage, copied);
    if (typeof payload.model === 'string') state.told.model = payload.model;
    return more;
  }

  #note(seq: number, code: number, flags: number, draft: EventDraft): void {
    const { payload } = draft;
    const state = this.#state;
    if (code === CODE.user) {
      if (flags & FLAG.PROMPT) notePrompt(state, seq, payload.content);
    } else if (code === CODE.meta) {
      if (payload.key === 'usage') this.#metaUsage(seq, payload.value, isCopy(draft));
      else noteMeta(state, draft.actor, payload);
    } else if (code === CODE.start) noteStart(state, payload);
    else if (code === CODE.fork) noteFork(state, payload);
    else if (code === CODE.compacted) {
      const after = payload.tokens_after;
      state.compactions.push([seq, typeof after === 'number' ? after : null]);
    } else if (code === OTHER_TYPE) state.unknown_records++;
  }

  #metaUsage(seq: number, value: unknown, copied: boolean): void {
    if (typeof value !== 'object' || value === null) return;
    const usage = value as Usage & { response?: unknown; sum?: unknown };
    // The sum of many responses says nothing of what one request carries.
    const at = usage.sum === true ? -1 : seq;
    this.#count(at, typeof usage.response === 'string' ? usage.response : null, usage, copied);
  }

  /** What was copied fills the context, but was paid for in the session that it comes from. */
  #count(seq: number, response: string | null, usage: Usage, copied: boolean): void {
    this.#usage.add(seq, response ?? `seq:${seq}`, usage, copied ? { ...NO_USAGE } : undefined);
  }

  /** The row as of now. One pass over the columns where the log has side branches, else none. */
  row(): DerivedRow {
    const state = this.#state;
    const { told, facts } = state;
    const active = this.#tally.active(state.leaf);
    const { counts, errors } = this.#tally.numbers(active);
    const first = state.first.find(({ seq }) => isActive(active, seq)) ?? state.first[0];
    const last = state.last.findLast(({ seq }) => isActive(active, seq)) ?? first;
    const compaction = state.compactions.findLast(([seq]) => isActive(active, seq));
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
      events: this.#tally.n,
      copied: state.copied,
      branches: this.#tally.branches,
      errors,
      redactions: state.redactions,
      unknown_records: state.unknown_records,
      warnings: listWarnings(state),
      archived: facts.archived ?? false,
      status: facts.status ?? this.#tally.status(active, counts),
    };
  }
}

/** Whether an event's time is one at which something went on in the session. */
function isActivity(code: number, payload: Record<string, unknown>): boolean {
  if (code === CODE.fork) return payload.from_checksum !== undefined;
  return CORE[code] === 1 || code === CODE.start || code === CODE.system || code === CODE.end;
}

function pick(fact: string | null | undefined, told: string | null | undefined): string | null {
  return fact ?? told ?? null;
}

function titleOf(facts: Facts, prompt: string | undefined): Pick<SessionRow, 'title' | 'title_from'> {
  if (facts.title) return { title: facts.title, title_from: facts.title_from ?? 'agent' };
  const line = prompt?.replace(/\s+/g, ' ').trim();
  return line ? { title: shorten(line, TITLE_CHARS), title_from: 'prompt' } : { title: null, title_from: 'none' };
}
