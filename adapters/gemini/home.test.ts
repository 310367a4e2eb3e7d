import { readFile } from 'node:fs/promises';
import { listFixtures } from '../../fixtures/load.ts';
import type { Move } from '../home/move.ts';
import { describeWayHome, jsonLines } from '../testing/way-home-tests.ts';
import { gemini } from './adapter.ts';
import { projectHash } from './home.ts';
import { isObject, type Json } from './read/record.ts';
import { currentFile } from './read/surroundings.ts';

function moved(record: unknown, move: Move): unknown {
  if (!isObject(record)) return record;
  const { sessionId, projectHash: hash, directories, $set: set } = record;
  const copy: Json = { ...record };
  if (sessionId !== undefined) copy.sessionId = move.id(sessionId);
  if (hash !== undefined && move.cwd !== null) copy.projectHash = projectHash(move.cwd);
  if (Array.isArray(directories)) copy.directories = directories.map((folder) => move.folder(folder));
  if (isObject(set)) copy.$set = moved(set, move);
  return copy;
}

describeWayHome({
  adapter: gemini,
  fixtures: (await listFixtures('gemini')).map((name) => ['gemini', name] as const),
  secrets: new Set(),
  records: async (path) => {
    const file = currentFile(path);
    return file.endsWith('.json') ? [JSON.parse(await readFile(file, 'utf8'))] : jsonLines(file);
  },
  moved,
});
