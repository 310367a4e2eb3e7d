import { type FileHandle, open } from 'node:fs/promises';
import { Prefilter } from '../../core/redact/prefilter.ts';
import { Redactor } from '../../core/redact/redactor.ts';
import type { RuleHits } from '../../core/redact/rules.ts';

const CHUNK = 1 << 20;
const LF = 10;
/** Encoded bytes: pieces of them look like tokens by chance. */
const ENCODED = /^data:[\w/+.-]+;base64,/;
const WHOLE = /signature|encrypted|opaque/i;

/** Looks through a written file, line by line, and counts strings that hold a secret. The bytes are what the agent will read. */
export async function secretsIn(path: string): Promise<number> {
  const prefilter = new Prefilter();
  const redactor = new Redactor({ key: new Uint8Array(32) });
  const file = await open(path, 'r');
  let found = 0;
  try {
    for await (const { lines, length } of blocks(file, prefilter)) {
      prefilter.scan(0, length);
      for (let start = 0; start < length; ) {
        const end = lines.indexOf(LF, start);
        const stop = end < 0 ? length : end + 1;
        const { rules } = prefilter.line(stop);
        if (rules !== null) found += secretsInLine(lines.toString('utf8', start, stop), redactor, rules);
        start = stop;
      }
    }
  } finally {
    await file.close();
  }
  return found;
}

/** Whole lines in the scanner's memory, about a chunk at a time; a longer line makes room for itself. */
async function* blocks(file: FileHandle, prefilter: Prefilter): AsyncGenerator<{ lines: Buffer; length: number }> {
  let used = 0;
  for (;;) {
    const memory = prefilter.reserve(used + CHUNK);
    const { bytesRead } = await file.read(memory, used, CHUNK);
    used += bytesRead;
    const all = Buffer.from(memory.buffer, memory.byteOffset, used);
    const length = bytesRead === 0 ? used : all.lastIndexOf(LF) + 1;
    if (length > 0) yield { lines: all, length };
    if (bytesRead === 0) return;
    all.copyWithin(0, length, used);
    used -= length;
  }
}

function secretsInLine(line: string, redactor: Redactor, rules: RuleHits): number {
  let found = 0;
  const look = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      if (!ENCODED.test(value) && !WHOLE.test(key) && redactor.text(value, rules) !== value) found++;
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) look(item, Array.isArray(value) ? key : name);
    }
  };
  try {
    look(JSON.parse(line), '');
  } catch {
    look(line, '');
  }
  return found;
}
