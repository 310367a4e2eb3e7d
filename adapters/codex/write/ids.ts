import { createHash } from 'node:crypto';

/** A UUID v7 for a turn: its time, and bits derived from the thread and the turn's number, so that a retry gives the same. */
export function turnId(threadId: string, turn: number, ms: number): string {
  const bytes = createHash('sha256').update(`${threadId}:turn:${turn}`).digest().subarray(0, 16);
  bytes.writeUIntBE(Math.min(Math.max(0, Math.floor(ms)), 0xffff_ffff_ffff), 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
