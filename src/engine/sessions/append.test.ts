import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppendInput } from '../../shared/append.ts';
import { unwrap } from '../../shared/errors.ts';
import { eventSchema, type SessionEvent } from '../../shared/events.ts';
import { openEngine } from '../engine.ts';
import { type Lab, makeLab } from '../handoff/testing.ts';

let lab: Lab;
beforeEach(async () => {
  lab = await makeLab(['simple-qa']);
});
afterEach(() => lab.close());

const local = () => lab.engine.local;

async function newSession(more: object = {}): Promise<string> {
  return unwrap(await local().createSession({ agent: 'mybot', cwd: '/home/dev/app', ...more })).session.id;
}

async function eventsOf(id: string): Promise<SessionEvent[]> {
  return unwrap(await local().tail(id, 0, 1000)).events;
}

const prompt = (text: string): AppendInput => ({ type: 'message.user', payload: { content: text } });
const secret = (): string => ['ghp', '_', 'Zk3v9QmX7LpR2sT8wY4bN6cD1fG5hJ0aVeUx'].join('');

describe('a session of ours', () => {
  it('is made once for an operation, and listed as soon as something is said', async () => {
    const wanted = { agent: 'mybot', cwd: '/home/dev/app', title: 'Nightly triage', model: 'm1' };
    const made = unwrap(await local().createSession(wanted, 'op'));
    expect(made).toMatchObject({
      replayed: false,
      session: {
        agent: 'mybot',
        title: 'Nightly triage',
        title_from: 'user',
        cwd: '/home/dev/app',
        model: 'm1',
        source: null,
      },
    });
    expect(unwrap(await local().createSession(wanted, 'op'))).toEqual({ ...made, replayed: true });
    expect(await local().createSession({ ...wanted, model: 'm2' }, 'op')).toMatchObject({
      ok: false,
      error: { code: 'operation_id_conflict' },
    });
    unwrap(await local().append(made.session.id, [prompt('hello')]));
    const { rows } = unwrap(await lab.engine.call('sessions.list', { agent: 'mybot' }));
    expect(rows).toMatchObject([{ id: made.session.id, first_prompt: 'hello', counts: { user: 1 } }]);
    expect(unwrap(await lab.engine.call('verify.session', { id: made.session.id }))).toMatchObject({ ok: true });
  });

  it('says what is wrong with it', async () => {
    for (const wanted of [{ agent: 'My Bot' }, { agent: 'mybot', cwd: '' }, { agent: 'mybot', colour: 'red' }])
      expect(await local().createSession(wanted as never)).toMatchObject({
        ok: false,
        error: { code: 'invalid_request' },
      });
  });
});

