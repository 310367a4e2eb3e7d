import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { width } from '../core/safe-text.ts';
import { type Column, layTable } from './table.ts';

interface Row {
  id: string;
  title: string;
  folder: string;
}
const COLUMNS: Column<Row>[] = [
  { head: 'ID', cell: ({ id }) => id },
  { head: 'TITLE', cell: ({ title }) => title, grows: true },
  { head: 'FOLDER', cell: ({ folder }) => folder, optional: true },
];
const row = (title: string): Row => ({ id: 'sess_1', title, folder: '~/project' });

describe('a table', () => {
  it('aligns by the columns that characters take on a terminal', () => {
    expect(layTable([row('abc'), row('日本語'), row('🙂')], COLUMNS, 80)).toEqual([
      'ID      TITLE   FOLDER',
      'sess_1  abc     ~/project',
      'sess_1  日本語  ~/project',
      'sess_1  🙂      ~/project',
    ]);
  });

  it('cuts the column that grows, then leaves out what can be missed, then cuts further', () => {
    const long = [row('a title that is much longer than any terminal is wide')];
    expect(layTable(long, COLUMNS, 50)[1]).toBe('sess_1  a title that is much longer th…  ~/project');
    expect(layTable(long, COLUMNS, 36)).toEqual(['ID      TITLE', 'sess_1  a title that is much longer…']);
    expect(layTable(long, COLUMNS, 20)[1]).toBe('sess_1  a title tha…');
    expect(layTable(long, COLUMNS, 5)[1]).toBe('sess…');
  });

  it('shows control characters and newlines of a hostile title instead of obeying them', () => {
    const [, line] = layTable([row('a\u001b[2J\nb\u202e')], COLUMNS, 80);
    expect(line).toBe('sess_1  a␛[2J b<U+202E>  ~/project');
  });

  it('is never wider than the terminal, whatever stands in it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 300 }),
        (titles, terminal) => {
          for (const line of layTable(titles.map(row), COLUMNS, terminal))
            expect(width(line)).toBeLessThanOrEqual(terminal);
        },
      ),
    );
  });
});
