import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Ref } from '../../core/hash.ts';
import { draftOf, LogBuilder } from '../../core/view/testing.ts';
import { unwrap } from '../../shared/errors.ts';
import { seedSession, type TestStore, testStore } from '../bundle/testing.ts';
import { type RedactionReport, recheckRedaction } from './redaction.ts';
import { allSessions } from './store.ts';

const KEY = new Uint8Array(32);
/** made up, and put together here */
const token = ['ghp', 'x7Kq2mV9sLr4Tz8Wb3Nd6Yc1Hf5Jg0PaQeRt'].join('_');
const random = ['xK9', 'mQ2', 'vR7', 'tY4', 'wZ8', 'nB3', 'cD6', 'fG1', 'hJ5', 'pL0'].join('');

let test: TestStore;
beforeEach(async () => {
  test = await testStore();
});
afterEach(() => test.close());

async function recheck(): Promise<RedactionReport> {
  const { reader } = test.store;
  async function* rows() {
    for await (const { row } of allSessions(reader)) yield row;
  }
  return recheckRedaction(reader, rows(), KEY);
}

describe('looking for secrets in what is stored', () => {
  it('finds nothing in clean sessions and says how many it looked through', async () => {
    await seedSession(test.store);
    await seedSession(test.store, `sess_${'b'.repeat(20)}`, 2);
    expect(await recheck()).toMatchObject({ sessions: 2, events: 26, definite: 0, candidates: 0, findings: [] });
  });

  it('names place and kind of each, never its value', async () => {
    const session = await seedSession(test.store, undefined, 2, `use ${token} with ${random} as`);
    const report = await recheck();
    expect(report).toMatchObject({ sessions: 1, older: 1, definite: 2, candidates: 2, dropped_findings: 0 });
    const field = '/content/0/text';
    expect(report.findings.slice(0, 2)).toEqual([
      { session, seq: 1, tier: 'definite', type: 'github-token', field },
      { session, seq: 1, tier: 'candidate', type: 'random-text', field },
    ]);
    expect(JSON.stringify(report)).not.toMatch(new RegExp(`${token}|${random}`));
  });

  it('looks into arguments, names of fields and long outputs too, and not into ids and encoded bytes', async () => {
    const bytes = Buffer.from(`first\n${token}\n`);
    const artifact = `artifact:${sha256Ref(bytes)}`;
    const log = new LogBuilder();
    log.event('session.start', { cwd: '/home/dev/app' }, { actor: 'system' });
    log.event('tool.call', {
      response: 'r',
      call_id: random,
      name: 'x',
      arguments: { data: token, [token]: 'a name' },
    });
    log.result('c', 'out', undefined, { truncated: { bytes: bytes.length, artifact } });
    log.event('message.thinking', { response: 'r', form: 'signed', opaque: { signature: random } });
    unwrap(
      await test.store.writer.decide({
        create: [{ id: 'sess_1', agent: 'claude', native_id: 'n', source: null, parent: null, parent_kind: null }],
        append: [{ session: 'sess_1', drafts: log.events.map(draftOf) }],
        artifacts: [{ bytes, media_type: 'text/plain' }],
      }),
    );
    const { findings } = await recheck();
    expect(findings.map(({ tier, seq, field }) => [tier, seq, field])).toEqual([
      ['definite', 1, '/arguments/data'],
      ['definite', 1, '/arguments'],
      ['definite', 2, `#${artifact.slice(-12)}`],
    ]);
  });

  it('stops when the one who is told of its progress throws', async () => {
    await seedSession(test.store);
    const [row] = (await test.store.reader.sessions({ offset: 0, limit: 1, empty: true })).rows;
    const stop = (): never => {
      throw new Error('enough');
    };
    await expect(recheckRedaction(test.store.reader, [row!], KEY, stop)).rejects.toThrow('enough');
  });
});
