import { sha256Hex } from '../../core/hash.ts';

/**
 * Id of the session that an operation writes: laid out as a UUID v7 with the time of the handoff, the rest from the
 * operation's id, so that a retry writes the same session and never a second one.
 *
 * @param at seconds since the epoch, as kept with the operation
 */
export function nativeIdOf(operation: string, at: number): string {
  const time = Math.round(at * 1000)
    .toString(16)
    .padStart(12, '0');
  const rest = sha256Hex(`sessionctl handoff ${operation}`);
  const variant = ((Number.parseInt(rest[3] as string, 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${rest.slice(0, 3)}-${variant}${rest.slice(4, 7)}-${rest.slice(8, 20)}`;
}
