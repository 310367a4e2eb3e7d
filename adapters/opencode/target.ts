import { ok } from '../../src/shared/errors.ts';
import type { TargetAdapter } from '../contract.ts';
import { targetWindow } from './config.ts';
import { carryToOpenCode } from './write/carry.ts';
import { opencodeHome } from './write/home.ts';
import { sessionId } from './write/ids.ts';
import { finalPath } from './write/place.ts';
import { readBackSession } from './write/readback.ts';
import { removeSession } from './write/remove.ts';
import { acceptsSession, stateOf, writeExport } from './write/write.ts';

export const opencodeTarget: TargetAdapter = {
  window: targetWindow,
  shape: (_version, env, nativeId) => ({
    name: 'session in the database (opencode import)',
    files: [finalPath(env, nativeId)],
  }),
  nativeId: sessionId,
  accepts: acceptsSession,
  carry: carryToOpenCode,
  home: opencodeHome,
  write: writeExport,
  readBack: readBackSession,
  /** The session is in OpenCode's list as soon as it is in the database. */
  register: async () => ok([]),
  standing: (written, { nativeId }) => stateOf(written, nativeId),
  remove: removeSession,
};
