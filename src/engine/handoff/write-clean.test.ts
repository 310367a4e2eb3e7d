import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MaterializeOptions, Written } from '../../../adapters/contract.ts';
import { ok } from '../../shared/errors.ts';
import { OutgoingRedactor } from './outgoing.ts';
import { writeClean } from './write-clean.ts';

const SECRET = ['ghp', 'x7Kq2mV9sLr4Tz8Wb3Nd6Yc1Hf5Jg0PaQeRt'].join('_');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clean-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Writes `text` for a redactor that is clean already or not; the second file is one beside the first. */
async function written(text: (isClean: boolean) => string): Promise<Written> {
  const temp = join(folder, 'session');
  const beside = join(folder, 'more');
  await writeFile(temp, '{"text":"nothing"}\n');
  const redactor = new OutgoingRedactor(randomBytes(32), { rules: Number.MAX_SAFE_INTEGER, seen: {}, counts: {} });
  redactor.clean = false;
  const writer = {
    write: async () => {
      await writeFile(beside, `${JSON.stringify({ text: text(redactor.clean) })}\n`);
      const abort = async (): Promise<void> => rm(beside);
      const more = { beside: [{ temp: beside, final: beside }], abort, commit: async () => ok(undefined) };
      return ok({ temp, final: temp, bytes: 1, sha256: '', warnings: [], ...more });
    },
    readBack: async () => ok({ items: 1 }),
  };
  const shape = { name: 'file', files: [] };
  const prepared = { writer, redactor, shape, redaction: redactor.counts };
  return writeClean(prepared, {} as MaterializeOptions, (_step, _text, work) => work());
}

describe('writing without secrets', () => {
  it('writes once more, redacted, when a secret stands in any of the files', async () => {
    const { warnings } = await written((isClean) => (isClean ? 'clean' : SECRET));
    expect(warnings).toEqual([]);
  });

  it('warns of what looks like a secret even then', async () => {
    const { warnings } = await written(() => SECRET);
    expect(warnings).toEqual([{ about: 'secrets-left', detail: expect.stringContaining('Look through'), count: 1 }]);
  });
});
