import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFixtures, readFixtureFile } from '../../../fixtures/load.ts';
import { SummaryProjector } from '../../../src/core/view/summary.ts';
import type { SessionEvent } from '../../../src/shared/events.ts';
import { modelView } from '../../testing/model-view.ts';
import { type Captured, told, withFixture } from '../testing/native.ts';
import { sentByHermes, sentByUs } from '../testing/oracle.ts';

function rowOf({ events, facts }: Captured) {
  const projector = new SummaryProjector();
  for (const event of events) projector.add(event.seq, event);
  projector.facts(facts);
  return projector.row();
}

const texts = (events: readonly SessionEvent[], type: string): string[] =>
  events
    .filter((event) => event.type === type)
    .map(({ payload }) => (payload.content as { text?: string }[]).map(({ text }) => text ?? '').join('|'));

/** Ids of the rows that were copied from the session's parent. */
function copiesIn({ events, ref }: Captured): string[] {
  const copies = events.filter(({ origin }) => origin?.session !== undefined);
  for (const { origin } of copies) expect(origin?.session).toBe(ref.parent?.native_id);
  return [...new Set(copies.map(({ origin }) => origin!.native_id!))];
}

/** user, assistant, tool_call, tool_result, thinking, image, compaction of each session of each fixture. */
const SPLIT = ['1 1 1 1 1 0 0', '1 1 0 0 0 0 1'];
const UPGRADED = ['1 1 1 1 1 0 0', '2 2 0 0 0 0 1'];
const COUNTS: Record<string, string[]> = {
  'api-content': ['3 3 0 0 0 0 0'],
  'branch-undo': ['2 2 0 0 0 0 0', '3 3 0 0 0 0 0'],
  chinese: ['1 2 1 1 1 0 0'],
  'chinese-agent': ['1 1 0 0 1 0 0'],
  'cjk-index': ['1 1 0 0 0 0 0'],
  'compression-inplace': ['10 9 0 0 0 0 2'],
  'compression-rotate': ['6 6 0 0 0 0 0', '8 9 0 0 0 0 1', '2 3 0 0 0 0 1'],
  'image-described': ['1 1 0 0 0 0 0'],
  'image-described-2': ['2 2 0 0 0 0 0'],
  'legacy-gateway': ['1 1 1 1 0 0 0'],
  'legacy-snapshot': ['1 2 1 1 1 0 0'],
  multimodal: ['3 3 1 1 0 1 0'],
  'reasoning-agent': ['3 3 1 1 4 0 0'],
  'reasoning-api': ['2 2 1 1 2 0 0'],
  'schema-v06': SPLIT,
  'schema-v11': SPLIT,
  'schema-v16': SPLIT,
  'schema-v17': SPLIT,
  'schema-v22': SPLIT,
  'schema-v23': SPLIT,
  'schema-v26': SPLIT,
  'schema-v30': ['3 3 1 1 0 0 1', '1 1 0 0 0 0 0', '1 1 0 0 0 0 0'],
  secrets: ['2 2 1 1 1 0 0'],
  'simple-qa': ['2 2 0 0 0 0 0'],
  sources: ['1 1 1 1 0 0 0', ...Array.from({ length: 6 }, () => '1 1 0 0 0 0 0'), '0 0 0 0 0 0 0'],
  'tool-calls': ['1 2 6 6 0 0 0'],
  'upgraded-v11-to-v23': UPGRADED,
  'upgraded-v17-to-v23': UPGRADED,
  'wal-open': ['2 2 0 0 0 0 0', '1 1 0 0 0 0 0'],
};

const fixtures = await listFixtures('hermes');

