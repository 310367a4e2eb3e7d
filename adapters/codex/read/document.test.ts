import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../../../fixtures/load.ts';
import type { SessionEvent } from '../../../src/shared/events.ts';
import { damagedFile, hits } from '../../testing/damage.ts';
import { MemorySink } from '../../testing/memory-sink.ts';
import { PROPERTY_MS, propertyRuns } from '../../testing/property-runs.ts';
import { type Captured, captureHome, captureSource, texts, told } from '../testing/native.ts';
import { discoverRollouts, recogniseRollout } from './discover.ts';

const ID = 'a8750448-eceb-4a26-9c9e-e13c596fdc70';

let home: string;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'codex-document-'));
  await loadFixture('codex-0.1.2505172129', 'tools', home);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const env = () => ({ home, env: {} });
const path = () => join(home, '.codex', 'sessions', `rollout-2026-11-29-${ID}.json`);
const capture = async (): Promise<Captured> => (await captureHome(env()))[0]!;

const talk = (events: readonly SessionEvent[]): string[] =>
  events.flatMap(({ type, payload }) => {
    if (type === 'tool.call') return [`call ${payload.name}`];
    if (type === 'tool.result') return [`result ${payload.exit_code ?? ''}`];
    if (type === 'message.thinking') return [`thinking ${payload.text}`];
    return type.startsWith('message.') ? [`${type.slice(8)} ${texts([{ type, payload } as SessionEvent], type)}`] : [];
  });

describe('a document of the first client', () => {
  it('is a session with its prompts, answers, calls and results, without times but its own', async () => {
    const captured = await capture();
    expect(captured.ref.native_id).toBe(ID);
    expect(captured.outcome).toMatchObject({ records: 19, unknown: {}, unreadable: 0 });
    expect(told(captured.outcome)).toBe(19);
    expect(captured.warnings).toEqual([]);
    expect(talk(captured.events)).toEqual([
      'user Make the store read UTF-8.',
      'thinking **Looking around**\n\nList the files first.',
      'assistant I will list the files.',
      'call shell',
      'result 0',
      'call update_plan',
      'result ',
      'call shell',
      'result 0',
      'call shell',
      'result 1',
      'call shell',
      'call shell',
      'result 0',
      'result 0',
      'assistant The store now reads UTF-8. `missing.txt` does not exist.',
      'user Anything else?',
      'assistant Second turn: nothing else to fix.',
    ]);
    expect(captured.events.every(({ ts, type }) => ts === null || type === 'session.start')).toBe(true);
    expect((await recogniseRollout(path(), env())).ok).toBe(true);
  });

  it('without indents keeps every character, however it is escaped', async () => {
    const { session, items } = JSON.parse(readFileSync(path(), 'utf8'));
    items[0].content[0].text = 'é 你好';
    const text = JSON.stringify({ session, items });
    writeFileSync(path(), text.replace('你', String.raw`\u4f60`));
    expect(talk((await capture()).events)[0]).toBe('user é 你好');
  });

  it('says by the number of its line where a record stands', async () => {
    const lines = readFileSync(path(), 'utf8').split('\n');
    for (const { origin, type, payload } of (await capture()).events)
      if (type === 'tool.call') expect(lines.slice(origin!.native_seq).join('\n')).toContain(String(payload.call_id));
  });

  it('that has grown gives what is new, however it was cut when it was read before', async () => {
    const whole = talk((await capture()).events);
    const { session, items } = JSON.parse(readFileSync(path(), 'utf8'));
    const [source] = (await discoverRollouts(env())).sources;
    const sink = new MemorySink();
    let cursor = null;
    for (let n = 0; n <= items.length; n++) {
      const text = JSON.stringify({ session, items: items.slice(0, n) }, null, 2);
      for (const part of [text.slice(0, -60), text]) {
        writeFileSync(path(), part);
        cursor = JSON.parse(JSON.stringify((await captureSource(source!, env(), sink, cursor)).outcome.cursor));
      }
    }
    expect(talk([...sink.sessions.values()][0]!.events)).toEqual(whole);
  });

  it('is read too when nobody has indented it', async () => {
    const whole = talk((await capture()).events);
    writeFileSync(path(), JSON.stringify(JSON.parse(readFileSync(path(), 'utf8'))));
    expect(talk((await capture()).events)).toEqual(whole);
  });

  it('that is none is told', async () => {
    writeFileSync(path(), '{"session": 7, "items":');
    expect((await capture()).outcome).toMatchObject({ records: 1, unreadable: 1 });
  });

  it(
    'keeps every sound record, whatever is damaged, and warns with the line',
    async () => {
      const lines = readFileSync(path(), 'utf8').split('\n');
      const items = (JSON.parse(lines.join('\n')) as { items: Record<string, string>[] }).items;
      const spans = lines.flatMap((line, n) => (line === '    {' ? [n] : []));
      await fc.assert(
        fc.asyncProperty(hits, async (all) => {
          writeFileSync(path(), damagedFile(lines, all).bytes);
          const { outcome, events, warnings } = await capture();
          expect(told(outcome)).toBe(outcome.records);
          if (outcome.unreadable > 0) expect(warnings.some(({ line }) => line !== undefined)).toBe(true);
          const hit = new Set(all.map(([at]) => at % lines.length));
          const kept = events.map(({ type, payload }) => `${type} ${payload.call_id}`);
          for (const [i, { type, call_id }] of items.entries()) {
            const [from, to] = [spans[i]!, spans[i + 1] ?? lines.length];
            // a border that is gone joins two records, and neither can be told from the other then
            if ([...hit].some((n) => n >= from - 1 && n <= to)) continue;
            if (type === 'function_call') expect(kept).toContain(`tool.call ${call_id}`);
            if (type === 'function_call_output') expect(kept).toContain(`tool.result ${call_id}`);
          }
        }),
        propertyRuns(60, 505),
      );
    },
    PROPERTY_MS,
  );
});
