import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelView } from '../../testing/model-view.ts';
import { PROPERTY_MS, propertyRuns } from '../../testing/property-runs.ts';
import type { Json } from '../json.ts';
import { rebuildRows } from '../rebuild.ts';
import { Engine, told, withFixture } from '../testing/native.ts';
import { sentByHermes, sentByUs } from '../testing/oracle.ts';

const ID = '20261129_131910_49bae0';

/** A writer beside the agent's own code: it does with rows what Hermes does. */
class Agent {
  readonly file: string;
  #time = 1_796_000_000;

  constructor(file: string) {
    this.file = file;
  }

  run<T>(work: (db: Database) => T): T {
    const db = new Database(this.file);
    // nobody cuts the power here
    db.pragma('synchronous = OFF');
    try {
      return work(db);
    } finally {
      db.close();
    }
  }

  row(role: string, content: string, more: Json = {}): void {
    const row: Json = { session_id: ID, role, content, timestamp: this.#time++, ...more };
    const names = Object.keys(row);
    this.run((db) =>
      db.prepare(`INSERT INTO messages (${names}) VALUES (${names.map(() => '?')})`).run(...Object.values(row)),
    );
  }

  turn(text: string, withTool: boolean): void {
    this.row('user', text);
    if (withTool) {
      const call = {
        id: `call_${this.#time}`,
        type: 'function',
        function: { name: 'terminal', arguments: '{"command": "ls"}' },
      };
      this.row('assistant', '', { tool_calls: JSON.stringify([call]) });
      this.row('tool', '{"output": "a", "exit_code": 0}', { tool_call_id: call.id, tool_name: 'terminal' });
    }
    this.row('assistant', `answer to ${text}`);
  }

  live(): Json[] {
    return this.run((db) =>
      db.prepare('SELECT * FROM messages WHERE session_id = ? AND active = 1 ORDER BY id').all(ID),
    ) as Json[];
  }

  undo(rows: number): void {
    for (const { id } of this.live().slice(-rows))
      this.run((db) => db.prepare('UPDATE messages SET active = 0 WHERE id = ?').run(id));
  }

  /** In place: the old rows are summed up, the ends of them written again around the summary. */
  compact(head: number, tail: number, text: string): void {
    const live = this.live();
    const first = live.slice(0, Math.min(head, live.length));
    const last = live.slice(Math.max(first.length, live.length - tail));
    this.run((db) =>
      db.prepare('UPDATE messages SET active = 0, compacted = 1 WHERE session_id = ? AND active = 1').run(ID),
    );
    const again = ({
      id: _,
      session_id: __,
      active: ___,
      compacted: ____,
      timestamp: _____,
      role,
      content,
      ...more
    }: Json): void =>
      this.row(
        String(role),
        content as string,
        Object.fromEntries(Object.entries(more).filter(([, value]) => value !== null)),
      );
    first.forEach(again);
    this.row('user', `[CONTEXT COMPACTION — REFERENCE ONLY] ${text}`);
    last.forEach(again);
  }
}

type Op =
  | { kind: 'turn'; text: string; tool: boolean }
  | { kind: 'undo'; n: number }
  | { kind: 'compact'; head: number; tail: number; text: string }
  | { kind: 'edit' | 'delete'; at: number }
  | { kind: 'look' };

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'ü', ' ', '漢'), minLength: 1, maxLength: 6 });
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('turn' as const), text: word, tool: fc.boolean() }) },
  fc.record({ kind: fc.constant('undo' as const), n: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('compact' as const), head: fc.nat(3), tail: fc.nat(3), text: word }),
  fc.record({ kind: fc.constantFrom('edit' as const, 'delete' as const), at: fc.nat(20) }),
  { weight: 3, arbitrary: fc.constant({ kind: 'look' as const }) },
);

function perform(agent: Agent, one: Op): void {
  if (one.kind === 'turn') agent.turn(one.text, one.tool);
  else if (one.kind === 'undo') agent.undo(one.n);
  else if (one.kind === 'compact') agent.compact(one.head, one.tail, one.text);
  else if (one.kind === 'edit' || one.kind === 'delete') {
    const live = agent.live();
    const row = live[one.at % Math.max(1, live.length)];
    if (row === undefined) return;
    if (one.kind === 'delete') agent.run((db) => db.prepare('DELETE FROM messages WHERE id = ?').run(row.id));
    else agent.run((db) => db.prepare("UPDATE messages SET content = content || '!' WHERE id = ?").run(row.id));
  }
}

