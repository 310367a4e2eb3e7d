import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventDraft } from '../../shared/events.ts';
import { type ForkPoint, forkPoint } from '../sessions/inherit.ts';
import { chatDraft, sessionId } from '../store/testing/temp-store.ts';
import { asked, draftOf, LONG, placesOf, type SearchLab, saying, searchLab } from './testing/search-lab.ts';

const DAY = 86_400;
/** Time of `chatDraft(0)`. */
const START = 1_780_000_000;

const startAt = (cwd: string): EventDraft => draftOf('session.start', { cwd });
const call = (name: string, args: unknown, parent: number): EventDraft =>
  draftOf('tool.call', { response: 'r', call_id: 'c', name, arguments: args, tool: 'shell' }, parent);
const result = (text: string, isError: boolean, parent: number): EventDraft =>
  draftOf('tool.result', { call_id: 'c', content: [{ kind: 'text', text }], is_error: isError, closed: 'ran' }, parent);

describe('searching', () => {
  let lab: SearchLab;
  beforeAll(async () => {
    lab = await searchLab();
    await lab.add(sessionId(1), [
      startAt('/home/dev/code/api'),
      { ...chatDraft(0, 'Please fix the login timeout in parseConfigFile'), parent_seq: 0 },
      {
        ...chatDraft(1, 'The handler of load_config waits for ever: connection refused. 修复登录错误'),
        parent_seq: 1,
      },
      call('Bash', { command: 'npm test -- auth', env: { DEPTH: 'nested words' } }, 2),
      result('ECONNREFUSED 127.0.0.1:5432 refused connection', true, 3),
      draftOf('message.thinking', { response: 'r', form: 'plain', text: 'perhaps a ponderous timeout' }, 4),
      draftOf('meta', { key: 'title', value: 'Repair of the sluggish login' }),
      draftOf('meta', { key: 'usage', value: { note: 'invisible' } }),
      draftOf('decision', { conclusion: 'Use exponential backoff', reason: 'jitter' }),
      { ...draftOf('command.run', { cmd: 'npm test -- auth', stdout_tail: '' }), refs: ['seq:3'] },
    ]);
    await lab.add(sessionId(2), [startAt('/home/dev/code/web'), ...saying('The login page is blue', 'Login it is')], {
      agent: 'codex',
    });
    await lab.add(sessionId(3), saying('Survey the backoff formula'), {
      parent: sessionId(1),
      parent_kind: 'subagent',
    });
  });
  afterAll(() => lab.close());

  it('finds what was said and done, and says where', async () => {
    const { sessions, total, index, notes } = await lab.search('parseConfig');
    expect({ total, notes, complete: index.complete }).toEqual({
      total: { sessions: 1, hits: 1, exact: true },
      notes: [],
      complete: true,
    });
    expect(sessions[0]?.hits[0]).toEqual({
      seq: 1,
      ordinal: 0,
      ts: START,
      kind: 'prompt',
      error: false,
      tool: null,
      active: true,
      in_model: true,
      copied: false,
      text: 'Please fix the login timeout in parseConfigFile',
      matches: [[32, 43]],
      more_before: false,
      more_after: false,
    });
  });

  it('looks into calls, results, reasoning, titles and notes, not into what repeats them or is no text', async () => {
    expect(await lab.found('nested auth')).toEqual(['1:3']);
    expect(await lab.found('econnrefused')).toEqual(['1:4']);
    expect(await lab.found('ponderous')).toEqual(['1:5']);
    expect(await lab.found('sluggish')).toEqual(['1:6']);
    expect(await lab.found('jitter')).toEqual(['1:8']);
    expect(await lab.found('npm')).toEqual(['1:3']);
    expect(await lab.found('invisible')).toEqual([]);
    const { sessions } = await lab.search('econnrefused');
    expect(sessions[0]?.hits[0]).toMatchObject({ kind: 'tool', tool: 'Bash', error: true });
    // the title is a fact, no row of the transcript shows it
    expect((await lab.search('sluggish')).sessions[0]?.hits[0]).toMatchObject({ kind: 'title', ordinal: null });
  });

  it('wants all words in one event, phrases as they stand, and nothing that is left out', async () => {
    expect((await lab.found('login')).sort()).toEqual(['1:1', '1:6', '2:1', '2:2']);
    expect(await lab.found('login timeout')).toEqual(['1:1']);
    expect(await lab.found('"connection refused"')).toEqual(['1:2']);
    expect(await lab.found('"refused connection"')).toEqual(['1:4']);
    expect((await lab.found('login -timeout -blue')).sort()).toEqual(['1:6', '2:2']);
    expect(await lab.found('refused -"connection refused"')).toEqual(['1:4']);
    expect(await lab.found('handl* econn*')).toEqual([]);
    expect(await lab.found('登录')).toEqual(['1:2']);
    expect(await lab.found('登录错误')).toEqual(['1:2']);
    expect(await lab.found('登误')).toEqual([]);
  });

  it('filters by agent, folder, time, place and what a session has, in the text or beside it', async () => {
    const sorted = async (...query: Parameters<SearchLab['found']>) => (await lab.found(...query)).sort();
    expect(await sorted('login agent:codex')).toEqual(['2:1', '2:2']);
    expect(await sorted('login -agent:codex')).toEqual(['1:1', '1:6']);
    expect(await sorted('login', { agent: 'codex' })).toEqual(['2:1', '2:2']);
    expect(await sorted('login agent:claude', { agent: 'codex' })).toEqual([]);
    expect(await sorted('login project:api in:prompt')).toEqual(['1:1']);
    expect(await sorted('login cwd:/home/dev/code/web')).toEqual(['2:1', '2:2']);
    expect(await sorted('login', { cwd: '/home/dev/code' })).toHaveLength(4);
    expect(await sorted('refused', { in: ['error'] })).toEqual(['1:4']);
    expect(await sorted('refused in:reply', { in: ['error'] })).toEqual([]);
    expect(await sorted('refused -in:error')).toEqual(['1:2']);
    expect(await sorted('in:error')).toEqual(['1:4']);
    expect(await sorted('login has:error')).toEqual(['1:1', '1:6']);
    expect(await sorted('login', { after: START + DAY })).toEqual([]);
    expect(await sorted('login in:prompt', { before: START + 0.5 })).toEqual(['1:1', '2:1']);
    expect(await sorted('backoff', { subagents: false })).toEqual(['1:8']);
  });

  it('says whose a sub-agent is', async () => {
    const { sessions } = await lab.search('survey');
    expect(sessions[0]?.parent).toEqual({
      id: sessionId(1),
      agent: 'claude',
      title: 'Repair of the sluggish login',
      kind: 'subagent',
    });
  });

  it('pages through sessions, and through the hits of one', async () => {
    const first = await lab.search('login', { limit: 1, hits: 1 });
    const second = await lab.search('login', { limit: 1, hits: 1, offset: first.next ?? 0 });
    expect([first.total, second.total]).toEqual([first.total, first.total]);
    expect(first.total).toEqual({ sessions: 2, hits: 4, exact: true });
    expect([first.next, second.next]).toEqual([1, null]);
    expect(new Set([...placesOf(first), ...placesOf(second)]).size).toBe(2);
    const one = { session: sessionId(1), hits: 1 };
    expect(await lab.found('login', one)).toEqual(['1:1']);
    expect(await lab.found('login', { ...one, hits_offset: 1 })).toEqual(['1:6']);
    expect(await lab.found('login', { ...one, hits_offset: 2 })).toEqual([]);
  });

  it('says what it did not understand, and finds nothing without a word', async () => {
    expect((await lab.search('login agent:nobody')).notes).toEqual([expect.stringContaining('nobody')]);
    const empty = await lab.search('agent:codex -login');
    expect(empty).toMatchObject({ sessions: [], next: null, notes: [expect.stringContaining('no word')] });
  });

  it('answers any text', async () => {
    const piece = fc.constantFrom(
      '"',
      '*',
      '-',
      '(',
      ')',
      ':',
      '^',
      'NEAR(',
      'OR',
      'NOT',
      'in:',
      '{',
      '\0',
      '\ud83d',
      "'",
      ' ',
      'login',
      '错',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(text, async (query) => {
        const { sessions, total } = await lab.engine.search(asked(query));
        expect(total.sessions).toBeGreaterThanOrEqual(sessions.length);
      }),
    );
  });
});

