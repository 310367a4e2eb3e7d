import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadFixture } from '../../fixtures/load.ts';
import { canonicalJson } from '../../src/core/log/canonical-json.ts';
import type { NativeSource } from '../contract.ts';
import { damagedFile, hits } from '../testing/damage.ts';
import { modelView } from '../testing/model-view.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import { isObject } from './json.ts';
import { discoverSessions } from './read/discover.ts';
import { rebuildRecords } from './rebuild.ts';
import { type Captured, captureSource, told, withHome } from './testing/fixtures.ts';

const SEED = { seed: 20_261_129 };

/** A session file with these bytes, captured. */
function captureBytes(bytes: Uint8Array | string): Promise<Captured> {
  return withHome(async (env) => {
    const path = join(env.home, '.pi', 'agent', 'sessions', '--home-dev--', '2026-11-29T13-00-00-000Z_an-id.jsonl');
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    const source: NativeSource = { agent: 'pi', path, native_id: 'an-id', bytes: bytes.length, mtime_ms: 0 };
    return captureSource(source, env);
  });
}

async function rebuilt({ events, sink }: Captured): Promise<string[]> {
  const records: string[] = [];
  for await (const { record } of rebuildRecords(events, sink.read)) records.push(canonicalJson(record));
  return records;
}

function linesOf(name: string): Promise<string[]> {
  return withHome(async (env) => {
    await loadFixture('pi', name, env.home);
    const [source] = (await discoverSessions(env)).sources;
    return (await readFile(source!.path, 'utf8')).split('\n').filter((line) => line !== '');
  });
}

const files = await Promise.all(
  ['05-tree-branch-summary', '07-compaction', '10-extension-entries', '13-parallel-tools', '20-legacy-0.7.6'].map(
    linesOf,
  ),
);

describe('a damaged session', () => {
  it('never fails, accounts for what it read, and keeps every sound record', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(files.length - 1), hits, async (which, all) => {
        const lines = files[which]!;
        const { bytes, sound } = damagedFile(lines, all);
        const captured = await captureBytes(bytes);
        expect(told(captured.outcome)).toBe(captured.outcome.records);
        const kept = new Set(await rebuilt(captured));
        for (const line of sound) expect(kept).toContain(canonicalJson(JSON.parse(line)));
        if (all.some(([, { kind }]) => kind === 'cut')) modelView(captured.events);
      }),
      propertyRuns(60, SEED.seed),
    );
  });

  it('survives records of any shape, and writes again what it kept', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRecord(), { maxLength: 12 }), async (records) => {
        const text = records.map((one) => `${JSON.stringify(one)}\n`).join('');
        const captured = await captureBytes(text);
        const { outcome, events } = captured;
        expect(told(outcome)).toBe(outcome.records);
        expect(outcome.records).toBe(records.length);
        for (const { seq, parent_seq } of events) expect(parent_seq ?? -1).toBeLessThan(seq);
        modelView(captured.events);
        const native = new Set(records.map((one) => canonicalJson(JSON.parse(JSON.stringify(one)))));
        for (const record of await rebuilt(captured))
          if (!record.includes('[REDACTED:')) expect(native).toContain(record);
        const mapped = records.filter(isObject).length - (outcome.declared['repeats a record'] ?? 0);
        expect((await rebuilt(captured)).length).toBe(mapped);
      }),
      propertyRuns(120, SEED.seed),
    );
  });

  it('names the line of each kind of damage', async () => {
    const [head = '', a = '', b = '', c = '', d = ''] = files[1]!;
    const { warnings } = await captureBytes(
      `${head}\n${a.slice(0, 60)}\n${b}${c}\n${d.slice(0, 50)}\0\0${d.slice(50)}\n42\n{"type":"mes`,
    );
    expect(warnings.map(({ about, line }) => [about, line])).toEqual(
      expect.arrayContaining([
        ['malformed-line', 2],
        ['glued-line', 3],
        ['nul-bytes', 4],
        ['malformed-line', 5],
        ['truncated-line', 6],
      ]),
    );
  });

  it('joins a record whose parent was lost to the one before it', async () => {
    const lines = files[0]!.slice(0, 6);
    const { warnings, ...captured } = await captureBytes(`${lines.filter((_, i) => i !== 4).join('\n')}\n`);
    expect(warnings).toMatchObject([{ about: 'dangling-parent', line: 5 }]);
    expect(captured.events.at(-1)?.parent_seq).not.toBeNull();
  });

  it('reads entries without a header, and says so', async () => {
    const { warnings, facts, ref } = await captureBytes(`{"type":"session","vers\n${files[0]!.slice(1).join('\n')}\n`);
    expect(warnings.map(({ about, line }) => [about, line])).toContainEqual(['missing-header', 1]);
    expect(ref.native_id).toBe('an-id');
    expect(facts.cwd).toBeUndefined();
  });

  it('tells a torn last line once, and reads it when it is whole', async () => {
    await withHome(async (env) => {
      await loadFixture('pi', '13-parallel-tools', env.home);
      const [source] = (await discoverSessions(env)).sources;
      const text = await readFile(source!.path, 'utf8');
      await writeFile(source!.path, text.slice(0, -40));
      const first = await captureSource(source!, env);
      const torn = () => first.warnings.filter(({ about }) => about === 'truncated-line').length;
      expect(torn()).toBe(1);
      const again = await captureSource(source!, env, first.sink, first.outcome.cursor);
      expect([again.outcome.unreadable, torn()]).toEqual([1, 1]);
      await writeFile(source!.path, text);
      const last = await captureSource(source!, env, first.sink, again.outcome.cursor);
      expect(last.outcome).toMatchObject({ records: 1, mapped: 1, unreadable: 0 });
    });
  });
});

