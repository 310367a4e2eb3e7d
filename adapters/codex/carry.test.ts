import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../src/shared/events.ts';
import { PNG, TestSession } from '../testing/session.ts';
import { carryToCodex } from './carry.ts';

const session = new TestSession();
const carry = (event: SessionEvent): [string, string] => {
  const { outcome, how } = carryToCodex(event, 'Claude Code');
  return [outcome, how];
};

describe('what Codex does with an event', () => {
  it('keeps prompts, replies, calls, results, and context that the agent itself sends', () => {
    expect(carry(session.user('Q'))[0]).toBe('kept');
    expect(carry(session.user([session.image()]))[0]).toBe('kept');
    expect(carry(session.reply('r', 'A'))[0]).toBe('kept');
    expect(carry(session.call('r', 'c'))).toEqual(['kept', 'real call, name and arguments as they are']);
    expect(carry(session.result('c'))[0]).toBe('kept');
    expect(carry(session.result('c', []))[0]).toBe('kept');
    expect(carry(session.system('note'))[0]).toBe('kept');
  });

  it('leaves reasoning, notes that stay at home and the client’s own words', () => {
    expect(carry(session.thinking('r', 'hm'))).toEqual([
      'dropped',
      'belongs to its provider: shown in the transcript, not sent to the model',
    ]);
    expect(carry(session.thinking('r'))).toEqual(['dropped', 'encrypted by its provider, stays at home']);
    expect(carry(session.system('git status', false))).toEqual([
      'dropped',
      'not sent to the model by Claude Code itself',
    ]);
    expect(
      carry(
        session.event('message.assistant', {
          response: 'r',
          content: [{ kind: 'text', text: 'API error' }],
          synthetic: true,
        }),
      )[0],
    ).toBe('dropped');
    expect(carry(session.event('meta', { key: 'usage' }))[0]).toBe('dropped');
    expect(carry(session.event('command.run', { cmd: 'ls' }))).toEqual(['dropped', 'carried by its call']);
    expect(carry(session.user('  '))).toEqual(['dropped', 'empty']);
  });

  it('converts what has another form there, and says which', () => {
    expect(carry(session.summary('S'))).toEqual(['converted', '→ message in front with the summary']);
    expect(carry(session.call('r', 'c', { name: 'container.exec' }))).toEqual([
      'converted',
      'real call, name written as container_exec',
    ]);
    expect(carry(session.result('c', [], { closed: 'interrupted', is_error: true }))[0]).toBe('converted');
    expect(carry(session.user([session.image(PNG, 'image/tiff')]))[1]).toMatch(/image\/tiff/);
    expect(
      carry(session.result('c', [{ kind: 'document', media_type: 'application/pdf', artifact: 'a', bytes: 1 }]))[1],
    ).toMatch(/application\/pdf.*name/);
    expect(carry(session.result('c', 'hm', { is_error: true }))).toEqual([
      'converted',
      'output of its call, with a line that says it failed',
    ]);
  });
});
