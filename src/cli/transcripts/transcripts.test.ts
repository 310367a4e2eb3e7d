import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replay } from '../testing/transcript.ts';

/** UPDATE_TRANSCRIPTS=1 writes them anew; what has changed is then seen in the diff. */
const UPDATE = process.env.UPDATE_TRANSCRIPTS === '1';

const folder = import.meta.dirname;
const names = readdirSync(folder).filter((name) => name.endsWith('.txt'));

describe('a transcript of the CLI', () => {
  it.each(names)('%s gives the same again', async (name) => {
    const path = join(folder, name);
    const expected = readFileSync(path, 'utf8');
    const replayed = await replay(expected);
    if (UPDATE) writeFileSync(path, replayed);
    else expect(replayed).toBe(expected);
  });
});
