import type { Warning } from '../../shared/events.ts';
import type { SessionRow } from '../../shared/session.ts';
import { shorten } from '../text.ts';
import { textOf } from './content.ts';
import type { SavedUsage } from './usage.ts';

/** Facts that are not events; later ones overwrite field by field (the adapters' SessionFacts). */
export type Facts = Partial<
  Pick<
    SessionRow,
    'title' | 'title_from' | 'cwd' | 'cwd_last' | 'git_branch' | 'model' | 'agent_version' | 'archived' | 'status'
  >
>;

interface Prompt {
  seq: number;
  text: string;
}

/** Plain JSON: with the columns of the index it is all that a projector needs to go on after a restart. */
export interface SummaryState {
  /** what the adapter knows; wins over `told` */
  facts: Facts;
  /** what events said about the same things */
  told: Facts;
  /** the first and the last few prompts, cut; which of them are active is known only later */
  first: Prompt[];
  last: Prompt[];
  started_at: number | null;
  last_activity: number | null;
  redactions: number;
  unknown_records: number;
  /** events copied from another session */
  copied: number;
  /** the session was written as a copy of another one: its records are that one's, up to the first that is newer */
  copying: { from: string; until: number } | null;
  warnings: Warning[];
  /** warnings that are in the log but not in `warnings` */
  more_warnings: number;
  /** events with more than one image */
  images: [seq: number, count: number][];
  /** size of the context after each compaction, where told */
  compactions: [seq: number, tokens: number | null][];
  leaf: number | null;
  last_response: string | null;
  replied: string | null;
  usage: SavedUsage;
}

const PROMPT_CHARS = 300;
const FIRST_PROMPTS = 4;
const LAST_PROMPTS = 64;
const MAX_WARNINGS = 50;
/** 2015 to 2100, seconds: clocks outside are broken ones */
const EARLIEST = 1_420_070_400;
const LATEST = 4_102_444_800;

type State = Omit<SummaryState, 'usage' | 'images'>;

export function emptyState(): State {
  return {
    facts: {},
    told: {},
    first: [],
    last: [],
    started_at: null,
    last_activity: null,
    redactions: 0,
    unknown_records: 0,
    copied: 0,
    copying: null,
    warnings: [],
    more_warnings: 0,
    compactions: [],
    leaf: null,
    last_response: null,
    replied: null,
  };
}

export function noteTime(state: State, ts: number | null): void {
  if (ts === null || !(ts >= EARLIEST && ts < LATEST)) return;
  if (state.started_at === null || ts < state.started_at) state.started_at = ts;
  if (state.last_activity === null || ts > state.last_activity) state.last_activity = ts;
}

export function notePrompt(state: State, seq: number, content: unknown): void {
  const text = textOf(content).trim();
  if (text === '') return;
  const prompt = { seq, text: shorten(text, PROMPT_CHARS) };
  if (state.first.length < FIRST_PROMPTS) state.first.push(prompt);
  state.last.push(prompt);
  if (state.last.length > 2 * LAST_PROMPTS) state.last.splice(0, LAST_PROMPTS);
}

export function noteFork(state: State, { copied_from, copied_until }: Record<string, unknown>): void {
  if (typeof copied_from === 'string' && typeof copied_until === 'number')
    state.copying = { from: copied_from, until: copied_until };
}

export function noteStart(state: State, payload: Record<string, unknown>): void {
  const { told } = state;
  if (typeof payload.cwd === 'string') {
    told.cwd ??= payload.cwd;
    told.cwd_last = payload.cwd;
  }
  if (typeof payload.git_branch === 'string') told.git_branch = payload.git_branch;
  if (typeof payload.model === 'string') told.model = payload.model;
  if (typeof payload.agent_version === 'string') told.agent_version = payload.agent_version;
}

/** Titles, warnings, unknown records and the leaf. A title by the user outlasts those of the agent. */
export function noteMeta(state: State, actor: string, payload: Record<string, unknown>): void {
  const { key, value } = payload;
  if (key === 'warning') noteWarning(state, value);
  else if (key === 'unknown') state.unknown_records++;
  else if (key === 'leaf') state.leaf = typeof value === 'number' ? value : null;
  else if (key === 'title' && typeof value === 'string' && value.trim() !== '') {
    if (actor !== 'user' && state.told.title_from === 'user') return;
    state.told.title = value.trim();
    state.told.title_from = actor === 'user' ? 'user' : 'agent';
  }
}

function noteWarning(state: State, value: unknown): void {
  const warning = value as Partial<Warning> | null;
  if (typeof warning?.about !== 'string' || typeof warning.detail !== 'string') return;
  if (state.warnings.length < MAX_WARNINGS) state.warnings.push(warning as Warning);
  else state.more_warnings++;
}

/** The warnings of the row: the first fifty, and one that counts the rest. */
export function listWarnings(state: State): Warning[] {
  const count = state.more_warnings;
  if (count === 0) return [...state.warnings];
  return [...state.warnings, { about: 'more-warnings', detail: `${count} more warnings are in the log.`, count }];
}
