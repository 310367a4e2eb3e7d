import { ok } from '../../../src/shared/errors.ts';
import type { TargetAdapter } from '../../contract.ts';
import { realFolder } from '../../io/real-folder.ts';
import { sessionPath } from '../places.ts';
import { carryToPi } from './carry.ts';
import { piHome } from './home.ts';
import { readBackChain } from './readback.ts';
import { removeChain } from './remove.ts';
import { targetWindow } from './window.ts';
import { writeChain } from './write.ts';

/**
 * Pi finds sessions by their files alone, so there is nothing to register. Versions before 0.31 know no version 3; every
 * one since opens it and passes over entries that it does not know.
 */
export const piTarget: TargetAdapter = {
  window: targetWindow,
  shape: (_version, env, nativeId, at, cwd) => ({
    name: 'session of version 3 (every version since 0.35)',
    files: cwd === null ? [] : [sessionPath(env, realFolder(cwd), nativeId, at)],
  }),
  carry: carryToPi,
  home: piHome,
  write: writeChain,
  readBack: readBackChain,
  register: async () => ok([]),
  remove: removeChain,
};