describe('an append', () => {
  it('numbers, times, chains and hangs the events on each other', async () => {
    const id = await newSession();
    const said: AppendInput[] = [
      prompt('Run the tests'),
      { type: 'message.assistant', payload: { content: 'Running.', response: 'r1' } },
      {
        type: 'tool.call',
        payload: { response: 'r1', call_id: 'c1', name: 'sh', arguments: { cmd: 'npm test' }, tool: 'shell' },
      },
      { type: 'tool.result', payload: { call_id: 'c1', content: 'ok', exit_code: 0 } },
    ];
    expect(unwrap(await local().append(id, said))).toEqual({
      session: id,
      seqs: [1, 2, 3, 4],
      redacted: 0,
      replayed: false,
    });
    const events = await eventsOf(id);
    for (const event of events) expect(eventSchema.parse(event)).toEqual(event);
    expect(events.slice(1).map(({ type, actor, parent_seq }) => [type, actor, parent_seq])).toEqual([
      ['message.user', 'user', null],
      ['message.assistant', 'agent:mybot', 1],
      ['tool.call', 'agent:mybot', 2],
      ['tool.result', 'system', 3],
    ]);
    expect(events[1]!.payload).toEqual({ content: [{ kind: 'text', text: 'Run the tests' }], via: 'prompt' });
    expect(events[1]!.ts).toBeGreaterThan(1.7e9);
    expect(unwrap(await lab.engine.call('sessions.get', { id }))).toMatchObject({
      branches: 1,
      counts: { user: 1, assistant: 1, tool_call: 1, tool_result: 1 },
      status: 'idle',
    });
  });

  it('begins a branch where it is told to', async () => {
    const id = await newSession();
    unwrap(await local().append(id, [prompt('one'), prompt('two')]));
    unwrap(await local().append(id, [{ ...prompt('instead of two'), parent_seq: 1 }]));
    expect(unwrap(await lab.engine.call('sessions.get', { id }))).toMatchObject({ branches: 2, counts: { user: 2 } });
  });

  it('stores no secret, and says how many it took out', async () => {
    const id = await newSession();
    const call = { call_id: 'c', name: 'sh', arguments: { data: `echo ${secret()}` } };
    const given: AppendInput[] = [prompt(`use ${secret()}`), { type: 'tool.call', payload: call }];
    expect(unwrap(await local().append(id, given))).toMatchObject({ redacted: 2 });
    expect(unwrap(await local().append(id, [prompt(`again ${secret()}`)]))).toMatchObject({ redacted: 1 });
    const text = JSON.stringify(await eventsOf(id));
    expect(text).not.toContain(secret());
    expect(text.match(/\[REDACTED:github-token:1\]/g)).toHaveLength(3);
    expect(unwrap(await lab.engine.call('sessions.get', { id })).redactions).toBe(3);
    expect(given[0]!.payload.content).toContain(secret());
  });

  it('stores no secret under a name that other events have an id under', async () => {
    const id = await newSession();
    const said = (text: string): AppendInput[] => [
      { type: 'note.review', payload: { data: text, id: text, deep: [{ signature: text, kind: text }] } },
      { type: 'memory.write', payload: { key: 'access', value: { uuid: text } } },
      { type: 'tool.call', payload: { call_id: 'c1', name: 'Http', arguments: { id: text } } },
    ];
    unwrap(await local().append(id, said(secret())));
    expect(JSON.stringify(await eventsOf(id))).not.toContain(secret());
    const [note] = (await eventsOf(id)).slice(1);
    expect(note?.payload).toEqual(said('[REDACTED:github-token:1]')[0]?.payload);
  });

  it('keeps long output beside the event, head and tail in it', async () => {
    const id = await newSession();
    const lines = Array.from({ length: 3000 }, (_, i) => `line ${i} é`).join('\n');
    unwrap(await local().append(id, [{ type: 'tool.result', payload: { call_id: 'c', content: lines } }]));
    const { content, truncated } = (await eventsOf(id))[1]!.payload as never as {
      content: [{ text: string }];
      truncated: { artifact: string; bytes: number };
    };
    expect(Buffer.byteLength(content[0].text)).toBeLessThan(9000);
    const whole = unwrap(await lab.engine.call('artifacts.get', { hash: truncated.artifact }));
    expect(Buffer.from(whole.base64, 'base64').toString()).toBe(lines);
  });

  it('is whole or not done: one event that is wrong stops all, with its place', async () => {
    const id = await newSession();
    const wrong: [unknown, unknown[]][] = [
      [{ type: 'Message', payload: {} }, ['type']],
      [{ type: 'message.user', payload: {} }, ['payload', 'content']],
      [{ type: 'tool.call', payload: { name: 'x', arguments: {} } }, ['payload', 'call_id']],
      [{ type: 'handoff', payload: {} }, ['type']],
      [{ type: 'session.fork', payload: {} }, ['type']],
      [{ type: 'meta', payload: { key: 'leaf', value: 0 } }, ['payload', 'key']],
      [{ type: 'note.risk', payload: {}, actor: 'nobody' }, ['actor']],
      [{ type: 'note.risk', payload: {}, seq: 3 }, []],
      [{ ...prompt('x'), parent_seq: 99 }, ['parent_seq']],
    ];
    for (const [event, path] of wrong) {
      const result = await local().append(id, [prompt('fine'), event as AppendInput]);
      expect(result).toMatchObject({ ok: false, error: { code: 'invalid_request', details: { event: 1, path } } });
    }
    const gone = `artifact:sha256:${'0'.repeat(64)}`;
    const image = { kind: 'image', media_type: 'image/png', artifact: gone, bytes: 1 };
    expect(await local().append(id, [{ type: 'message.user', payload: { content: [image] } }])).toMatchObject({
      error: { code: 'not_found' },
    });
    expect(await eventsOf(id)).toHaveLength(1);
  });

  it('is done once for an operation', async () => {
    const id = await newSession();
    const first = unwrap(await local().append(id, [prompt('once')], 'op'));
    expect(unwrap(await local().append(id, [prompt('once')], 'op'))).toEqual({ ...first, replayed: true });
    expect(await local().append(id, [prompt('twice')], 'op')).toMatchObject({
      error: { code: 'operation_id_conflict' },
    });
    const both = await Promise.all([1, 2].map(() => local().append(id, [prompt('at once')], 'op2')));
    expect(new Set(both.map((result) => JSON.stringify(unwrap(result).seqs))).size).toBe(1);
    expect(await eventsOf(id)).toHaveLength(3);
  });

  it('of several programs at once makes one line of events and loses none', async () => {
    const id = await newSession();
    const other = openEngine(lab.options);
    try {
      const engines = [lab.engine, other];
      const texts = Array.from({ length: 24 }, (_, i) => `message ${i}`);
      await Promise.all(texts.map(async (text, i) => unwrap(await engines[i % 2]!.local.append(id, [prompt(text)]))));
      const events = (await eventsOf(id)).slice(1);
      expect(events.map(({ payload }) => (payload.content as [{ text: string }])[0].text).toSorted()).toEqual(
        texts.toSorted(),
      );
      expect(events.map(({ parent_seq }) => parent_seq)).toEqual(events.map((_, i) => (i === 0 ? null : i)));
      expect(unwrap(await lab.engine.call('verify.session', { id }))).toMatchObject({ ok: true });
    } finally {
      await other.close();
    }
  });

  it('of several programs at once, with checkpoints between, gives each secret a number of its own', async () => {
    const id = await newSession();
    const other = openEngine(lab.options);
    try {
      const engines = [lab.engine, other];
      const numbered = (i: number): string => `${secret().slice(0, -2)}${String(i).padStart(2, '0')}`;
      await Promise.all(
        Array.from({ length: 16 }, async (_, i) => {
          const engine = engines[i % 2]!;
          if (i % 4 < 2) unwrap(await engine.local.append(id, [prompt(numbered(i))]));
          else unwrap(await engine.call('sessions.checkpoint', { id, label: numbered(i) }));
        }),
      );
      const said = (await eventsOf(id)).slice(1).map(({ payload }) => JSON.stringify(payload.label ?? payload.content));
      expect(said.filter((text) => text.includes('[REDACTED:github-token:'))).toHaveLength(16);
      expect(new Set(said.map((text) => /:\d+\]/.exec(text)?.[0])).size).toBe(16);
    } finally {
      await other.close();
    }
  });

  it('puts remarks, and nothing that it did not say, into an agent’s session', async () => {
    const { id, events } = lab.session;
    const remarks: AppendInput[] = [
      { type: 'note.risk', payload: { text: 'the API is rate limited' } },
      { type: 'decision', payload: { conclusion: 'keep it' } },
      { type: 'memory.write', payload: { key: 'db', value: 'postgres' } },
      { type: 'meta', payload: { key: 'label', value: 'good one' } },
    ];
    expect(unwrap(await local().append(id, remarks)).seqs).toEqual([events, events + 1, events + 2, events + 3]);
    for (const event of [prompt('hi'), { type: 'meta', payload: { key: 'usage', value: { input: 9 } } }])
      expect(await local().append(id, [event])).toMatchObject({ ok: false, error: { code: 'scope_denied' } });
    expect(unwrap(await lab.engine.call('sessions.get', { id }))).toMatchObject({ counts: lab.session.counts });
  });

  it('keeps any payload as it was given, secrets aside', async () => {
    const id = await newSession();
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), async (payload) => {
        const plain = JSON.parse(JSON.stringify(payload)) as Record<string, unknown>;
        const { seqs } = unwrap(await local().append(id, [{ type: 'x.anything', payload: plain }]));
        const event = unwrap(await lab.engine.call('events.get', { id, seq: seqs[0]! }));
        expect(event.payload).toEqual(plain);
      }),
      { numRuns: 40 },
    );
  });
});

