const LONGEST = 200;

/**
 * Whether an id can be part of a file's name and nothing else. Ids come from what others wrote: one with `../` in it would
 * name a file anywhere.
 */
export function fitsFileName(id: string): boolean {
  return /^(?!\.)[^\p{C}/\\:*?"<>|]+$/u.test(id) && Buffer.byteLength(id) <= LONGEST;
}