describe('capture of the Hermes fixtures', () => {
  it.each(fixtures)('%s: accounts for each record, and a second look finds nothing', (name) =>
    withFixture(name, async (engine) => {
      expect(engine.sessions.size).toBeGreaterThan(0);
      for (const { outcome } of engine.sessions.values()) expect(told(outcome)).toBe(outcome.records);
      const sizes = [...engine.sessions.values()].map(({ events }) => events.length);
      const again = await engine.run();
      expect(again.filter((path) => path.includes('#'))).toEqual([]);
      expect([...engine.sessions.values()].map(({ events }) => events.length)).toEqual(sizes);
    }),
  );

  it.each(fixtures.filter((name) => name !== 'secrets' && name !== 'legacy-snapshot'))(
    '%s: the model view is what Hermes sends on resume',
    (name) =>
      withFixture(name, (engine, { hermes }) => {
        for (const session of engine.sessions.values()) {
          if (session.source.path.includes('#') === false) continue;
          const sent = sentByHermes(join(hermes, 'state.db'), session.source.native_id);
          expect(sentByUs(modelView(session.events)), session.source.native_id).toEqual(sent);
        }
      }),
  );

  it.each(fixtures)('%s: has the counts that are known of it', (name) =>
    withFixture(name, (engine) => {
      const counts = [...engine.sessions.values()].map((session) => Object.values(rowOf(session).counts).join(' '));
      expect(counts).toEqual(COUNTS[name]);
    }),
  );
});