describe('reading on', () => {
  it('gives what came since, and where to go on', async () => {
    const id = await newSession();
    unwrap(await local().append(id, [prompt('one'), prompt('two'), prompt('three')]));
    const first = unwrap(await local().tail(id, 0, 2));
    expect([first.events.map(({ seq }) => seq), first.next, first.head_seq]).toEqual([[0, 1], 2, 3]);
    const rest = unwrap(await local().tail(id, first.next, 1000));
    expect([rest.events.map(({ seq }) => seq), rest.next]).toEqual([[2, 3], 4]);
    expect(unwrap(await local().tail(id, 4, 10))).toMatchObject({ events: [], next: 4, head_seq: 3 });
  });
});

describe('a manifest', () => {
  it('is signed at the head of the log, and known for what was signed alone', async () => {
    const id = await newSession({ title: 'T' });
    const manifest = unwrap(await local().signManifest(id));
    expect(manifest).toMatchObject({ session_id: id, event_count: 2, first_seq: 0, last_seq: 1, version: 1 });
    expect(JSON.stringify(manifest)).not.toContain('/home/dev');
    expect(unwrap(await local().signManifest(id))).toEqual(manifest);
    expect(unwrap(await local().verifyManifest(manifest))).toMatchObject({ ok: true, known: true });
    expect(unwrap(await local().verifyManifest({ ...manifest, event_count: 3 }))).toMatchObject({
      ok: false,
      known: true,
    });
    unwrap(await local().append(id, [prompt('more')]));
    expect(unwrap(await local().signManifest(id))).toMatchObject({ event_count: 3, version: 2 });
    expect(await local().verifyManifest({ a: 1 })).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
  });

  it('of a fork counts its own log and names what it was forked off', async () => {
    const { session } = unwrap(await lab.engine.call('sessions.fork', { id: lab.session.id, at_seq: 2 }));
    expect(unwrap(await local().signManifest(session.id))).toMatchObject({
      parent_session: lab.session.id,
      lineage: { root: lab.session.id, fork_of: lab.session.id },
      first_seq: 0,
    });
  });
});
