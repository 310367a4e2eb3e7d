import type { MaterializeOptions, WholeSession } from '../contract.ts';

/** What changes in the native records of a session that goes home under another id, or into another folder. */
export interface Move {
  /** nothing changes */
  readonly still: boolean;
  /** the session's new folder; null = it keeps the one that it has */
  readonly cwd: string | null;
  /** The new id in the place of the old one; any other value stays. */
  id(value: unknown): unknown;
  /** A folder at or below the session's old one, in the new one; any other value stays. */
  folder(value: unknown): unknown;
}

/** What the options ask for, against what the session was. */
export function moveOf(
  { row }: Pick<WholeSession, 'row'>,
  { nativeId, cwd }: Pick<MaterializeOptions, 'nativeId' | 'cwd'>,
): Move {
  const old = row.cwd;
  const stays = old === null || old === cwd;
  return {
    still: stays && row.native_id === nativeId,
    cwd: stays ? null : cwd,
    id: (value) => (value === row.native_id ? nativeId : value),
    folder: (value) => (stays || typeof value !== 'string' ? value : moved(value, old, cwd)),
  };
}

function moved(path: string, from: string, to: string): string {
  if (path === from) return to;
  const below = path.startsWith(from) && /[/\\]/.test(path.charAt(from.length));
  return below ? to + path.slice(from.length) : path;
}

/** When a session was used last, for the time of its files: a session that keeps its id keeps its place in lists too. */
export function timeOf(
  { row }: Pick<WholeSession, 'row'>,
  { nativeId, at }: Pick<MaterializeOptions, 'nativeId' | 'at'>,
): number {
  return nativeId === row.native_id ? (row.last_activity ?? at) : at;
}
