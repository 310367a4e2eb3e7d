import type { SummaryState } from '../../core/view/summary-state.ts';
import { NO_COUNTS, NO_USAGE, type SessionRow } from '../../shared/session.ts';
import { compress, decompress } from './segment.ts';

/** What of a row is kept as JSON; the rest are columns, or found by looking at other sessions. */
export type StoredRow = Omit<SessionRow, 'id' | 'parent' | 'parent_kind' | 'children' | 'kin'>;

/** A row in the form of the list: few small columns to filter and sort by, and the words to search in. */
export interface Listing {
  agent: string;
  at: number | null;
  started: number | null;
  bytes: number;
  events: number;
  has: number;
  title: string;
  cwd: string | null;
  words: string;
}

/** All that is saved of a session besides its log: `row` and `summary` as JSON. */
export interface SavedRow {
  row: string;
  /** what the projector needs to go on */
  summary: string;
  listing: Listing;
}

/** Size in front of a packed summary. */
const HEADER = 4;

/** The summary is read by writers alone, and in small sessions it would outweigh the log. */
export function packSummary(summary: string): Buffer {
  const bytes = Buffer.from(summary);
  const header = Buffer.alloc(HEADER);
  header.writeUInt32LE(bytes.length, 0);
  return Buffer.concat([header, compress(bytes)]);
}

export function unpackSummary(packed: Buffer): SummaryState {
  return JSON.parse(decompress(packed.subarray(HEADER), packed.readUInt32LE(0)).toString()) as SummaryState;
}

export function savedRow(row: StoredRow, summary: SummaryState, parentKind: SessionRow['parent_kind']): SavedRow {
  return { row: JSON.stringify(row), summary: JSON.stringify(summary), listing: listingOf(row, parentKind) };
}

/** Bits of `Listing.has`. Stored: append only. */
export const HAS = { error: 1, secret: 2, image: 4, warning: 8, conversation: 16, subagent: 32 } as const;

/** The row of a session nothing is known of yet. */
export function emptyRow({ agent, native_id, source }: Pick<StoredRow, 'agent' | 'native_id' | 'source'>): StoredRow {
  return {
    agent,
    native_id,
    source,
    title: null,
    title_from: 'none',
    first_prompt: null,
    last_prompt: null,
    cwd: null,
    cwd_last: null,
    git_branch: null,
    model: null,
    agent_version: null,
    started_at: null,
    last_activity: null,
    counts: NO_COUNTS,
    usage: NO_USAGE,
    context_tokens: null,
    events: 0,
    copied: 0,
    bytes: 0,
    branches: 1,
    errors: 0,
    redactions: 0,
    unknown_records: 0,
    warnings: [],
    archived: false,
    status: 'empty',
  };
}

/** A session that was handed over holds conversation as soon as its file is there, read or not. */
function hasConversation({ counts, bytes }: StoredRow, parentKind: SessionRow['parent_kind']): boolean {
  return counts.user + counts.assistant > 0 || (parentKind === 'handoff' && bytes > 0);
}

/** @param parentKind kind of the session's parent; a sub-agent is listed apart even before its parent is known */
function listingOf(row: StoredRow, parentKind: SessionRow['parent_kind']): Listing {
  const words = [
    row.title,
    row.first_prompt,
    row.last_prompt,
    row.cwd,
    row.cwd_last,
    row.source,
    row.native_id,
    row.git_branch,
  ];
  return {
    agent: row.agent,
    at: row.last_activity ?? row.started_at,
    started: row.started_at ?? row.last_activity,
    bytes: row.bytes,
    events: row.events,
    has:
      (row.errors > 0 ? HAS.error : 0) |
      (row.redactions > 0 ? HAS.secret : 0) |
      (row.counts.image > 0 ? HAS.image : 0) |
      (row.warnings.length > 0 ? HAS.warning : 0) |
      (hasConversation(row, parentKind) ? HAS.conversation : 0) |
      (parentKind === 'subagent' ? HAS.subagent : 0),
    title: folded(row.title ?? row.first_prompt ?? ''),
    cwd: row.cwd,
    words: folded(words.filter((word) => word !== null && word !== '').join('\n')),
  };
}

/** One spelling for what looks the same, so that search and sorting by title do not depend on case or on forms. */
export function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
