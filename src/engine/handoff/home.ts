import type { SessionAdapter, WholeSession } from '../../../adapters/contract.ts';
import { fitsFileName } from '../../../adapters/io/file-name.ts';
import { AppFailure } from '../../shared/errors.ts';
import type { SessionEvent, Warning } from '../../shared/events.ts';
import { isOwn, type SessionRow } from '../../shared/session.ts';
import type { StoreReader } from '../store/contract.ts';
import type { OutgoingRedactor } from './outgoing.ts';

/**
 * Whether an exported session goes back to its own agent as it was, with all that no model sees, damage too. It does not where
 * it is a sub-agent, with which one goes on as a session of its own. A handoff never does: its session must be sound, with
 * every call closed and one chain, whatever the source is like.
 */
export async function goesHome(reader: StoreReader, row: SessionRow, to: SessionAdapter): Promise<boolean> {
  return row.parent_kind !== 'subagent' && takes(reader, row, to);
}

/** Whether this agent's way home writes a session, a sub-agent too, whole. */
export async function takes(reader: StoreReader, row: SessionRow, to: SessionAdapter): Promise<boolean> {
  const way = row.agent === to.id && !isOwn(row) ? to.target?.home : undefined;
  if (way === undefined) return false;
  return (await way.takes?.(row, eventsOf(reader, row.id))) !== false;
}

/** The session with its logs, and those of the sessions that lie in the same native source. */
export async function wholeOf(reader: StoreReader, row: SessionRow, redactor: OutgoingRedactor): Promise<WholeSession> {
  const states = row.source === null ? [] : await reader.sourceStates(row.agent);
  const ids = states.find(({ path }) => path === row.source)?.sessions ?? [];
  const all = [row.id, ...ids.filter((id) => id !== row.id)];
  return {
    row,
    artifact: (ref) => artifactOf(reader, ref, redactor),
    logs: () => all.map((id) => ({ [Symbol.asyncIterator]: () => redacted(eventsOf(reader, id), redactor) })),
  };
}

/**
 * Sessions whose files this one goes on from, the first of all first: its agent could not open it without them. null = one of them
 * cannot be written whole under its own id, or is not in the store.
 */
export async function basesOf(reader: StoreReader, row: SessionRow, to: SessionAdapter): Promise<SessionRow[] | null> {
  const bases: SessionRow[] = [];
  for (let one = row; ; ) {
    const id = (await to.target?.home?.base?.(eventsOf(reader, one.id))) ?? null;
    if (id === null) return bases;
    const base = one.parent === null ? null : await reader.session(one.parent);
    if (base?.native_id !== id || !fitsFileName(id) || bases.some((known) => known.id === base.id)) return null;
    if (!(await takes(reader, base, to))) return null;
    bases.unshift(base);
    one = base;
  }
}

/** What is said of them where they come along. */
export function basesAlong(bases: readonly SessionRow[], label: string): Warning[] {
  if (bases.length === 0) return [];
  const detail = `${label} reads what was said before the fork in the session that it was forked off, so that one is written too (${bases.map(({ native_id }) => native_id).join(', ')}). Keep the files together.`;
  return [{ about: 'parent-along', detail, count: bases.length }];
}

/** Sub-agents of a session, and theirs, in files or rows of their own: a parent comes before its children. */
export async function subagentsOf(reader: StoreReader, row: SessionRow): Promise<SessionRow[]> {
  const family = await reader.lineage(row.id);
  const found = [row];
  for (const parent of found)
    for (const one of family)
      if (one.parent === parent.id && one.parent_kind === 'subagent' && one.agent === row.agent && !found.includes(one))
        found.push(one);
  return found.slice(1).filter(({ source }) => source !== row.source);
}

/** What is said of sub-agents that do not come along. */
export function leftBehind(subagents: readonly SessionRow[]): Warning[] {
  if (subagents.length === 0) return [];
  const detail = `Its sub-agents (${subagents.length}) stay with the session that it comes from.`;
  return [{ about: 'subagents-left', detail, count: subagents.length }];
}

/** What of a native source was never in the log, by what is told of it at capture. */
const NOT_IN_LOG: ReadonlySet<string> = new Set([
  'malformed-line',
  'truncated-line',
  'unreadable-record',
  'nul-bytes',
  'duplicate-records',
]);

/** What is said of a session that goes home without some of its source. */
export function notWritten({ warnings }: Pick<SessionRow, 'warnings'>): Warning[] {
  const counts = new Map<string, number>();
  for (const { about, count = 1 } of warnings)
    if (NOT_IN_LOG.has(about)) counts.set(about, (counts.get(about) ?? 0) + count);
  if (counts.size === 0) return [];
  const what = [...counts].map(([about, count]) => `${about} (${count})`).join(', ');
  const detail = `What could not be read of the source, or stood there twice, is not written again: ${what}.`;
  return [{ about: 'not-written', detail }];
}

async function* eventsOf(reader: StoreReader, id: string): AsyncGenerator<SessionEvent> {
  for await (const events of reader.stream(id)) yield* events;
}

async function* redacted(
  events: AsyncIterable<SessionEvent>,
  redactor: OutgoingRedactor,
): AsyncGenerator<SessionEvent> {
  for await (const event of events) yield redactor.event(event);
}

/** Bytes of an artifact of the store, as they may leave it. @throws AppFailure `store_corrupt` */
export async function artifactOf(reader: StoreReader, ref: string, redactor: OutgoingRedactor): Promise<Uint8Array> {
  const artifact = await reader.artifact(ref);
  if (artifact) return redactor.artifact(artifact);
  throw new AppFailure({
    code: 'store_corrupt',
    message: `The store has no ${ref}, which an event names. Run \`sessionctl verify\`.`,
  });
}
