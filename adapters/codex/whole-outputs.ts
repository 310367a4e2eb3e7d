import { createHash } from 'node:crypto';
import type { Warning } from '../../src/shared/events.ts';
import { modelLines } from './read/model-lines.ts';

/*
 * Codex cuts long outputs when it loads a session, but takes the items of a `compacted` line as they are (FORMAT.md). A
 * session with such outputs therefore repeats its response items in one line of that kind. It is no compaction: a member
 * that Codex ignores tells it apart.
 */

/** Codex cuts from 12,000 bytes (models it does not know) or 48,000 bytes; smaller outputs are safe with every model. */
const SAFE = 10_000;
/** UTF-16 units. No model takes so much, and every reader has to hold the line as a whole. */
export const LARGEST_COPY = 1 << 26;

const MEMBER = 'sessionctl';
const MARK = 'whole_outputs';
const HEAD = '{"message":"","replacement_history":[';
const TAIL = `],"${MEMBER}":"${MARK}"}}`;
const PAYLOAD = '"payload":';

export const NOT_WHOLE: Warning = {
  about: 'outputs-cut',
  detail:
    'The conversation is too large to keep long outputs whole: Codex will cut those of more than 12,000 bytes when it loads the session.',
};

/** Whether Codex may cut an output of these texts. */
export function isLong(texts: readonly string[]): boolean {
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  // a UTF-16 unit takes three bytes at most
  return 3 * units > SAFE && texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > SAFE;
}

/** Whether the payload of a `compacted` line is such a copy. */
export function isCopy(payload: Record<string, unknown>): boolean {
  return payload[MEMBER] === MARK;
}

/** The line, piece by piece. `head`: the line up to its payload; `path`: the file with the response items. */
export function* copyPieces(head: string, path: string): Generator<string> {
  yield head + HEAD;
  let comma = '';
  for (const { line, text } of modelLines(path)) {
    if (line === 1 || text === null) continue;
    yield comma + payloadText(text);
    comma = ',';
  }
  yield `${TAIL}\n`;
}

/** Whether the copy at `line` says what the response items of the file before it say; `head` and `sha256` as modelLines has them. */
export function isTrueCopy(
  path: string,
  { line, head, sha256 }: { line: number; head: string; sha256: string },
): boolean {
  if (!head.endsWith(PAYLOAD + HEAD)) return false;
  const hash = createHash('sha256');
  let comma = '';
  for (const one of modelLines(path)) {
    if (one.line === line) break;
    if (one.line === 1 || one.text === null || one.compaction !== undefined) continue;
    hash.update(comma + payloadText(one.text));
    comma = ',';
  }
  return hash.update(TAIL).digest('hex') === sha256;
}

/** UTF-16 units that a response item's line adds to a copy. */
export function copySize(line: string): number {
  return line.length - line.indexOf(PAYLOAD) - PAYLOAD.length - 1;
}

function payloadText(line: string): string {
  return line.slice(line.indexOf(PAYLOAD) + PAYLOAD.length, -1);
}
