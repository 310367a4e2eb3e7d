import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Json } from './claude-session.ts';

/** Writes the first so many records as a JSONL file. */
export async function writeLines(path: string, records: Iterable<Json>, lines: number): Promise<void> {
  const out = createWriteStream(path);
  let left = lines;
  for (const record of records) {
    if (left-- === 0) break;
    if (!out.write(`${JSON.stringify(record)}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}
