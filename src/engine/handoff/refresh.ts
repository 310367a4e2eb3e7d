import { AppFailure } from '../../shared/errors.ts';
import type { Warning } from '../../shared/events.ts';
import type { EngineContext, OpenHome } from '../procedures/context.ts';
import { knowersOf } from './known.ts';
import { takeSnapshot } from './snapshot.ts';
import { standingOf } from './standing.ts';

/**
 * Reads what the source agent has written since the last capture, so that nothing said a moment ago is missing. A source
 * that is gone or cannot be read now is no hindrance: the store's copy is carried, and the answer says so.
 */
export async function refreshSource(
  { agents }: Pick<EngineContext, 'agents'>,
  { store, capture }: OpenHome,
  session: string,
): Promise<Warning[]> {
  const row = await store.reader.session(session);
  if (!row) throw new AppFailure({ code: 'not_found', message: `The session ${session} is no longer in the store.` });
  if (row.source === null) return [];
  const standing = await standingOf(store.reader, row);
  if (standing?.is === 'same') return [];
  const adapter = agents.adapter(row.agent);
  const isGone = standing?.is === 'gone';
  const movedTo = isGone && adapter.ok ? await adapter.value.movedTo?.(row.source, agents.env) : undefined;
  const path = isGone ? (movedTo ?? null) : row.source;
  if (path === null) return [];
  const read = await capture.import({ path });
  if (read.ok) return read.value.warnings.filter(({ about }) => UNREAD.has(about));
  const detail = `What was written last could not be read (${read.error.message}) The copy in the store was carried.`;
  return [{ about: 'stale-copy', detail, file: row.source }];
}

/** Warnings of an import that leave the store's copy as it was. */
const UNREAD: ReadonlySet<string> = new Set(['busy-source', 'source_unreadable', 'not_a_session']);

/** The same for the sessions of the target's agent that know this one: what they have got since is to be told apart. */
export async function refreshKnowers(
  context: Pick<EngineContext, 'agents'>,
  home: OpenHome,
  session: string,
  agent: string,
): Promise<Warning[]> {
  const { reader } = home.store;
  const knowers = await knowersOf(reader, await takeSnapshot(reader, session), agent);
  const warnings: Warning[] = [];
  for (const { row } of knowers) warnings.push(...(await refreshSource(context, home, row.id)));
  return warnings;
}