describe('capturing a session again', () => {
  it('takes only what is new', () =>
    withFixture('simple-qa', async (engine, { hermes }) => {
      const agent = new Agent(join(hermes, 'state.db'));
      const before = engine.get(ID).events.length;
      agent.turn('One more', false);
      expect(await engine.run()).toEqual([`${agent.file}#${ID}`]);
      const { events, outcome } = engine.get(ID);
      expect(events.slice(before).map(({ type }) => type)).toEqual(['message.user', 'message.assistant']);
      expect([outcome.records, told(outcome)]).toEqual([2, 2]);
    }));

  it('follows an undo, and what is said instead', () =>
    withFixture('simple-qa', async (engine, { hermes }) => {
      const agent = new Agent(join(hermes, 'state.db'));
      agent.undo(2);
      await engine.run();
      const session = engine.get(ID);
      expect(sentByUs(modelView(session.events))).toEqual(sentByHermes(agent.file, ID));
      agent.turn('Instead', false);
      await engine.run();
      expect(sentByUs(modelView(session.events))).toEqual(sentByHermes(agent.file, ID));
      expect(session.events.filter(({ type }) => type === 'message.user')).toHaveLength(3);
    }));

  it('tells a new title and the end once', () =>
    withFixture('simple-qa', async (engine, { hermes }) => {
      const agent = new Agent(join(hermes, 'state.db'));
      agent.run((db) =>
        db.prepare("UPDATE sessions SET title = 'New name', ended_at = 1796000009.5, end_reason = 'cli_close'").run(),
      );
      await engine.run();
      await engine.run();
      const { events, facts } = engine.get(ID);
      expect(facts.title).toBe('New name');
      expect(events.filter(({ payload }) => payload.key === 'title')).toHaveLength(1);
      expect(events.filter(({ type }) => type === 'session.end').map(({ ts }) => ts)).toEqual([1796000009.5]);
    }));

  it('passes over what says nothing of a session: heartbeats, retries, reading marks', () =>
    withFixture('schema-v26', async (engine, { hermes }) => {
      new Agent(join(hermes, 'state.db')).run((db) =>
        db.prepare('UPDATE sessions SET last_activity_at = 5, last_read_at = 6, compression_fallback_streak = 3').run(),
      );
      expect(await engine.run()).toEqual([]);
    }));

  it('sees rows that are only in the write-ahead log, and leaves the files as they are', () =>
    withFixture('wal-open', async (engine, { env, hermes }) => {
      const files = (): unknown[] =>
        readdirSync(hermes).map((name) => [name, readFileSync(join(hermes, name), 'latin1')]);
      const before = files();
      expect(engine.sessions.size).toBe(2);
      await new Engine(env).run();
      expect(files()).toEqual(before);
      expect(before).toHaveLength(2);
    }));

  it('waits for no writer', () =>
    withFixture('simple-qa', async (_, { env, hermes }) => {
      const writer = new Database(join(hermes, 'state.db'));
      writer.exec('BEGIN IMMEDIATE');
      const engine = new Engine(env);
      await engine.run();
      writer.exec('ROLLBACK');
      writer.close();
      expect(engine.get(ID).events.length).toBeGreaterThan(4);
    }));

  it(
    'stays with what Hermes sends, whatever is done to the rows, and writes nothing twice',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(op, { minLength: 1, maxLength: 14 }), (ops) =>
          withFixture('simple-qa', async (_, { env, hermes }) => {
            const agent = new Agent(join(hermes, 'state.db'));
            const engine = new Engine(env);
            await engine.run();
            for (const one of [...ops, { kind: 'look' as const }]) {
              perform(agent, one);
              if (one.kind !== 'look') continue;
              await engine.run();
              const session = engine.get(ID);
              expect(sentByUs(modelView(session.events))).toEqual(sentByHermes(agent.file, ID));
              expect(told(session.outcome)).toBe(session.outcome.records);
              const size = session.events.length;
              expect(await engine.run()).toEqual([]);
              expect(session.events).toHaveLength(size);
              const flags = new Map<unknown, unknown[]>();
              for await (const { row } of rebuildRows(session.events, session.sink.read))
                flags.set(row.id, [row.active ?? 1, row.compacted ?? 0]);
              const rows = agent.run((db) => db.prepare('SELECT id, active, compacted FROM messages').all()) as Json[];
              for (const { id, active, compacted } of rows) expect(flags.get(id)).toEqual([active, compacted]);
            }
          }),
        ),
        propertyRuns(40, 11),
      );
    },
    PROPERTY_MS,
  );
});
