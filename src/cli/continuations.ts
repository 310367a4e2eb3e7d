import type { Engine } from '../engine/engine.ts';
import type { SessionRow } from '../shared/session.ts';

/**
 * The parts of a conversation that its agent keeps as several sessions, each going on where the one before was compacted;
 * oldest first, the live one last. Any of them names all. Only the session itself where it is whole.
 */
export async function partsOf(engine: Engine, session: SessionRow): Promise<SessionRow[]> {
  const isPart = session.parent_kind === 'continuation';
  if (!isPart && session.children.length === 0) return [session];
  const found = await engine.call('sessions.lineage', { id: session.id });
  if (!found.ok) return [session];
  const family = new Map(found.value.map((row) => [row.id, row]));
  const parts = [session];
  for (let first = session; first.parent_kind === 'continuation'; ) {
    const before = first.parent === null ? undefined : family.get(first.parent);
    if (before === undefined || parts.includes(before)) break;
    parts.unshift(before);
    first = before;
  }
  for (let last = session; ; ) {
    const next = newest([...family.values()].filter((row) => goesOn(row, last) && !parts.includes(row)));
    if (next === undefined) return parts;
    parts.push(next);
    last = next;
  }
}

const goesOn = (row: SessionRow, from: SessionRow): boolean =>
  row.parent === from.id && row.parent_kind === 'continuation';

function newest(rows: SessionRow[]): SessionRow | undefined {
  return rows.sort((a, b) => (b.last_activity ?? 0) - (a.last_activity ?? 0))[0];
}
