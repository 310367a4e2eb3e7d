import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { loadFixture } from '../../fixtures/load.ts';
import { canonicalJson } from '../../src/core/log/canonical-json.ts';
import { bringAllHome, sameOutsideRedactions, type WayHome } from './way-home.ts';

/** Values of the lines of a JSONL file, two on a line too. */
export async function jsonLines(path: string): Promise<unknown[]> {
  return (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown);
}

export interface Cases extends WayHome {
  /** folder below fixtures, and scenario */
  fixtures: (readonly [agent: string, name: string])[];
  /** fixtures with secrets in them */
  secrets: ReadonlySet<string>;
  /** fixtures in which a record stands before the one that it follows: it comes behind that one */
  turned?: ReadonlySet<string>;
  /** id of a copy; a UUID by default */
  newId?(id: string): string;
}

const OTHER_UUID = (id: string): string => `${id.slice(0, 8).split('').toReversed().join('')}${id.slice(8)}`;

const laying =
  ([agent, name]: readonly [string, string]) =>
  (home: string): Promise<void> =>
    loadFixture(agent, name, home);

/** The tests that the way home of every agent passes, on every fixture. */
export function describeWayHome(cases: Cases): void {
  const plain = cases.fixtures.filter(([, name]) => !cases.secrets.has(name));
  const secret = cases.fixtures.filter(([, name]) => cases.secrets.has(name));
  describe('the way home', () => {
    const ordered = (records: unknown[], name: string): unknown[] =>
      cases.turned?.has(name) === true
        ? records.toSorted((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1))
        : records;

    it.each(plain)('%s %s: gives every native record back', async (...fixture) => {
      const all = await bringAllHome(cases, laying(fixture));
      expect(all.length).toBeGreaterThan(0);
      for (const { native, written } of all)
        expect(ordered(written, fixture.join(' '))).toEqual(ordered(native, fixture.join(' ')));
    });

    it.each(plain)('%s %s: under another id and in another folder, all else as it was', async (...fixture) => {
      const changes = { nativeId: cases.newId ?? OTHER_UUID, cwd: '/home/dev/elsewhere' };
      for (const { native, written } of await bringAllHome(cases, laying(fixture), changes))
        expect(ordered(written, fixture.join(' '))).toEqual(ordered(native, fixture.join(' ')));
    });

    it.each(secret)('%s %s: is equal outside what was redacted', async (...fixture) => {
      for (const { native, written } of await bringAllHome(cases, laying(fixture))) {
        expect(written).toHaveLength(native.length);
        for (const [i, record] of written.entries()) {
          if (!sameOutsideRedactions(record, native[i])) expect(record).toEqual(native[i]);
        }
        expect(JSON.stringify(written)).toContain('[REDACTED:');
      }
    });
  });
}
