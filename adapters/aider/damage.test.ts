import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadFixture } from '../../fixtures/load.ts';
import { unwrap } from '../../src/shared/errors.ts';
import { damagedFile, hits } from '../testing/damage.ts';
import { MemorySink } from '../testing/memory-sink.ts';
import { PROPERTY_MS, propertyRuns } from '../testing/property-runs.ts';
import { aider } from './adapter.ts';

let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'aider-damage-'));
  await loadFixture('aider', 'basic', home);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What a line says, without the marks of who says it; '' = nothing that must be found. */
function said(line: string): string {
  if (/^# aider chat started|<blank>/.test(line)) return '';
  return line.replace(/^(?:#### |> )/, '').trim();
}

/** Whether somebody says something in it: what Aider printed where nobody did is declared, not kept. */
const speaks = (line: string): boolean => said(line) !== '' && !line.startsWith('> ');

/** The sound lines of chats in which something sound was said. */
function kept(lines: readonly string[], isSound: readonly boolean[]): string[] {
  const chats: string[][] = [];
  for (const [i, line] of lines.entries()) {
    if (chats.length === 0 || line.startsWith('# aider chat started')) chats.push([]);
    if (isSound[i]) chats.at(-1)!.push(line);
  }
  return chats.filter((chat) => chat.some(speaks)).flat();
}

describe('a damaged history', () => {
  it(
    'is read to its end, and every sound line is kept',
    async () => {
      const options = { env: { home, env: {} }, redactionKey: new Uint8Array(32) };
      const source = (await aider.discover(options.env)).sources[0]!;
      const lines = readFileSync(source.path, 'utf8').split('\n').slice(0, -1);
      await fc.assert(
        fc.asyncProperty(hits, async (all) => {
          const { bytes, isSound } = damagedFile(lines, all);
          writeFileSync(source.path, bytes);
          const sink = new MemorySink();
          const outcome = unwrap(await aider.capture(source, null, sink, options));
          const declared = Object.values(outcome.declared).reduce((a, b) => a + b, 0);
          expect(outcome.mapped + declared).toBe(outcome.records);
          const log = [...sink.sessions.values()]
            .flatMap(({ events }) => events.map(({ payload }) => payload.content as { text: string }[] | undefined))
            .flatMap((content) => content?.map(({ text }) => text) ?? [])
            .join('\n');
          for (const line of kept(lines, isSound)) expect(log).toContain(said(line));
        }),
        // the only prompt of a chat is gone, what was printed after it is left
        { ...propertyRuns(100, 302), examples: [[[[40, { kind: 'drop' }]]]] },
      );
    },
    PROPERTY_MS,
  );
});
