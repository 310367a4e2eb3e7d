import { describe, expect, it } from 'vitest';
import type { Written } from '../../../adapters/contract.ts';
import { fail, ok } from '../../shared/errors.ts';
import { commitAll } from './commit-all.ts';

function sessions(broken: number): { all: Written[]; log: string[] } {
  const log: string[] = [];
  const all = ['a', 'b', 'c'].map(
    (final, at): Written => ({
      temp: `${final}.part`,
      final,
      bytes: 1,
      sha256: '',
      warnings: [],
      commit: async () => {
        log.push(`put ${final}`);
        return at === broken ? fail('write_failed', 'No room.') : ok(undefined);
      },
      abort: async () => void log.push(`abort ${final}`),
    }),
  );
  return { all, log };
}

describe('putting several sessions in place', () => {
  it('puts them there in order', async () => {
    const { all, log } = sessions(-1);
    await commitAll(all);
    expect(log).toEqual(['put a', 'put b', 'put c']);
  });

  it('takes the rest back when one cannot be put there, and names what stays', async () => {
    const { all, log } = sessions(1);
    const message = 'No room. In place already: a.';
    await expect(commitAll(all)).rejects.toMatchObject({
      error: { code: 'write_failed', message, details: { files: ['a'] } },
    });
    expect(log).toEqual(['put a', 'put b', 'abort b', 'abort c']);
  });

  it('says what the first one says when nothing is in place', async () => {
    await expect(commitAll(sessions(0).all)).rejects.toMatchObject({ error: { message: 'No room.' } });
  });
});
