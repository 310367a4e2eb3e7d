import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadFixture } from '../../fixtures/load.ts';
import type { NativeSource } from '../contract.ts';
import { damagedFile, hits } from '../testing/damage.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import { claude } from './adapter.ts';
import { isObject } from './record.ts';
import { recordsOf } from './testing/context.ts';
import { accounted, captureAll, eachSource, withHome } from './testing/fixtures.ts';

const ID = '3f0d7a52-7d21-4c0e-9f3b-8a1c2b3d4e5f';

/** A session file with these bytes, captured. */
function captureBytes(bytes: Uint8Array | string): ReturnType<typeof captureAll> {
  return withHome(async (home) => {
    const path = join(home, '.claude', 'projects', '-home-dev-orchard', `${ID}.jsonl`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    const source: NativeSource = { agent: 'claude', path, native_id: ID, bytes: bytes.length, mtime_ms: 0 };
    return captureAll(source, home);
  });
}

async function linesOf(agent: string, name: string): Promise<string[]> {
  return withHome(async (home) => {
    await loadFixture(agent, name, home);
    const [source] = (await claude.discover({ home, env: {} })).sources;
    return (await readFile(String(source?.path), 'utf8')).split('\n').filter((line) => line !== '');
  });
}

const files = await Promise.all([
  linesOf('claude', 'parallel'),
  linesOf('claude', 'compact'),
  linesOf('claude', 'rewind'),
  linesOf('claude-1.0.128', 'subagent'),
  linesOf('claude-2.0.76', 'tools'),
]);

describe('capturing a damaged session', () => {
  it('never fails, accounts for what it read, and keeps every sound record', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(files.length - 1), hits, async (which, all) => {
        const lines = files[which] as string[];
        const { bytes, sound } = damagedFile(lines, all);
        const { outcome, sink } = await captureBytes(bytes);
        expect(accounted(outcome)).toBe(outcome.records);
        const kept = new Set((await recordsOf(sink)).values());
        const kinds = new Set([...kept].map((record) => JSON.parse(record) as unknown).map(identity));
        for (const line of sound) {
          const record: unknown = JSON.parse(line);
          if (isObject(record) && typeof record.uuid === 'string') expect(kinds).toContain(identity(record));
        }
      }),
      propertyRuns(60, 55),
    );
  });

  it('tells the first damage of a file that is no session, and counts the rest', async () => {
    const { outcome } = await captureBytes('\xff\n'.repeat(5000));
    expect(outcome.warnings).toHaveLength(20);
    expect(outcome.warnings.at(-1)?.count).toBe(5000 - 19);
  });

  it('survives records of any shape', async () => {
    const known = fc.constantFrom(
      'user',
      'assistant',
      'attachment',
      'system',
      'last-prompt',
      'queue-operation',
      'progress',
    );
    const record = fc.record(
      {
        type: fc.oneof(known, fc.jsonValue()),
        uuid: fc.oneof(fc.uuid(), fc.jsonValue()),
        parentUuid: fc.oneof(fc.constant(null), fc.uuid(), fc.jsonValue()),
        timestamp: fc.oneof(
          fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
          fc.jsonValue(),
        ),
        isSidechain: fc.oneof(fc.boolean(), fc.jsonValue()),
        message: fc.oneof(
          fc.jsonValue(),
          fc.record(
            { role: fc.jsonValue(), id: fc.jsonValue(), content: content(), usage: fc.jsonValue() },
            { requiredKeys: [] },
          ),
        ),
        toolUseResult: fc.jsonValue(),
        attachment: fc.oneof(
          fc.jsonValue(),
          fc.record({ type: fc.constant('queued_command'), prompt: fc.jsonValue() }),
        ),
        subtype: fc.oneof(fc.constant('compact_boundary'), fc.jsonValue()),
        compactMetadata: fc.jsonValue(),
        leafUuid: fc.jsonValue(),
      },
      { requiredKeys: ['type'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 12 }), async (records) => {
        const text = records.map((one) => `${JSON.stringify(one)}\n`).join('');
        const { outcome, sink } = await captureBytes(text);
        expect(accounted(outcome)).toBe(records.length);
        // whatever was kept can be written again as it was
        const native = new Set(records.map((one) => JSON.stringify(sorted(JSON.parse(JSON.stringify(one))))));
        for (const rebuilt of (await recordsOf(sink)).values())
          expect(native).toContain(JSON.stringify(sorted(JSON.parse(rebuilt))));
      }),
      propertyRuns(300, 56),
    );
  });

  it('names the line of each kind of damage', async () => {
    const lines = (files[4] as string[]).slice(0, 8);
    const [a = '', b = '', c = '', d = '', e = ''] = lines;
    const { main } = await captureBytes(
      `${a}\n${b.slice(0, 60)}\n${c}${d}\n${e.slice(0, 50)}\0\0${e.slice(50)}\n{"type":"us`,
    );
    expect(main?.warnings.map(({ about, line }) => [about, line])).toEqual(
      expect.arrayContaining([
        ['malformed-line', 2],
        ['glued-line', 3],
        ['nul-bytes', 4],
        ['truncated-line', 5],
      ]),
    );
  });

  it('tells a torn last line once, and reads it when it is whole', async () => {
    await eachSource({ agent: 'claude-2.0.76', name: 'tools' }, async (source, home) => {
      if (source.native_id.startsWith('agent-')) return;
      const text = await readFile(source.path, 'utf8');
      const torn = text.length - 40;
      await writeFile(source.path, text.slice(0, torn));
      const first = await captureAll(source, home);
      expect(first.main?.warnings.filter(({ about }) => about === 'truncated-line')).toHaveLength(1);
      const options = { env: { home, env: {} }, redactionKey: new Uint8Array(32) };
      const again = await claude.capture(source, first.outcome.cursor, first.sink, options);
      expect(again.ok && again.value.unreadable).toBe(1);
      expect(first.main?.warnings.filter(({ about }) => about === 'truncated-line')).toHaveLength(1);
      await writeFile(source.path, text);
      const last = await claude.capture(source, again.ok ? again.value.cursor : null, first.sink, options);
      expect(last).toMatchObject({ ok: true, value: { records: 1, unreadable: 0 } });
      expect((await recordsOf(first.sink)).size).toBe(text.split('\n').length - 1);
    });
  });
});

