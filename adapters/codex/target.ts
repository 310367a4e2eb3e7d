import { ok } from '../../src/shared/errors.ts';
import type { TargetAdapter } from '../contract.ts';
import { carryToCodex } from './carry.ts';
import { targetWindow } from './config.ts';
import { codexHome, readsPaginated, rolloutPath } from './home.ts';
import { readBackRollout } from './readback.ts';
import { hasThreadDatabase, registerThread } from './register.ts';
import { removeThread } from './remove.ts';
import { codexWayHome } from './write/home.ts';
import { writeRollout } from './write/write.ts';

export const codexTarget: TargetAdapter = {
  window: targetWindow,
  shape: (version, env, nativeId, at) => ({
    name: readsPaginated(version) ? 'paginated rollout (≥ 0.149)' : 'legacy rollout (any version)',
    files: [rolloutPath(codexHome(env), nativeId, at)],
  }),
  accepts: async (env, { installed }) =>
    ok({ firstStart: installed !== null && !(await hasThreadDatabase(codexHome(env))) }),
  carry: carryToCodex,
  home: codexWayHome,
  write: writeRollout,
  readBack: readBackRollout,
  register: registerThread,
  remove: removeThread,
};
