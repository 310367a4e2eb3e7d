import { afterEach, describe, expect, it } from 'vitest';
import { modelView } from '../../testing/model-view.ts';
import type { Json } from '../json.ts';
import { databaseHome, type TestHome } from '../testing/database.ts';
import { type Captured, Captures, texts } from '../testing/native.ts';

const SESSION = 'ses_dd8786d5dffe2IDH023Csuzylq';
const USER = 'msg_227879324001ksqu8X2rsLvuwh';
const ANSWER = 'msg_2278798e100101Fw2mmnsYeU9x';
const LATER = 1_795_959_540_000;

let home: TestHome;
afterEach(() => home.dispose());

/** The only session of 01-simple-qa, captured once; `next` captures again and gives what was read. */
async function begun(): Promise<{ session: Captured; next: () => Promise<Captured[]> }> {
  home = await databaseHome('01-simple-qa');
  const captures = new Captures(home.env);
  const [session] = await captures.next();
  return { session: session!, next: () => captures.next() };
}

function message(id: string, data: Json, parts: Json[], at = LATER): void {
  home.change((db) => {
    db.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)').run(
      id,
      SESSION,
      at,
      at,
      JSON.stringify({ time: { created: at }, ...data }),
    );
    for (const [n, part] of parts.entries())
      db.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)').run(
        `${id.replace('msg', 'prt')}${n}`,
        id,
        SESSION,
        at,
        at,
        JSON.stringify(part),
      );
  });
}

function prompt(id: string, text: string, at = LATER): void {
  message(
    id,
    { role: 'user', agent: 'build', model: { providerID: 'fake', modelID: 'fake-chat-1' } },
    [{ type: 'text', text }],
    at,
  );
}

function setPart(id: string, part: Json): void {
  home.change((db) => db.prepare('UPDATE part SET data = ? WHERE id = ?').run(JSON.stringify(part), id));
}

function setSession(column: string, value: unknown): void {
  home.change((db) => db.prepare(`UPDATE session SET ${column} = ? WHERE id = ?`).run(value, SESSION));
}

const said = (session: Captured): string[] =>
  texts(modelView(session.events), 'message.user').concat(texts(modelView(session.events), 'message.assistant'));