/** Blocks of any shape. */
function content(): fc.Arbitrary<unknown> {
  const block = fc.record(
    {
      type: fc.constantFrom(
        'text',
        'thinking',
        'redacted_thinking',
        'tool_use',
        'tool_result',
        'image',
        'document',
        'new',
      ),
      text: fc.jsonValue(),
      thinking: fc.jsonValue(),
      signature: fc.jsonValue(),
      data: fc.jsonValue(),
      id: fc.oneof(fc.constantFrom('toolu_1', 'toolu_2'), fc.jsonValue()),
      name: fc.oneof(fc.constantFrom('Bash', 'Read', 'Edit', 'TodoWrite', 'Task'), fc.jsonValue()),
      input: fc.jsonValue(),
      tool_use_id: fc.oneof(fc.constantFrom('toolu_1', 'toolu_2'), fc.jsonValue()),
      content: fc.jsonValue(),
      is_error: fc.jsonValue(),
      source: fc.oneof(
        fc.jsonValue(),
        fc.record({ type: fc.constant('base64'), media_type: fc.constant('image/png'), data: fc.base64String() }),
      ),
    },
    { requiredKeys: ['type'] },
  );
  return fc.oneof(fc.string(), fc.array(fc.oneof(block, fc.jsonValue()), { maxLength: 4 }));
}

/** What tells a record apart: its type and id. */
function identity(record: unknown): string {
  return isObject(record) ? `${String(record.type)} ${String(record.uuid)}` : '';
}

/** The value with the keys of its objects in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