/** Records with members of any kind, many of them nearly right. */
function anyRecord(): fc.Arbitrary<unknown> {
  const id = fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.jsonValue());
  const block = fc.record(
    {
      type: fc.constantFrom('text', 'thinking', 'toolCall', 'image', 'new'),
      text: fc.jsonValue(),
      thinking: fc.oneof(fc.string(), fc.jsonValue()),
      thinkingSignature: fc.oneof(fc.constantFrom('reasoning_content', '{"id":1}'), fc.jsonValue()),
      redacted: fc.jsonValue(),
      id: fc.oneof(fc.constantFrom('c1', 'c2'), fc.jsonValue()),
      name: fc.oneof(fc.constantFrom('bash', 'read', 'edit', 'write'), fc.jsonValue()),
      arguments: fc.oneof(fc.record({ path: fc.string(), command: fc.string() }), fc.jsonValue()),
      data: fc.oneof(fc.base64String(), fc.jsonValue()),
      mimeType: fc.oneof(fc.constant('image/png'), fc.jsonValue()),
      $own: fc.jsonValue(),
    },
    { requiredKeys: ['type'] },
  );
  const content = fc.oneof(fc.string(), fc.array(fc.oneof(block, fc.jsonValue()), { maxLength: 4 }), fc.jsonValue());
  const message = fc.record(
    {
      role: fc.oneof(
        fc.constantFrom(
          'user',
          'assistant',
          'toolResult',
          'system',
          'bashExecution',
          'custom',
          'hookMessage',
          'branchSummary',
        ),
        fc.jsonValue(),
      ),
      content,
      usage: fc.oneof(fc.record({ input: fc.nat(), output: fc.jsonValue(), cost: fc.jsonValue() }), fc.jsonValue()),
      stopReason: fc.oneof(fc.constantFrom('stop', 'error', 'aborted', 'toolUse'), fc.jsonValue()),
      errorMessage: fc.jsonValue(),
      model: fc.jsonValue(),
      toolCallId: fc.oneof(fc.constantFrom('c1', 'c2'), fc.jsonValue()),
      isError: fc.jsonValue(),
      details: fc.jsonValue(),
      durationMs: fc.jsonValue(),
      sections: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
      command: fc.jsonValue(),
      output: fc.jsonValue(),
      exitCode: fc.jsonValue(),
      cancelled: fc.jsonValue(),
      summary: fc.jsonValue(),
      $more: fc.jsonValue(),
    },
    { requiredKeys: ['role'] },
  );
  const types = [
    'message',
    'compaction',
    'branch_summary',
    'custom',
    'custom_message',
    'context_edit',
    'label',
    'usage',
  ];
  const others = ['session_info', 'model_change', 'thinking_level_change', 'session', 'new'];
  const record = fc.record(
    {
      type: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...types, ...others) },
        { weight: 1, arbitrary: fc.jsonValue() },
      ),
      id,
      parentId: fc.oneof(fc.constant(null), id),
      timestamp: fc.oneof(
        fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
        fc.jsonValue(),
      ),
      message: fc.oneof({ weight: 6, arbitrary: message }, { weight: 1, arbitrary: fc.jsonValue() }),
      summary: fc.oneof(fc.string(), fc.jsonValue()),
      firstKeptEntryId: id,
      firstKeptEntryIndex: fc.jsonValue(),
      tokensBefore: fc.jsonValue(),
      usage: fc.jsonValue(),
      content,
      targetId: id,
      replacement: fc.oneof(fc.constant(null), fc.record({ content }), fc.jsonValue()),
      name: fc.jsonValue(),
      cwd: fc.jsonValue(),
      parentSession: fc.jsonValue(),
      $env: fc.jsonValue(),
    },
    { requiredKeys: ['type'] },
  );
  return fc.oneof({ weight: 12, arbitrary: record }, { weight: 1, arbitrary: fc.jsonValue() });
}
