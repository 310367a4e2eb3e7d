import { sep } from 'node:path';
import type { SourceInfo } from '../../shared/api.ts';
import type { UnknownRecords } from '../store/contract.ts';

/** `about` of the warning that says how much of an agent's sessions was not understood. */
export const UNKNOWN_RECORDS = 'unknown-records';

/** Adds to each source what of its sessions in the store was not understood. @param unknown the last stored first */
export function withUnknown<S extends Omit<SourceInfo, 'enabled'>>(sources: S[], unknown: UnknownRecords[]): S[] {
  return sources.map((source) => {
    const mine = unknown.filter(({ agent, source: path }) => agent === source.agent && isIn(path, source.root));
    const [newest] = mine;
    if (newest === undefined) return source;
    const count = mine.reduce((sum, { records }) => sum + records, 0);
    const detail = `${source.label}: ${of(count, 'record')} in ${of(mine.length, 'session')} of ${source.root} of a kind that is not known here, kept as it was. The last such session is ${newest.id}`;
    return { ...source, warnings: [...source.warnings, { about: UNKNOWN_RECORDS, detail, count }] };
  });
}

const of = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

const isIn = (path: string | null, folder: string): boolean => path?.startsWith(folder + sep) === true;
