import { describe, expect, it } from 'vitest';
import { parseUnified } from './diff-lines.ts';

const PATCH = `--- a/src/refresh.ts
+++ b/src/refresh.ts
@@ -41,4 +41,4 @@
   const family = lock(id);
-    await families.revoke(family.id, "reused");
+    await families.keep(family.id, "reused");
   }
@@ -90,1 +90,2 @@ function audit()
 log();
+flush();
`;

describe('parseUnified', () => {
  it('numbers both sides and leaves the file headers out', () => {
    expect(parseUnified(PATCH).map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['same', 41, 41],
      ['remove', 42, null],
      ['add', null, 42],
      ['same', 43, 43],
      ['hunk', null, null],
      ['same', 90, 90],
      ['add', null, 91],
    ]);
  });

  it('marks the words that changed in a line', () => {
    const [, removed, added] = parseUnified(PATCH);
    expect(removed?.pieces.filter((piece) => piece.changed).map((piece) => piece.text)).toEqual(['revoke']);
    expect(added?.pieces.filter((piece) => piece.changed).map((piece) => piece.text)).toEqual(['keep']);
    expect(added?.pieces.map((piece) => piece.text).join('')).toBe('    await families.keep(family.id, "reused");');
  });

  it('does not call two unlike lines one changed line', () => {
    const lines = parseUnified('-throw new AuthError(code);\n+const age = clock.now() - family.rotatedAt;');
    expect(lines.every((line) => line.pieces.every((piece) => !piece.changed))).toBe(true);
  });

  it('keeps changed lines that look like file headers', () => {
    const sql =
      '--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- all of them\n+++ i\n x\n--- a/r.sql\n+++ b/r.sql\n@@ -1,1 +0,0 @@\n--- gone';
    expect(parseUnified(sql).map(({ kind, pieces }) => [kind, pieces.map(({ text }) => text).join('')])).toEqual([
      ['remove', '-- all of them'],
      ['add', '++ i'],
      ['same', 'x'],
      ['hunk', ''],
      ['remove', '-- gone'],
    ]);
  });

  it('takes hunks without places, and shows where a diff was cut', () => {
    const lines = parseUnified('@@\n-a\n+b\n@@\n--- c\n…');
    expect(lines.map(({ kind }) => kind)).toEqual(['remove', 'add', 'hunk', 'remove', 'same']);
    expect(lines.at(-1)?.pieces).toEqual([{ text: '…', changed: false }]);
  });

  it('takes a diff without headers or hunks', () => {
    expect(parseUnified('+one\n+two').map((line) => line.after)).toEqual([1, 2]);
    expect(parseUnified('')).toHaveLength(1);
  });
});
