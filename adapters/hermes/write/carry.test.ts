import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../src/shared/events.ts';
import { TestSession } from '../../testing/session.ts';
import { hermesTarget } from '../target.ts';
import { carryToHermes } from './carry.ts';
import { cleanTitle, uniqueTitle } from './title.ts';

const session = new TestSession();
const outcome = (event: SessionEvent): string => carryToHermes(event, 'claude').outcome;

describe('what becomes of an event in Hermes', () => {
  it('keeps prompts, replies, calls, results and pictures', () => {
    expect(outcome(session.user('hello'))).toBe('kept');
    expect(outcome(session.user([session.image()]))).toBe('kept');
    expect(outcome(session.reply('r', 'hello'))).toBe('kept');
    expect(outcome(session.call('r', 'c'))).toBe('kept');
    expect(outcome(session.result('c', [session.image()]))).toBe('kept');
    expect(outcome(session.system('note'))).toBe('kept');
  });

  it('says what is written in another form', () => {
    expect(outcome(session.summary('what was'))).toBe('converted');
    expect(outcome(session.result('c', 'fine', { is_error: true }))).toBe('converted');
    expect(outcome(session.result('c', '{"exit_code": 2}', { is_error: true }))).toBe('kept');
    expect(outcome(session.result('c', '', { closed: 'interrupted' }))).toBe('converted');
    expect(outcome(session.call('r', 'c', { name: 'a tool' }))).toBe('converted');
    expect(outcome(session.call('r', 'c', { arguments: 'free text' }))).toBe('converted');
    expect(outcome(session.user([session.image(new Uint8Array([1]), 'image/tiff')]))).toBe('converted');
  });

  it('drops what is not for its model, with the reason', () => {
    expect(outcome(session.thinking('r', 'a thought'))).toBe('dropped');
    expect(outcome(session.thinking('r'))).toBe('dropped');
    expect(outcome(session.system('note', false))).toBe('dropped');
    expect(outcome(session.user(' '))).toBe('dropped');
    expect(outcome(session.event('command.run', { cmd: 'ls', stdout_tail: '' }))).toBe('dropped');
    expect(outcome(session.event('meta', { key: 'title', value: 'x' }))).toBe('dropped');
  });

  it('gives its own reasoning back', () => {
    const own = new TestSession('hermes');
    expect(carryToHermes(own.thinking('r', 'a thought'), 'hermes').outcome).toBe('kept');
  });
});

describe('names of a session', () => {
  it('are ids as Hermes makes them, the same for the same operation', () => {
    const id = hermesTarget.nativeId!('01a22791-bb90-77e3-8fe5-30ec722705d2', 1_795_960_000);
    expect(id).toMatch(/^\d{8}_\d{6}_[0-9a-f]{6}$/);
    expect(hermesTarget.nativeId!('01a22791-bb90-77e3-8fe5-30ec722705d2', 1_795_960_000)).toBe(id);
  });

  it.each([
    ['  a\tb\n c ', 'a b c'],
    ['x\u0000\u202e\u200by', 'xy'],
    ['Same #2', 'Same'],
    [' \u200b ', null],
    ['half \ud800', 'half \ufffd'],
    ['é'.repeat(120), `${'é'.repeat(99)}…`],
  ])('are cleaned: %j', (title, clean) => expect(cleanTitle(title)).toBe(clean));

  it('are told apart by a number', () => {
    const taken = new Set(['A', 'A (2)']);
    expect(uniqueTitle('A', (title) => taken.has(title))).toBe('A (3)');
    const long = '漢'.repeat(100);
    expect([...uniqueTitle(long, (title) => title === long)]).toHaveLength(100);
  });
});
