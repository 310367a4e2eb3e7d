import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterEach, describe, expect, it } from 'vitest';
import { TypeText } from './type-text.ts';

let folder: string;
afterEach(() => rmSync(folder, { recursive: true }));

/** The exported types of a source, as they are written out. */
function written(source: string): string {
  folder = mkdtempSync(join(tmpdir(), 'type-text-'));
  const file = join(folder, 'a.ts');
  writeFileSync(file, source);
  const program = ts.createProgram([file], { strict: true, exactOptionalPropertyTypes: true, noLib: true });
  const checker = program.getTypeChecker();
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!);
  const named = new Map(symbols.map((symbol) => [checker.getDeclaredTypeOfSymbol(symbol), symbol.name]));
  const text = new TypeText(checker, named);
  return symbols.map((symbol) => text.alias(symbol.name, symbol)).join('\n');
}

describe('a type that is written out', () => {
  it('is whole, with what is said of its fields, and names the types that are exported beside it', () => {
    const text = written(`
      interface Hidden {
        /** why */
        reason: 'b' | 'a' | null;
        deep?: { n: number };
      }
      /** One. */
      export type One = Hidden;
      export type Two = { one: One; open: { [name: string]: boolean }; pair: readonly [string, number]; text: string & {} };`);
    expect(text).toBe(`/** One. */
export type One = {
  /** why */
  reason: "a" | "b" | null;
  deep?: {
    n: number;
  };
};
export type Two = {
  one: One;
  open: {
    [field: string]: boolean;
  };
  pair: readonly [string, number];
  text: string & {};
};`);
  });

  it('does not depend on the order in which the compiler met its parts', () => {
    const union = (first: string): string => written(`type Seen = ${first}; export type Kind = 'x' | 'm' | 'a';`);
    const [one, other] = [union(`'x'`), union(`'a' | 'm'`)];
    expect(one).toBe(other);
    expect(one).toBe('export type Kind = "a" | "m" | "x";');
  });
});
