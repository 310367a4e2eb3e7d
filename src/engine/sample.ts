import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadFixture } from '../../fixtures/load.ts';

/** Sessions that show what the app can do: tools, diffs, images, sub-agents, a compaction, a rewind, Chinese. */
const SESSIONS = [
  'tools',
  'parallel',
  'image',
  'subagent',
  'compact',
  'thinking',
  'simple-qa-zh',
  'plan',
  'mcp',
  'rewind',
  'interrupted',
  'multi-turn',
];

/** Where the sample sessions were recorded; everything below it moves into the sample home. */
const RECORDED_AT = '/home/dev/cld';

/**
 * Lays real Claude Code sessions into an empty home folder, as if they had been made there: their working directories
 * exist, so that a handoff and a resume work on them. Nothing outside `home` is touched.
 */
export async function laySample(home: string): Promise<void> {
  for (const name of SESSIONS) await loadFixture('claude', name, home);
  const projects = join(home, '.claude', 'projects');
  const folders = new Set<string>();
  for (const entry of await readdir(projects, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && /\.jsonl?$/.test(entry.name)) await move(join(entry.parentPath, entry.name), home, folders);
  }
  for (const folder of folders) await mkdir(folder, { recursive: true });
  for (const name of await readdir(projects)) {
    const moved = name.replace(encoded(RECORDED_AT), encoded(home));
    if (moved === name) await rm(join(projects, name), { recursive: true });
    else await rename(join(projects, name), join(projects, moved));
  }
}

/** Rewrites the recorded paths of one file and notes the working directories it names. */
async function move(path: string, home: string, folders: Set<string>): Promise<void> {
  const inJson = JSON.stringify(home).slice(1, -1);
  const text = (await readFile(path, 'utf8')).replaceAll(RECORDED_AT, inJson);
  await writeFile(path, text, { mode: 0o600 });
  for (const [, cwd] of text.matchAll(/"cwd":("(?:[^"\\]|\\.)*")/g)) {
    const folder: string = JSON.parse(cwd ?? '""');
    if (folder.startsWith(home)) folders.add(folder);
  }
}

/** Claude Code's folder name of a working directory. */
function encoded(path: string): string {
  return path.replace(/[^a-zA-Z0-9]/g, '-');
}
