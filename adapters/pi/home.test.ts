import { listFixtures } from '../../fixtures/load.ts';
import { describeWayHome, jsonLines } from '../testing/way-home-tests.ts';
import { pi } from './adapter.ts';
import { isObject } from './json.ts';

describeWayHome({
  adapter: pi,
  fixtures: (await listFixtures('pi')).map((name) => ['pi', name] as const),
  secrets: new Set(['15-secrets']),
  records: jsonLines,
  moved: (record, move) =>
    isObject(record) && record.type === 'session'
      ? { ...record, id: move.id(record.id), cwd: move.folder(record.cwd) }
      : record,
});
