import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Makes a folder that only its owner may read (0700), for the time of one piece of work; whoever asks removes it. Folders of
 * the same name that a killed process left in `parent` go with the next call, since what lies in them is in clear.
 */
export async function privateFolder(parent: string, name: string): Promise<string> {
  for (const entry of await readdir(parent).catch(() => [])) {
    const pid = entry.startsWith(`${name}-`) ? /^(\d+)-/.exec(entry.slice(name.length + 1))?.[1] : undefined;
    if (pid === undefined || isAlive(Number(pid))) continue;
    await rm(join(parent, entry), { recursive: true, force: true }).catch(() => {});
  }
  return mkdtemp(join(parent, `${name}-${process.pid}-`));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}
