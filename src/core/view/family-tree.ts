import type { SessionRow } from '../../shared/session.ts';

/** A session in its family: how far below the oldest one that is here, and the one that it hangs on. */
export interface Member<Row> {
  row: Row;
  depth: number;
}

type Linked = Pick<SessionRow, 'id' | 'parent'>;

/**
 * Sessions in order of descent, each with its depth; families in the order of their first rows. Parents that are not in the
 * list count as none; a circle in broken data does not hang.
 */
export function familyTree<Row extends Linked>(rows: readonly Row[]): Member<Row>[] {
  const known = new Map(rows.map((row) => [row.id, row]));
  const childrenOf = Map.groupBy(rows, ({ parent }) => (parent !== null && known.has(parent) ? parent : ''));
  const members: Member<Row>[] = [];
  const seen = new Set<string>();
  const walk = (from: Row): void => {
    // no recursion: a line of sessions that went on from each other can be long
    const ahead: Member<Row>[] = [{ row: from, depth: 0 }];
    for (let member = ahead.pop(); member !== undefined; member = ahead.pop()) {
      const { row, depth } = member;
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      members.push(member);
      for (const child of childrenOf.get(row.id)?.toReversed() ?? []) ahead.push({ row: child, depth: depth + 1 });
    }
  };
  for (const row of rows) if (!seen.has(row.id)) walk(oldest(row, known));
  return members;
}

/** The first of a session's line that is here; in a circle, the session itself. */
function oldest<Row extends Linked>(row: Row, known: ReadonlyMap<string, Row>): Row {
  const line = new Set<Row>();
  let first = row;
  for (let above: Row | undefined = row; above !== undefined; above = known.get(above.parent ?? '')) {
    if (line.has(above)) return row;
    line.add(above);
    first = above;
  }
  return first;
}

/** Tokens of several sessions. What one copied from another is counted with that one alone, so this is a plain sum. */
export function tokensOf(rows: readonly Pick<SessionRow, 'usage'>[]): number {
  return rows.reduce((sum, { usage }) => sum + usage.input + usage.output + usage.cache_read + usage.cache_write, 0);
}
