import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionSource, Written } from '../contract.ts';
import { anySession } from '../testing/arbitrary.ts';
import { propertyRuns } from '../testing/property-runs.ts';
import { TestSession } from '../testing/session.ts';
import { readBackRollout } from './readback.ts';
import { tempHome, writeOptions } from './testing/home.ts';
import { writeRollout } from './write/write.ts';

let home: ReturnType<typeof tempHome>;
beforeEach(() => {
  home = tempHome();
});
afterEach(() => home.dispose());

/** A session that counts how often it is read. */
function counted(session: TestSession): { source: SessionSource; reads: () => number } {
  const source = session.source();
  let reads = 0;
  const model = (): ReturnType<SessionSource['model']> => {
    reads++;
    return source.model();
  };
  return { source: { ...source, model }, reads: () => reads };
}

/** Reads the file back by what was gathered, and by reading the session again. */
async function bothWays(session: TestSession, written: Written) {
  const options = writeOptions(home.env);
  const { source, reads } = counted(session);
  const gathered = await readBackRollout(written, source, options, 'temp');
  const { temp, final } = written;
  return { gathered, reads: reads(), again: await readBackRollout({ temp, final }, source, options, 'temp') };
}

async function write(session: TestSession): Promise<Written | null> {
  const written = await writeRollout(session.source(), writeOptions(home.env));
  return written.ok ? written.value : null;
}

/** One of everything that may stand in a file in more than one way. */
function everything(): TestSession {
  const session = new TestSession();
  session.user([{ kind: 'text', text: 'Look.' }, session.image()]);
  session.user([
    {
      kind: 'document',
      name: 'a.pdf',
      media_type: 'application/pdf',
      bytes: 3,
      artifact: session.artifact(Buffer.from('pdf')),
    },
  ]);
  session.thinking('r1', 'Hm.');
  session.reply('r1', 'I look.');
  for (const id of ['plain', 'failed', 'failed-silently', 'empty', 'denied', 'missing']) session.call('r1', id);
  session.call('r1', 'custom', { arguments: 'a text' });
  session.result('plain');
  session.result('failed', 'error: no such file', { is_error: true });
  session.result('failed-silently', 'nothing to see', { is_error: true });
  session.result('empty', '', { is_error: true });
  session.result('denied', '', { closed: 'denied' });
  session.result('custom', [{ kind: 'text', text: 'seen' }, session.image()]);
  session.summary('So far.');
  return session;
}

describe('what was gathered while a session was written', () => {
  it('checks the file without reading the session again', async () => {
    const session = everything();
    const written = await write(session);
    const { gathered, reads, again } = await bothWays(session, written!);
    expect(gathered).toEqual(again);
    expect(gathered).toMatchObject({ ok: true });
    expect(reads).toBe(0);
  });

  it('refuses exactly what a second reading of the session refuses', async () => {
    const damage = fc.record({
      at: fc.nat(),
      how: fc.constantFrom('drop' as const, 'repeat' as const, 'swap' as const, 'change' as const, 'tear' as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(anySession, fc.constant(everything())), damage, async (session, { at, how }) => {
        const written = await write(session);
        if (written === null) return;
        try {
          const sound = await bothWays(session, written);
          expect([sound.gathered.ok, sound.reads]).toEqual([true, 0]);
          const lines = readFileSync(written.temp, 'utf8').split('\n');
          const items = lines.flatMap((line, i) => (line.includes('"type":"response_item"') ? [i] : []));
          const place = items[at % items.length]!;
          const line = lines[place]!;
          if (how === 'drop') lines.splice(place, 1);
          else if (how === 'repeat') lines.splice(place, 0, line);
          else if (how === 'swap') [lines[place], lines[items[0]!]] = [lines[items[0]!]!, line];
          else if (how === 'change') lines[place] = line.replace(/(.*)([a-z0-9])/s, '$1~');
          else lines[place] = line.slice(0, -1);
          writeFileSync(written.temp, lines.join('\n'));
          const damaged = await bothWays(session, written);
          expect(damaged.gathered).toEqual(damaged.again);
          if (how === 'drop' || how === 'repeat' || how === 'tear') expect(damaged.gathered.ok).toBe(false);
        } finally {
          await written.abort();
        }
      }),
      propertyRuns(100, 402),
    );
  });
});
