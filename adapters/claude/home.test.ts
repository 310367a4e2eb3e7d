import { describeWayHome, jsonLines } from '../testing/way-home-tests.ts';
import { claude } from './adapter.ts';
import { isObject } from './record.ts';
import { allFixtures } from './testing/fixtures.ts';

describeWayHome({
  adapter: claude,
  fixtures: (await allFixtures()).map(({ agent, name }) => [agent, name] as const),
  secrets: new Set(['secrets']),
  turned: new Set(['claude-2.1.197 compact']),
  records: jsonLines,
  moved: (record, move) => {
    if (!isObject(record)) return record;
    const copy = { ...record };
    for (const name of ['sessionId', 'session_id']) if (name in copy) copy[name] = move.id(copy[name]);
    if ('cwd' in copy) copy.cwd = move.folder(copy.cwd);
    return copy;
  },
});
