import type { SessionRow } from '../../../shared/session.ts';

/**
 * A family in order of descent, each with its depth. Parents that are not in the list count as none; a circle in broken
 * data does not hang.
 */
export function familyTree(rows: readonly SessionRow[]): { row: SessionRow; depth: number }[] {
  const known = new Set(rows.map((row) => row.id));
  const childrenOf = Map.groupBy(rows, (row) => (row.parent !== null && known.has(row.parent) ? row.parent : ''));
  const members: { row: SessionRow; depth: number }[] = [];
  const seen = new Set<string>();
  const walk = (row: SessionRow, depth: number) => {
    if (seen.has(row.id)) return;
    seen.add(row.id);
    members.push({ row, depth });
    for (const child of childrenOf.get(row.id) ?? []) walk(child, depth + 1);
  };
  for (const root of childrenOf.get('') ?? []) walk(root, 0);
  for (const row of rows) walk(row, 0);
  return members;
}
