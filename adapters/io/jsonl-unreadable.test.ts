import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppFailure } from '../../src/shared/errors.ts';
import { type JsonlOptions, readJsonl } from './jsonl.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sessionctl-unreadable-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const TEXT = '{"type":"user"}\n'.repeat(100);

function drain(path: string, options: Partial<JsonlOptions> = {}): void {
  const reading = readJsonl(path, { redactor: null, ...options });
  while (reading.next().done !== true);
}

describe('a file that cannot be read', () => {
  const thrown = (action: () => unknown): unknown => {
    try {
      action();
    } catch (error) {
      return error;
    }
    return null;
  };

  it('is an error that names it', () => {
    const error = thrown(() => drain(join(folder, 'missing.jsonl')));
    expect(error).toBeInstanceOf(AppFailure);
    expect((error as AppFailure).error).toMatchObject({ code: 'source_unreadable', details: { errno: 'ENOENT' } });
    expect((thrown(() => drain(folder)) as AppFailure).error.details).toMatchObject({ errno: 'EISDIR' });
  });

  it('ends early when it shrinks while it is read', () => {
    const path = join(folder, 'shrinking.jsonl');
    writeFileSync(path, TEXT);
    const reading = readJsonl(path, { redactor: null, chunkBytes: 256 });
    expect(reading.next().done).toBe(false);
    truncateSync(path, 10);
    let rest = reading.next();
    while (rest.done !== true) rest = reading.next();
    expect(rest.value.cursor.offset).toBeGreaterThan(0);
  });

  it('stops when it is told to', () => {
    const path = join(folder, 'sound.jsonl');
    writeFileSync(path, TEXT);
    const stop = new AbortController();
    stop.abort();
    expect((thrown(() => drain(path, { signal: stop.signal })) as AppFailure).error.code).toBe('cancelled');
  });
});
