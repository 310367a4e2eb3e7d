import { ok } from '../../../src/shared/errors.ts';
import type { TargetAdapter } from '../../contract.ts';
import { carryToClaude } from './carry.ts';
import { sessionPath } from './folder.ts';
import { claudeHome } from './home.ts';
import { readBackChain } from './readback.ts';
import { removeChain } from './remove.ts';
import { targetWindow } from './window.ts';
import { writeChain } from './write.ts';

/** Claude Code finds sessions by their files alone, so there is nothing to register. */
export const claudeTarget: TargetAdapter = {
  window: targetWindow,
  shape: (_version, env, nativeId, _at, cwd) => ({
    name: 'one chain (every version since 1.0)',
    files: cwd === null ? [] : [sessionPath(env, cwd, nativeId)],
  }),
  carry: carryToClaude,
  home: claudeHome,
  write: writeChain,
  readBack: readBackChain,
  register: async () => ok([]),
  remove: removeChain,
};