describe('a session in a search', () => {
  let lab: SearchLab;
  beforeEach(async () => {
    lab = await searchLab();
  });
  afterEach(() => lab.close());

  it('is found with what was undone in it, marked', async () => {
    const branch = (text: string, parent: number | null): EventDraft => ({ ...chatDraft(0, text), parent_seq: parent });
    await lab.add(sessionId(1), [branch('try the zebra', null), branch('no, the giraffe zebra', null)]);
    const { sessions } = await lab.search('zebra');
    const hits = sessions[0]?.hits.map(({ seq, active, in_model }) => ({ seq, active, in_model }));
    expect(hits).toEqual([
      { seq: 1, active: true, in_model: true },
      { seq: 0, active: false, in_model: false },
    ]);
  });

  it('is not found by what a fork copied from one that is here, but by what only the copy has', async () => {
    const copied = (text: string): EventDraft => ({
      ...chatDraft(0, text),
      origin: { agent: 'claude', session: 'native-1', native_id: 'x', native_seq: 0 },
    });
    await lab.add(sessionId(1), saying('an ostrich runs'), { native_id: 'native-1' });
    for (const n of [2, 3, 4])
      await lab.add(sessionId(n), [copied('an ostrich runs')], { parent: sessionId(1), parent_kind: 'fork' });
    await lab.add(sessionId(5), [copied('a lonely ostrich')]);
    const { sessions, total } = await lab.search('ostrich');
    expect(total).toEqual({ sessions: 2, hits: 2, exact: true });
    expect(sessions.map(({ session, hits }) => [session.id.at(-1), hits[0]?.copied])).toEqual(
      expect.arrayContaining([
        ['1', false],
        ['5', true],
      ]),
    );
  });

  it('that goes on from another one is found by its own events, and alone by those in front too', async () => {
    await lab.add(sessionId(1), saying('the walrus sings', 'so it does', 'the walrus sleeps'));
    const point = await forkPoint(lab.temp.store.reader, sessionId(1), 1);
    await lab.add(sessionId(2), [draftOf('session.fork', { from_session: sessionId(1), from_seq: 1 })], {
      parent: sessionId(1),
      parent_kind: 'fork',
      inherits: (point as ForkPoint).inherits,
    });
    await lab.append(sessionId(2), [{ ...chatDraft(0, 'another walrus'), parent_seq: 2 }]);
    expect((await lab.found('walrus')).sort()).toEqual(['1:0', '1:2', '2:3']);
    expect(await lab.found('walrus', { session: sessionId(2) })).toEqual(['2:0', '2:3']);
  });

  it('comes before others where it is new, or is about the words', async () => {
    const at = (days: number, draft: EventDraft): EventDraft => ({ ...draft, ts: Date.now() / 1000 - days * DAY });
    const reply = (text: string) => ({ ...chatDraft(1, text), parent_seq: null });
    await lab.add(sessionId(1), [at(400, chatDraft(0, 'about penguins'))]);
    await lab.add(sessionId(2), [at(1, reply('some penguins'))]);
    await lab.add(sessionId(3), [at(2, chatDraft(0, 'all about penguins'))]);
    expect(await lab.found('penguins')).toEqual(['3:0', '2:0', '1:0']);
  });

  it('is found by a rare phrase of common words, page by page, with no more looked at than is bearable', async () => {
    for (const n of [1, 2])
      await lab.add(
        sessionId(n),
        Array.from({ length: 800 }, (_, i) => chatDraft(i, 'beta alpha')),
      );
    await lab.add(sessionId(3), [{ ...chatDraft(0, 'alpha beta at last'), ts: START - 400 * DAY }]);
    const places: string[] = [];
    let pages = 0;
    for (let next: number | null = 0; next !== null; pages++) {
      const page = await lab.search('"alpha beta"', { offset: next });
      places.push(...placesOf(page));
      next = page.next;
      expect(page.total.exact).toBe(false);
    }
    expect(places).toEqual(['3:0']);
    expect(pages).toBeGreaterThan(1);
  });

  it('of huge texts is found by their beginning', async () => {
    const huge = `first 修复 words ${'parseConfig user_id lorem '.repeat(500_000)} lastword`;
    expect(huge.length).toBeGreaterThan(12_800_000);
    await lab.add(sessionId(1), saying(huge, 'a small reply'));
    expect(await lab.found('"first 修复 words" config')).toEqual(['1:0']);
    expect(await lab.found('lastword')).toEqual([]);
    expect((await lab.engine.catchUp(LONG)).complete).toBe(true);
  });
});
