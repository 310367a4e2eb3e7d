import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../shared/session.ts';
import { familyTree } from './family-tree.ts';

const row = (id: string, parent: string | null) => ({ id, parent }) as SessionRow;
const shape = (rows: SessionRow[]) => familyTree(rows).map(({ row: each, depth }) => `${each.id}${depth}`);

describe('familyTree', () => {
  it('orders by descent, whatever the order of the rows', () => {
    expect(shape([row('c', 'b'), row('a', null), row('b', 'a'), row('d', 'a')])).toEqual(['a0', 'b1', 'c2', 'd1']);
  });

  it('keeps the place of a family where its first row stood', () => {
    const rows = [row('new', null), row('fork', 'old'), row('mid', null), row('old', null), row('sub', 'fork')];
    expect(shape(rows)).toEqual(['new0', 'old0', 'fork1', 'sub2', 'mid0']);
  });

  it('shows rows whose parent is not here, and does not hang on a circle', () => {
    expect(shape([row('a', 'gone'), row('x', 'y'), row('y', 'x')])).toEqual(['a0', 'x0', 'y1']);
  });

  it('takes a line of any length', () => {
    const line = Array.from({ length: 50_000 }, (_, i) => row(`${i}`, i === 0 ? null : `${i - 1}`));
    expect(familyTree(line).at(-1)).toMatchObject({ depth: 49_999 });
  });
});
