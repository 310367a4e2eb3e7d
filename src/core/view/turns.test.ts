import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { turnSchema } from '../../shared/turns.ts';
import { activePath } from './branch.ts';
import { LogBuilder } from './testing.ts';
import { TurnLedger } from './turns.ts';

function turnsOf(log: LogBuilder) {
  const ledger = new TurnLedger();
  for (const event of log.events) ledger.add(event);
  return ledger.turns(activePath(log.index()));
}

describe('the turns of a session', () => {
  it('are a prompt and all until the next, with what was said, run, edited and used', () => {
    const log = new LogBuilder();
    log.event('session.start', { cwd: '/home/dev/app' });
    log.user('Fix the\n  test');
    log.assistant('r1', 'I look.', undefined, { model: 'm1', usage: { input: 10, output: 2, cache_read: 100 } });
    log.call('r1', 'A', 'shell');
    log.result('A', 'boom', undefined, { is_error: true, exit_code: 3 });
    log.call('r2', 'B', 'edit');
    log.event('tool.call', { response: 'r2', call_id: 'S', name: 'Task', tool: 'agent', child_session: 'sess_s' });
    log.event('file.edit', { path: '/home/dev/app/a.ts', op: 'edit' });
    log.event('file.edit', { path: '/home/dev/app/a.ts', op: 'edit' });
    log.result('B');
    log.assistant('r2', 'Done: a.ts', undefined, { usage: { input: 5, output: 7, cache_read: 110 } });
    const second = log.user('Thanks');
    const [first, last, ...more] = turnsOf(log);
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      turn: 1,
      seq: 1,
      last_seq: second - 1,
      seconds: 9,
      prompt: 'Fix the test',
      reply: 'Done: a.ts',
      model: 'm1',
      active: true,
      copied: false,
      usage: { input: 15, output: 9, cache_read: 210, cache_write: 0, reasoning: 0 },
      context_tokens: 122,
      tools: { shell: 1, edit: 1, agent: 1 },
      subagents: [{ session: 'sess_s', seq: 6 }],
      errors: 1,
      files: ['/home/dev/app/a.ts'],
      files_edited: 1,
      exit_code: 3,
    });
    expect(last).toMatchObject({ turn: 2, prompt: 'Thanks', reply: '', seconds: 0, context_tokens: null });
    for (const turn of [first, last]) expect(turnSchema.parse(turn)).toEqual(turn);
  });

  it('count the usage of an answer once, however many records repeat it', () => {
    const log = new LogBuilder();
    log.user('go');
    log.assistant('r1', 'a', undefined, { usage: { input: 10, output: 1 } });
    log.call('r1', 'A');
    log.assistant('r1', 'b', undefined, { usage: { input: 10, output: 30 } });
    log.meta('usage', { response: 'r1', input: 10, output: 30 });
    expect(turnsOf(log)[0]).toMatchObject({ usage: { input: 10, output: 30 }, context_tokens: 40 });
  });

  it('name compactions and what stands before the first prompt', () => {
    const log = new LogBuilder();
    log.system('instructions', undefined, 'instructions', true);
    log.user('one');
    const seq = log.compacted([], { tokens_before: 900, tokens_after: 90 });
    const [before, turn] = turnsOf(log);
    expect(before).toMatchObject({ turn: 0, prompt: '' });
    expect(before!.added.context).toBeGreaterThan(0);
    expect(turn!.compactions).toEqual([{ seq, before: 900, after: 90 }]);
  });

  it('tell those of a dead branch, and what the client alone said adds nothing', () => {
    const log = new LogBuilder();
    const root = log.user('root');
    log.user('dead', root);
    log.assistant('r1', 'never again');
    log.user('alive', root);
    log.assistant('e', 'API Error', undefined, { synthetic: true, error: 'x' });
    const turns = turnsOf(log);
    expect(turns.map(({ prompt, active }) => [prompt, active])).toEqual([
      ['root', true],
      ['dead', false],
      ['alive', true],
    ]);
    expect(turns[2]).toMatchObject({ reply: '', added: { replies: 0 }, errors: 1 });
  });

  it('leave usage with the session that an event was copied from', () => {
    const log = new LogBuilder();
    log.user('said there');
    log.assistant('r1', 'there', undefined, { usage: { input: 10, output: 5 } });
    for (const event of log.events)
      event.origin = { agent: 'claude', native_id: 'n', native_seq: event.seq, session: 'other' };
    log.user('said here');
    log.assistant('r2', 'here', undefined, { usage: { input: 20, output: 5 } });
    expect(turnsOf(log)).toMatchObject([
      { copied: true, usage: { input: 0, output: 0 }, context_tokens: 15 },
      { copied: false, usage: { input: 20, output: 5 }, context_tokens: 25 },
    ]);
  });

  it('cover every event from the first that is shown, once, in any log', () => {
    const kind = fc.constantFrom('user', 'command', 'text', 'call', 'result', 'meta', 'system', 'compacted');
    fc.assert(
      fc.property(fc.array(fc.tuple(kind, fc.nat())), (steps) => {
        const log = new LogBuilder();
        for (const [i, [what, at]] of steps.entries()) {
          const parent = i === 0 ? null : at % i;
          if (what === 'user') log.user(`p${i}`, parent);
          else if (what === 'command') log.user('/clear', parent, 'command');
          else if (what === 'text') log.assistant(`r${at % 3}`, 'x', parent, { usage: { input: at % 50 } });
          else if (what === 'call') log.call(`r${at % 3}`, `c${i}`, 'shell', {}, parent);
          else if (what === 'result') log.result(`c${at}`, 'y', parent);
          else if (what === 'meta') log.meta('mode', 'plan');
          else if (what === 'system') log.system('s', parent);
          else log.compacted([], {}, parent);
        }
        const turns = turnsOf(log);
        for (const [i, turn] of turns.entries()) {
          turnSchema.parse(turn);
          if (i > 0) expect(turn.seq).toBe(turns[i - 1]!.last_seq + 1);
        }
        if (turns.length > 0) expect(turns.at(-1)!.last_seq).toBe(log.events.length - 1);
      }),
    );
  });
});
