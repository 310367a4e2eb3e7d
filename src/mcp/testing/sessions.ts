import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Records, SESSION } from '../../../adapters/claude/testing/records.ts';

/** Writes a session of Claude Code into a home, with an id of its own, and gives that id. For tests. */
export async function writeSession(home: string, number: number, fill: (records: Records) => void): Promise<string> {
  const id = `${SESSION.slice(0, -6)}${String(number).padStart(6, '0')}`;
  const records = new Records();
  fill(records);
  const lines = records.list.map((record) =>
    JSON.stringify(record)
      .replaceAll(SESSION, id)
      // uuids are those of one session alone
      .replaceAll('00000000-0000-4000-8000-', `${String(number).padStart(8, '0')}-0000-4000-8000-`),
  );
  const folder = join(home, '.claude', 'projects', '-home-dev-orchard');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${id}.jsonl`), `${lines.join('\n')}\n`);
  return id;
}
