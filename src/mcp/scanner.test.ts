import { describe, expect, it } from 'vitest';
import type { ImportProgress, ImportSummary } from '../engine/capture/contract.ts';
import type { Engine } from '../engine/engine.ts';
import { fail, ok, type Result } from '../shared/errors.ts';
import { Scanner } from './scanner.ts';

/** An engine whose imports a test ends when it likes. */
function engine() {
  const imports: { end: (result: Result<ImportSummary>) => void; tell: (done: number) => void; signal: AbortSignal }[] =
    [];
  const local = {
    import: (_request: object, tell: (progress: ImportProgress) => void, signal: AbortSignal) =>
      new Promise<Result<ImportSummary>>((end) => {
        signal.addEventListener('abort', () => end(fail('cancelled', 'Cancelled.')));
        imports.push({ end, tell: (done) => tell({ done, total: 7 } as ImportProgress), signal });
      }),
  };
  return { imports, engine: { local } as unknown as Engine };
}

const call = (said: string[] = []) => {
  const abort = new AbortController();
  return {
    abort,
    signal: abort.signal,
    progress: (_done: number, _total: number | undefined, text: string) => said.push(text),
  };
};
const DONE = ok({} as ImportSummary);
const MINUTES = 60_000;

describe('reading new sessions', () => {
  it('is one work for all calls that wait for it, and each is told how far it is', async () => {
    const { engine: one, imports } = engine();
    const scanner = new Scanner(one, MINUTES);
    const said: string[] = [];
    const waiting = [scanner.scan(call(said)), scanner.scan(call(said))];
    imports[0]!.tell(3);
    imports[0]!.end(DONE);
    expect(await Promise.all(waiting)).toEqual([{}, {}]);
    expect(imports).toHaveLength(1);
    expect(said).toEqual(['Reading 3 of 7 sources', 'Reading 3 of 7 sources']);
    const again = scanner.scan(call());
    imports[1]!.end(DONE);
    await again;
  });

  it('goes on behind an answer that does not wait for it', async () => {
    const { engine: one, imports } = engine();
    const scanner = new Scanner(one, 0);
    expect((await scanner.scan(call())).note).toContain('still being read');
    imports[0]!.tell(1);
    expect(imports[0]!.signal.aborted).toBe(false);
    await scanner.close();
    expect(imports[0]!.signal.aborted).toBe(true);
  });

  it('is not waited for by a call that was cancelled', async () => {
    const { engine: one } = engine();
    const scanner = new Scanner(one, MINUTES);
    const { abort, ...cancelled } = call();
    const waiting = scanner.scan(cancelled);
    abort.abort();
    await waiting;
    await scanner.close();
  });

  it('is waited for no longer by a call that looks several times, and not again once it did not come to its end', async () => {
    const { engine: one, imports } = engine();
    const scanner = new Scanner(one, 0);
    const reading = scanner.reading(call());
    expect(reading.note).toBeUndefined();
    const first = await reading.once();
    expect(first.note).toContain('still being read');
    imports[0]!.end(DONE);
    await scanner.scan(call());
    const before = imports.length;
    expect([await reading.again(), await reading.once(), reading.note]).toEqual([first, first, first.note]);
    expect(imports).toHaveLength(before);
    await scanner.close();
  });

  it('is done once for a call, and again when it is asked for', async () => {
    const { engine: one, imports } = engine();
    const reading = new Scanner(one, MINUTES).reading(call());
    for (const [look, count] of [
      [() => reading.once(), 1],
      [() => reading.again(), 2],
    ] as const) {
      const waiting = look();
      imports[count - 1]!.end(DONE);
      expect(await waiting).toEqual({});
      expect(await reading.once()).toEqual({});
      expect(imports).toHaveLength(count);
    }
  });

  it('that fails keeps what is known from being shown only when there is nothing to show it from', async () => {
    for (const [code, field] of [
      ['store_busy', 'note'],
      ['store_full', 'note'],
      ['store_uninitialised', 'error'],
      ['key_locked', 'error'],
    ] as const) {
      const { engine: one, imports } = engine();
      const waiting = new Scanner(one, MINUTES).scan(call());
      imports[0]!.end(fail(code, 'Why.'));
      expect(Object.keys(await waiting)).toEqual([field]);
    }
  });
});
