import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../../fixtures/load.ts';
import type { NativeSource } from '../contract.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { PROPERTY_MS, propertyRuns } from '../testing/property-runs.ts';
import { cursor } from './adapter.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cursor-damage-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const options = () => ({ env: { home, env: {} }, redactionKey: new Uint8Array(32) });

const KINDS = [
  { name: 'editor', table: 'cursorDiskKV', key: 'key', value: 'value' },
  { name: 'terminal', table: 'blobs', key: 'id', value: 'data' },
] as const;

async function lay(name: string): Promise<NativeSource> {
  await loadFixture('cursor', name, home);
  return (await cursor.discover(options().env)).sources[0]!;
}

/** All that the sessions of a database say; null when it cannot be opened, which must be said with what to do. */
async function textsOf(source: NativeSource): Promise<string[] | null> {
  const opened = await cursor.openDatabase!(source, null, options());
  if (!opened.ok) {
    expect(['not_a_session', 'source_unreadable']).toContain(opened.error.code);
    return null;
  }
  const texts: string[] = [];
  for (const one of opened.value.changed) {
    const sink = new MemorySink();
    const result = await opened.value.capture(one, null, sink, options());
    if (!result.ok) {
      expect(['not_a_session', 'source_unreadable']).toContain(result.error.code);
      continue;
    }
    const { records, mapped, unreadable, unknown, declared } = result.value;
    const counted = [unknown, declared].flatMap((counts) => Object.values(counts));
    expect(counted.reduce((a, b) => a + b, mapped + unreadable)).toBe(records);
    for (const { events, warnings } of sink.sessions.values()) {
      if (unreadable > 0) expect(warnings.length).toBeGreaterThan(0);
      texts.push(...events.flatMap(({ payload }) => said(payload)));
    }
  }
  await opened.value.close();
  return texts;
}

function said({ content, text, call_id }: Record<string, unknown>): string[] {
  const blocks = Array.isArray(content) ? content.map((block: { text?: unknown }) => String(block.text)) : [];
  return [...blocks, ...(typeof text === 'string' ? [text] : []), ...(typeof call_id === 'string' ? [call_id] : [])];
}

/** What a message says, by the form of its row; null = the row is no message. */
function saysOf(value: unknown): string[] | null {
  try {
    const { type, role, text, content, toolFormerData } = JSON.parse(String(value));
    if (type !== 1 && type !== 2 && typeof role !== 'string') return null;
    const parts = Array.isArray(content) ? content.flatMap((part) => [part.text, part.toolCallId]) : [content];
    return [text, toolFormerData?.toolCallId, ...parts].filter((one) => typeof one === 'string');
  } catch {
    return null;
  }
}

const damage = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('byte' as const), at: fc.nat(), value: fc.nat(255) }),
  fc.record({ kind: fc.constant('other' as const), value: fc.jsonValue() }),
  fc.record({ kind: fc.constant('gone' as const) }),
);
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function damaged(value: Buffer, what: Exclude<Damage, { kind: 'gone' }>): Buffer {
  if (what.kind === 'other') return Buffer.from(JSON.stringify(what.value));
  if (what.kind === 'cut') return value.subarray(0, what.at % (value.length + 1));
  const copy = Buffer.from(value);
  if (copy.length > 0) copy[what.at % copy.length] = what.value;
  return copy;
}

for (const { name, table, key, value } of KINDS)
  describe(`a database of the ${name}`, () => {
    it(
      'with a damaged row gives all that the other rows say',
      async () => {
        const source = await lay(name);
        const bytes = readFileSync(source.path);
        const whole = new Set(await textsOf(source));
        expect(whole.size).toBeGreaterThan(3);
        await fc.assert(
          fc.asyncProperty(fc.nat(), damage, async (n, what) => {
            writeFileSync(source.path, bytes);
            const db = new Database(source.path);
            db.pragma('synchronous = OFF');
            const rows = db.prepare(`SELECT ${key} AS key, ${value} AS value FROM ${table} ORDER BY 1`).all() as {
              key: string;
              value: Buffer | string;
            }[];
            const hit = rows[n % rows.length]!;
            if (what.kind === 'gone') db.prepare(`DELETE FROM ${table} WHERE ${key} = ?`).run(hit.key);
            else {
              const now = damaged(Buffer.from(hit.value as string), what);
              const stored = typeof hit.value === 'string' ? now.toString('latin1') : now;
              db.prepare(`UPDATE ${table} SET ${value} = ? WHERE ${key} = ?`).run(stored, hit.key);
            }
            db.close();
            const texts = await textsOf(source);
            expect(texts).not.toBeNull();
            // the row that lists a conversation takes it along
            if (saysOf(hit.value) === null) return;
            const others = rows.filter((row) => row !== hit).flatMap((row) => saysOf(row.value) ?? []);
            for (const text of others) if (whole.has(text)) expect(texts).toContain(text);
          }),
          propertyRuns(60, name === 'editor' ? 402 : 403),
        );
      },
      PROPERTY_MS,
    );

    it(
      'of damaged bytes is read as far as it goes, or it is said why not',
      async () => {
        const source = await lay(name);
        const bytes = readFileSync(source.path);
        await fc.assert(
          fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 4096 }), fc.nat(255), async (place, size, filling) => {
            const copy = Buffer.from(bytes);
            const at = place % copy.length;
            copy.fill(filling, at, Math.min(at + size, copy.length));
            writeFileSync(source.path, copy);
            await textsOf(source);
          }),
          {
            ...propertyRuns(60, name === 'editor' ? 404 : 405),
            // a key without its type; a page that turns out to be damaged when a message is looked up
            examples: [
              [372510227, 450, 9],
              [1228729939, 11, 0],
            ],
          },
        );
      },
      PROPERTY_MS,
    );
  });
