import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Cursor, NativeSource } from '../contract.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { claude } from './adapter.ts';
import { comparable, conversationOf, recordsOf } from './testing/context.ts';
import { allFixtures, captureAll, eachSource, KEY } from './testing/fixtures.ts';

const fixtures = await allFixtures();

/** Lets a file grow by a line and captures, until it is whole. `restart`: the state is built from the log each time. */
async function captureByLine(source: NativeSource, home: string, restart: boolean): Promise<MemorySink> {
  const sink = new MemorySink();
  const lines = (await readFile(source.path, 'utf8')).split('\n').slice(0, -1);
  await writeFile(source.path, '');
  let cursor: Cursor | null = null;
  for (const line of lines) {
    await appendFile(source.path, `${line}\n`);
    const result = await claude.capture(source, cursor, sink, { env: { home, env: {} }, redactionKey: KEY });
    if (!result.ok) throw new Error(result.error.message);
    cursor = restart ? (JSON.parse(JSON.stringify(result.value.cursor)) as Cursor) : result.value.cursor;
  }
  return sink;
}

describe('capturing a session that grows', () => {
  describe.each([
    ['with the state at hand', false],
    ['after a restart at each line', true],
  ])('%s', (_, restart) => {
    it.each(fixtures)('gives what one capture gives: $agent $name', async (fixture) => {
      await eachSource(fixture, async (source, home) => {
        if (source.parent !== undefined || source.native_id.startsWith('agent-')) return;
        const { sink: whole, main } = await captureAll(source, home);
        const grown = await captureByLine(source, home, restart);
        const grownMain = [...grown.sessions.values()][0];
        expect(grownMain === undefined).toBe(main === undefined);
        if (main === undefined || grownMain === undefined) return;
        expect(await recordsOf(grown)).toEqual(await recordsOf(whole));
        expect(conversationOf(grownMain.events)).toEqual(conversationOf(main.events));
        const queued = (await readFile(source.path, 'utf8')).includes('"queue-operation"');
        // a prompt that waits while a capture ends is written early; a line written before its parent is put apart
        const late = fixture.agent === 'claude-2.1.197' && fixture.name === 'compact';
        if (!queued && !late) expect(comparable(grownMain)).toEqual(comparable(main));
        expect(grownMain.facts).toEqual(main.facts);
      });
    });
  });
});
