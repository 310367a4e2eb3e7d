import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');

describe('docs/requirements.md', () => {
  const text = readFileSync(join(DOCS, 'requirements.md'), 'utf8');

  it('has a row for each way in', () => {
    const rows = [...text.matchAll(/^\| S-(\d+) \|/gm)].map((row) => Number(row[1]));
    expect(rows).toEqual(Array.from({ length: 22 }, (_, i) => 179 + i));
  });

  it('names tests that are there, in their own words', () => {
    for (const [, path, names = ''] of text.matchAll(/\]\(([^)]+)\)(?:: ((?:"[^"]+"(?:, )?)+))?/g)) {
      const file = join(DOCS, path!);
      expect(existsSync(file), path).toBe(true);
      const source = readFileSync(file, 'utf8').replaceAll("\\'", "'");
      for (const [, name] of names.matchAll(/"([^"]+)"/g)) expect(source, `${path}: ${name}`).toContain(name);
    }
  });
});
