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

  it('takes a diff without headers or hunks', () => {
    expect(parseUnified('+one\n+two').map((line) => line.after)).toEqual([1, 2]);
    expect(parseUnified('')).toHaveLength(1);
  });
});
