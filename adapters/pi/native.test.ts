import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { listFixtures, loadFixture, readFixtureFile } from '../../fixtures/load.ts';
import { canonicalJson } from '../../src/core/log/canonical-json.ts';
import { discoverSessions } from './read/discover.ts';
import { rebuildRecords } from './rebuild.ts';
import { type Captured, captureFixture, captureSource, withHome } from './testing/fixtures.ts';
import { rowOf } from './testing/rows.ts';

const names = await listFixtures('pi');

async function linesOf(captured: Captured): Promise<string[]> {
  const lines: string[] = [];
  for await (const { record } of rebuildRecords(captured.events, captured.sink.read)) lines.push(canonicalJson(record));
  return lines;
}

const canonical = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => canonicalJson(JSON.parse(line)));

describe('the way home', () => {
  for (const name of names) {
    if (name === '15-secrets') continue;
    it(`${name}: every record is written again as it was`, async () => {
      await withHome(async (env) => {
        await loadFixture('pi', name, env.home);
        for (const source of (await discoverSessions(env)).sources) {
          const text = await readFile(source.path, 'utf8');
          expect(await linesOf(await captureSource(source, env))).toEqual(canonical(text));
        }
      });
    });
  }

  it('keeps all but the secrets of a session that is full of them', async () => {
    const secrets = JSON.parse(String(await readFixtureFile('pi', '15-secrets', 'secrets.json'))) as unknown;
    const words = [...new Set(JSON.stringify(secrets).match(/[^"\\]{20,}/g))];
    const [captured] = await captureFixture('15-secrets');
    const lines = await linesOf(captured!);
    const original = await withHome(async (env) => {
      await loadFixture('pi', '15-secrets', env.home);
      return canonical(await readFile((await discoverSessions(env)).sources[0]!.path, 'utf8'));
    });
    expect(lines.length).toBe(original.length);
    const stored = `${lines.join('\n')}${JSON.stringify(captured!.events)}`;
    expect(words.filter((word) => original.join('\n').includes(word)).length).toBeGreaterThan(3);
    expect(stored).toContain('[REDACTED:');
    const changed = lines.filter((line, i) => line !== original[i]);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.every((line) => line.includes('[REDACTED:'))).toBe(true);
  });
});

describe('usage', () => {
  for (const name of names) {
    it(`${name}: is what Pi counts, and what a fork copied is counted once`, async () => {
      await withHome(async (env) => {
        await loadFixture('pi', name, env.home);
        const seen = new Set<string>();
        let counted = 0;
        let expected = 0;
        for (const source of (await discoverSessions(env)).sources.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
          const { usage } = rowOf(await captureSource(source, env));
          counted += usage.input + usage.output + usage.cache_read + usage.cache_write;
          expected += tokensIn(await readFile(source.path, 'utf8'), name === '06-fork-clone' ? seen : new Set());
        }
        expect(counted).toBe(expected);
      });
    });
  }
});

/** Sums as Pi's own statistics make them, each entry id once. */
function tokensIn(text: string, seen: Set<string>): number {
  let sum = 0;
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const record = JSON.parse(line) as { id?: string; type: string; usage?: unknown; message?: { usage?: unknown } };
    if (record.type === 'session' || (record.id !== undefined && seen.has(record.id))) continue;
    if (record.id !== undefined) seen.add(record.id);
    const usage = (record.message?.usage ?? record.usage ?? {}) as Record<string, number | undefined>;
    sum += (usage.input ?? 0) + (usage.output ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
  }
  return sum;
}

describe('a file that Pi rewrote with ids', () => {
  for (const name of ['20-legacy-0.7.6', '20-legacy-0.13.2', '20-legacy-0.30.2', '20-legacy-0.31.1']) {
    it(`${name}: is read on, nothing twice`, async () => {
      await withHome(async (env) => {
        await loadFixture('pi', name, env.home);
        const [source] = (await discoverSessions(env)).sources;
        const before = await captureSource(source!, env);
        const known = before.events.length;
        const migrated = await readFixtureFile('pi', name, 'migrated-by-1.6.0.jsonl');
        const old = canonical(await readFile(source!.path, 'utf8')).length;
        await writeFile(source!.path, migrated!);
        const after = await captureSource(source!, env, before.sink, before.outcome.cursor);
        const added = canonical(String(migrated)).length - old;
        expect(after.outcome.declared['captured already']).toBe(old);
        expect(after.outcome.mapped).toBe(added);
        const prompts = after.events.slice(known).filter(({ type }) => type === 'message.user');
        expect(prompts.length).toBeLessThanOrEqual(1);
      });
    });
  }
});