describe('what Hermes keeps in places of its own', () => {
  it('tells usage as the session columns have it, and no size of a context from it', () =>
    withFixture('reasoning-api', (engine) => {
      const row = rowOf(engine.get('20260921_140640_a1b2c3'));
      expect(row.usage).toEqual({ input: 2100, output: 300, cache_read: 1500, cache_write: 0, reasoning: 180 });
      expect(row.context_tokens).toBeNull();
    }));

  it('puts recalled memory beside the prompt, so that the prompt is what the person said', () =>
    withFixture('api-content', (engine) => {
      const { events } = engine.get('20260921_150000_0a1b2c');
      expect(texts(events, 'message.user')).toEqual(['Good morning!', 'What does this log line mean?', 'yes']);
      expect(texts(events, 'message.system').filter((text) => text.includes('likes tea'))).toHaveLength(2);
      expect(texts(events, 'message.system')).toContain('[Alice] lunch?');
    }));

  it('keeps what was undone beside the branch, and compactions with what they kept', () =>
    withFixture('branch-undo', (engine) => {
      const session = engine.get('20261129_132300_4b17f3');
      expect(session.ref.parent).toEqual({ kind: 'fork', native_id: '20261129_132231_6d78c2' });
      expect(texts(session.events, 'message.user')).toContain('Go on in the branch');
      expect(texts(modelView(session.events), 'message.user')).not.toContain('Go on in the branch');
    }));

  it('has each message of a session that was compacted in place once on its branch', () =>
    withFixture('compression-inplace', (engine) => {
      const { events } = engine.get('20261129_132514_d5d1fe');
      const [first, second] = events.filter(({ type }) => type === 'context.compacted');
      const user = (text: string) =>
        events.find(({ type, payload }) => type === 'message.user' && JSON.stringify(payload).includes(text))!.seq;
      expect(first!.payload.kept).toContain(user('Question 1'));
      expect(first!.payload.kept_first).toBe(true);
      expect(first!.refs).toContain(`seq:${user('Question 5')}`);
      expect(second!.payload.kept).toEqual([]);
    }));

  it('tells the four meanings of parent_session_id apart', async () => {
    await withFixture('sources', (engine) => {
      const parent = { kind: 'subagent', native_id: '20260921_190000_aaaa01', call_id: 'call_d1' };
      expect(engine.get('20260921_190001_dddd01').ref.parent).toEqual(parent);
      expect(engine.get('20260921_190002_dddd02').ref.parent).toEqual(parent);
      const reset = engine.get('20260922_080000_7e1e98');
      expect(reset.ref.parent).toEqual({ kind: 'reset', native_id: '20260922_070000_7e1e97' });
      expect(copiesIn(reset)).toEqual([]);
      expect(reset.events[0]!.payload.config).toMatchObject({ reset_from: '20260922_070000_7e1e97' });
      expect(engine.get('20260922_090000_a4c41e').facts.archived).toBe(true);
    });
    await withFixture('compression-rotate', (engine) => {
      const parent = { kind: 'continuation', native_id: '20261129_132347_2e0220' };
      expect(engine.get('20261129_132418_37a1bd').ref.parent).toEqual(parent);
    });
  });

  it('tells what a branch and a continuation copied, though it has other ids and other times', async () => {
    await withFixture('branch-undo', (engine) => {
      const branch = engine.get('20261129_132300_4b17f3');
      expect(branch.ref.parent).toEqual({ kind: 'fork', native_id: '20261129_132231_6d78c2' });
      expect(branch.events.slice(0, 2).map(({ type }) => type)).toEqual(['session.start', 'session.fork']);
      expect(copiesIn(branch)).toEqual(['5', '6', '7', '8']);
      expect(copiesIn(engine.get('20261129_132231_6d78c2'))).toEqual([]);
    });
    await withFixture('compression-rotate', (engine) => {
      expect(copiesIn(engine.get('20261129_132418_37a1bd'))).toEqual(['13', '14', '15', '17', '18', '19']);
      expect(copiesIn(engine.get('20261129_132444_d374ac'))).toEqual(['32', '33', '34']);
    });
  });

  it('reads failures and exit codes from what tools say', () =>
    withFixture('tool-calls', (engine) => {
      const { events } = engine.get('20261129_131937_3260c3');
      const results = events.filter(({ type }) => type === 'tool.result').map(({ payload }) => payload);
      expect(results.map(({ is_error }) => is_error)).toEqual([false, true, true, false, false, true]);
      expect(results.map(({ exit_code }) => exit_code)).toEqual([0, undefined, 3, undefined, undefined, undefined]);
      const derived = events.filter(({ type }) => type === 'command.run' || type === 'file.edit');
      expect(derived.map(({ payload }) => payload.cmd ?? payload.path)).toEqual([
        'echo hello-from-hermes && ls',
        'exit 3',
        '/home/dev/hms/work/proj/notes.txt',
        '/home/dev/hms/work/proj/notes.txt',
      ]);
    }));

  it('reads structured content, its pictures as artifacts', () =>
    withFixture('multimodal', async (engine) => {
      const { events, sink } = engine.get('20260921_160000_0d0e0f');
      const [said] = events.filter(({ type }) => type === 'message.user');
      const [text, image] = said!.payload.content as { kind: string; text?: string; artifact?: string }[];
      expect(text).toEqual({ kind: 'text', text: 'What is this? 这是什么?' });
      expect(
        Buffer.from(await sink.read(image!.artifact!))
          .subarray(1, 4)
          .toString(),
      ).toBe('PNG');
    }));

  it('has reasoning once, with the provider data whole', () =>
    withFixture('reasoning-api', (engine) => {
      const { events } = engine.get('20260921_140640_a1b2c3');
      const thoughts = events.filter(({ type }) => type === 'message.thinking').map(({ payload }) => payload);
      expect(thoughts.map(({ text, form }) => [text, form])).toEqual([
        ['Classic proof by contradiction.', 'signed'],
        ['I need sympy.', 'summary'],
      ]);
      expect(JSON.stringify(thoughts[0]!.opaque)).toContain('c2lnLTE=');
      expect(JSON.stringify(thoughts[1]!.opaque)).toContain('gAAAAfake');
    }));

  it('lets no secret through', () =>
    withFixture('secrets', async (engine) => {
      const scenario = await readFixtureFile('hermes', 'secrets', 'scenario.json');
      const { secrets } = JSON.parse(scenario!.toString()) as {
        secrets: { env: Record<string, string>; cookie: string };
      };
      const values = Object.values(secrets.env);
      expect(values.length).toBeGreaterThan(10);
      const session = engine.get('20260921_180000_5ec7e7');
      const all =
        JSON.stringify([session.events, session.facts]) +
        [...session.sink.artifacts.values()].map(({ bytes }) => Buffer.from(bytes).toString()).join();
      // A cookie named in a sentence is no definite secret; one value happens to be a part of it.
      const rest = all.replaceAll(secrets.cookie, '');
      for (const value of values) expect(rest).not.toContain(value);
    }));

  it('reads a session file that its database does not hold', () =>
    withFixture('legacy-snapshot', (engine) => {
      const { events } = engine.get('20261129_133813_0ff691');
      expect(texts(events, 'message.assistant')).toEqual(['Let me look.', 'It printed hi.']);
    }));
});
