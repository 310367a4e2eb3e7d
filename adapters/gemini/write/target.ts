import { createHash } from 'node:crypto';
import type { TargetAdapter } from '../../contract.ts';
import { carryToGemini } from './carry.ts';
import { geminiHome } from './home.ts';
import { sessionPath, shapeOf } from './place.ts';
import { readBackMessages } from './readback.ts';
import { registerProject, removeSession } from './register.ts';
import { targetWindow } from './window.ts';
import { writeMessages } from './write.ts';

export const geminiTarget: TargetAdapter = {
  window: targetWindow,
  shape: (version, env, nativeId, at, cwd) => ({
    name: shapeOf(version).name,
    files: cwd === null ? [] : [sessionPath(env, version, cwd, nativeId, at)],
  }),
  nativeId: randomLooking,
  carry: carryToGemini,
  home: geminiHome,
  write: writeMessages,
  readBack: readBackMessages,
  register: registerProject,
  remove: removeSession,
};

/** The client tells sessions apart by the first 8 characters, and those of a UUID v7 are the time: two in a minute are the same. */
function randomLooking(uuid: string): string {
  const hex = createHash('sha256').update(`gemini:${uuid}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