describe('a database that is looked at again', () => {
  it('gives nothing when nothing has changed, and leaves no file beside it', async () => {
    const { session, next } = await begun();
    const before = session.events.length;
    expect(await next()).toEqual([]);
    expect(session.events).toHaveLength(before);
    expect(home.rows('PRAGMA journal_mode')).toBeDefined();
  });

  it('gives only what was added', async () => {
    const { session, next } = await begun();
    const before = session.events.length;
    prompt('msg_2278', 'And of Spain?');
    expect(await next()).toHaveLength(1);
    expect(session.events.slice(before).map(({ type, payload }) => [type, payload.key])).toEqual([
      ['message.user', undefined],
      ['meta', 'record'],
    ]);
    expect(session.outcome.records).toBe(2);
    expect(said(session)).toEqual(['"What is the capital of France?"', 'And of Spain?', 'Paris.']);
  });

  it('sees a change of the same length and time', async () => {
    const { session, next } = await begun();
    setPart('prt_227879c64001FKe0nRaWwbLOpw', {
      type: 'text',
      text: 'Lyons.',
      time: { start: 1795959528548, end: 1795959528552 },
    });
    expect(await next()).toHaveLength(1);
    expect(said(session)).toEqual(['"What is the capital of France?"', 'Lyons.']);
    expect(texts(session.events, 'message.assistant')).toEqual(['Paris.', 'Lyons.']);
  });

  it('keeps the new record of a message without telling its words again', async () => {
    const { session, next } = await begun();
    const words = session.events.filter(({ type }) => type.startsWith('message.')).length;
    home.change((db) =>
      db.prepare("UPDATE message SET data = json_set(data, '$.summary.diffs', json('[1]')) WHERE id = ?").run(USER),
    );
    await next();
    expect(session.events.filter(({ type }) => type.startsWith('message.'))).toHaveLength(words);
    expect(JSON.stringify(session.events.at(-1))).toContain('"diffs":[1]');
  });

  it('follows a tool from its call to its result', async () => {
    const { session, next } = await begun();
    const call = { type: 'tool', tool: 'bash', callID: 'c1' };
    const input = { command: 'ls' };
    message('msg_2279', { role: 'assistant', modelID: 'm', providerID: 'p', parentID: USER }, [
      { ...call, state: { status: 'pending', input: {}, raw: '' } },
    ]);
    await next();
    expect(session.events.some(({ type }) => type === 'tool.call')).toBe(false);
    setPart('prt_22790', { ...call, state: { status: 'running', input, time: { start: LATER } } });
    await next();
    setPart('prt_22790', {
      ...call,
      state: { status: 'running', input, time: { start: LATER }, metadata: { output: 'a' } },
    });
    await next();
    expect(session.events.filter(({ type }) => type === 'tool.call')).toHaveLength(1);
    expect(session.events.some(({ type }) => type === 'tool.result')).toBe(false);
    setPart('prt_22790', {
      ...call,
      state: {
        status: 'completed',
        input,
        output: 'a\n',
        title: '',
        metadata: { exit: 0 },
        time: { start: LATER, end: LATER + 5 },
      },
    });
    await next();
    const results = session.events.filter(({ type }) => type === 'tool.result');
    expect(results.map(({ payload }) => payload)).toMatchObject([{ call_id: 'c1', exit_code: 0, duration_ms: 5 }]);
    expect(
      modelView(session.events)
        .map(({ type }) => type)
        .slice(-2),
    ).toEqual(['tool.call', 'tool.result']);
  });

  it('puts a result that was cleared later in place of the first one', async () => {
    const { session, next } = await begun();
    const state = {
      status: 'completed',
      input: {},
      output: 'long',
      title: '',
      metadata: {},
      time: { start: LATER, end: LATER },
    };
    const call = { type: 'tool', tool: 'read', callID: 'c1' };
    message('msg_2279', { role: 'assistant', modelID: 'm', providerID: 'p', parentID: USER, finish: 'tool-calls' }, [
      { ...call, state },
    ]);
    prompt('msg_227a', 'Go on.', LATER + 1);
    await next();
    setPart('prt_22790', { ...call, state: { ...state, time: { ...state.time, compacted: LATER } } });
    await next();
    expect(texts(modelView(session.events), 'tool.result')).toEqual(['[Old tool result content cleared]']);
    expect(said(session)).toEqual(['"What is the capital of France?"', 'Go on.', 'Paris.']);
    expect(texts(session.events, 'tool.result')).toEqual(['long', '[Old tool result content cleared]']);
  });

  it('ends the branch where messages were undone, goes back when they return, and leaves them when they are deleted', async () => {
    const { session, next } = await begun();
    prompt('msg_2279', 'Wrong.');
    await next();
    setSession('revert', JSON.stringify({ messageID: 'msg_2279' }));
    await next();
    expect(said(session)).toEqual(['"What is the capital of France?"', 'Paris.']);
    setSession('revert', null);
    await next();
    expect(said(session)).toContain('Wrong.');
    setSession('revert', JSON.stringify({ messageID: ANSWER }));
    await next();
    expect(said(session)).toEqual(['"What is the capital of France?"']);
    setSession('revert', null);
    home.change((db) => db.exec(`DELETE FROM message WHERE id IN ('msg_2279', '${ANSWER}')`));
    await next();
    expect(said(session)).toEqual(['"What is the capital of France?"']);
    prompt('msg_227b', 'Better.', LATER + 9);
    await next();
    expect(said(session)).toEqual(['"What is the capital of France?"', 'Better.']);
    expect(texts(session.events, 'message.user')).toEqual(['"What is the capital of France?"', 'Wrong.', 'Better.']);
  });

  it('closes the gap when a message in the middle is deleted', async () => {
    const { session, next } = await begun();
    prompt('msg_2279', 'Wrong.');
    prompt('msg_227a', 'Right.', LATER + 1);
    await next();
    home.change((db) => db.exec("DELETE FROM message WHERE id = 'msg_2279'"));
    await next();
    expect(said(session)).toEqual(['"What is the capital of France?"', 'Right.', 'Paris.']);
    expect(await next()).toEqual([]);
  });

  it('ends an answer before the part from which on it was undone', async () => {
    const { session, next } = await begun();
    const frame = { role: 'assistant', modelID: 'm', providerID: 'p', parentID: USER };
    message('msg_2279', frame, [
      { type: 'text', text: 'Stays.' },
      { type: 'text', text: 'Goes.' },
    ]);
    await next();
    setSession('revert', JSON.stringify({ messageID: 'msg_2279', partID: 'prt_22791' }));
    await next();
    expect(texts(modelView(session.events), 'message.assistant')).toEqual(['Paris.', 'Stays.']);
    setSession('revert', null);
    await next();
    expect(texts(modelView(session.events), 'message.assistant')).toEqual(['Paris.', 'Stays.', 'Goes.']);
  });

  it('leaves out an answer that failed in the middle', async () => {
    const { session, next } = await begun();
    const frame = { role: 'assistant', modelID: 'm', providerID: 'p', parentID: USER };
    message('msg_2279', frame, [{ type: 'text', text: 'Half an' }]);
    await next();
    home.change((db) =>
      db.prepare("UPDATE message SET data = ? WHERE id = 'msg_2279'").run(
        JSON.stringify({
          ...frame,
          time: { created: LATER },
          error: { name: 'APIError', data: { message: 'gone' } },
        }),
      ),
    );
    await next();
    expect(said(session)).toEqual(['"What is the capital of France?"', 'Paris.']);
    expect(session.events.at(-1)?.type).toBe('meta');
    expect(texts(session.events, 'message.assistant')).toEqual(['Paris.', 'Half an', 'APIError: gone']);
  });

  it('keeps what a compaction keeps, behind its summary', async () => {
    const { session, next } = await begun();
    message('msg_2279', { role: 'user' }, [{ type: 'compaction', auto: false, tail_start_id: ANSWER }]);
    await next();
    expect(texts(modelView(session.events), 'message.system')).toEqual(['What did we do so far?']);
    message(
      'msg_227a',
      { role: 'assistant', parentID: 'msg_2279', summary: true, finish: 'stop' },
      [{ type: 'text', text: 'The gist.' }],
      LATER + 1,
    );
    await next();
    const view = modelView(session.events);
    expect(view.map(({ type }) => type)).toEqual(['context.compacted', 'message.assistant']);
    expect(view[0]?.payload).toMatchObject({ trigger: 'manual', summary: [{ text: 'The gist.' }] });
    expect(texts(view, 'message.assistant')).toEqual(['Paris.']);
  });

  it('takes over a new title, and that the session was put away', async () => {
    const { session, next } = await begun();
    setSession('title', 'Capitals');
    setSession('time_archived', LATER);
    await next();
    expect(session.facts).toMatchObject({ title: 'Capitals', archived: true });
    expect(session.source.archived).toBe(true);
  });

  it('says that a session is gone, and reads one session alone', async () => {
    const { session } = await begun();
    const other = new Captures(home.env);
    home.change((db) => db.exec('DELETE FROM session'));
    expect(await other.next()).toEqual([]);
    expect(session.events.length).toBeGreaterThan(0);
  });

  it('keeps parts of a kind that it does not know, and counts them', async () => {
    const { session, next } = await begun();
    message('msg_2279', { role: 'user' }, [
      { type: 'text', text: 'x' },
      { type: 'hologram', beam: 7 },
    ]);
    await next();
    expect(session.outcome).toMatchObject({ records: 3, mapped: 2, unknown: { hologram: 1 } });
    expect(session.events.find(({ payload }) => payload.key === 'unknown')?.payload.value).toEqual({
      type: 'hologram',
      beam: 7,
    });
  });
});
