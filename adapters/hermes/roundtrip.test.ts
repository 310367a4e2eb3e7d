import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFixtures } from '../../fixtures/load.ts';
import type { SessionSource } from '../contract.ts';
import { modelView } from '../testing/model-view.ts';
import { TestSession } from '../testing/session.ts';
import { type Captured, Engine, tempHome, withFixture } from './testing/native.ts';
import { type Said, sentByHermes } from './testing/oracle.ts';
import { handOver, ID, layHome, writeOptions } from './testing/target.ts';

const sourceOf = (session: Captured): SessionSource => {
  const { row } = new TestSession('hermes').source();
  return {
    row: { ...row, agent: 'hermes' },
    async *model() {
      yield* modelView(session.events);
    },
    artifact: session.sink.read,
  };
};

/** Without the memory that Hermes recalls for each request afresh. */
const comparable = (said: Said[]): Said[] =>
  said
    .map((one) => ({ ...one, text: one.text.replace(/<memory-context>.*?<\/memory-context>/g, '').trim() }))
    .filter(({ text, calls }) => text !== '' || calls.length > 0);

const fixtures = (await listFixtures('hermes')).filter((name) => !name.startsWith('legacy') && name !== 'secrets');

describe('from Hermes to Hermes', () => {
  it.each(fixtures)('%s: the new session sends what the old one sends', (name) =>
    withFixture(name, async (engine, { hermes }) => {
      for (const session of engine.sessions.values()) {
        const sent = comparable(sentByHermes(join(hermes, 'state.db'), session.source.native_id));
        if (sent.length === 0) continue;
        const other = tempHome();
        try {
          await layHome('schema-v26', other.env);
          await handOver(sourceOf(session), writeOptions(other.env));
          expect(comparable(sentByHermes(join(other.hermes, 'state.db'), ID))).toEqual(sent);
        } finally {
          other.dispose();
        }
      }
    }),
  );
});

describe('a transcript of an old gateway', () => {
  const name = '20261129_135411_7310c89d.jsonl';

  it('is read alone where the database knows less of it, grows, and tells its damage once', async () => {
    const home = tempHome();
    try {
      await layHome('legacy-gateway', home.env);
      const file = join(home.hermes, 'sessions', name);
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      lines.splice(2, 0, '{"role": "assistant", "content": "cut', '{"role": "user", "content": "one more"}');
      writeFileSync(file, `${lines.join('\n')}\n`);
      const engine = new Engine(home.env);
      await engine.run();
      const session = [...engine.sessions.values()].find(({ source }) => source.path === file)!;
      expect(session.warnings.map(({ about, line }) => [about, line])).toEqual([['malformed-line', 3]]);
      const size = session.events.length;
      await engine.run();
      expect(session.events).toHaveLength(size);
      appendFileSync(file, '{"role": "user", "content": "later", "timestamp": "2026-03-01T12:00:09"}\n');
      await engine.run();
      expect(session.events.slice(size).map(({ type }) => type)).toEqual(['message.user']);
    } finally {
      home.dispose();
    }
  });
});
