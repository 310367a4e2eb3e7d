import { sha256Hex } from '../../src/core/hash.ts';
import { ok } from '../../src/shared/errors.ts';
import type { TargetAdapter } from '../contract.ts';
import { sessionPath } from '../io/database-path.ts';
import { targetWindow } from './config.ts';
import { databaseOf } from './home.ts';
import { carryToHermes } from './write/carry.ts';
import { checkDatabase } from './write/database.ts';
import { hermesHome } from './write/home.ts';
import { readBackRows } from './write/readback.ts';
import { removeRows, standingRows } from './write/remove.ts';
import { writeRows } from './write/write.ts';

export const hermesTarget: TargetAdapter = {
  window: targetWindow,
  shape: (_version, env, nativeId) => ({
    name: 'session in state.db',
    files: [sessionPath(databaseOf(env), nativeId)],
  }),
  nativeId: hermesId,
  accepts: async (env) => {
    const known = await checkDatabase(databaseOf(env));
    return known.ok ? ok({ firstStart: false }) : known;
  },
  carry: carryToHermes,
  home: hermesHome,
  write: writeRows,
  readBack: readBackRows,
  /** The row is in Hermes' list as soon as it is in the database. */
  register: async () => ok([]),
  standing: standingRows,
  remove: removeRows,
};

/** `YYYYMMDD_HHMMSS_<6 hex>` in local time, as Hermes names its own sessions. */
function hermesId(uuid: string, at: number): string {
  const d = new Date(at * 1000);
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = `${d.getFullYear()}${two(d.getMonth() + 1)}${two(d.getDate())}`;
  const time = `${two(d.getHours())}${two(d.getMinutes())}${two(d.getSeconds())}`;
  return `${day}_${time}_${sha256Hex(uuid).slice(0, 6)}`;
}
