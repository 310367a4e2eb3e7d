import { describe, expect, it } from 'vitest';
import { TestSession } from '../../testing/session.ts';
import { carryToOpenCode } from './carry.ts';

const session = new TestSession();
const opaque = new TestSession('opencode');

describe('what becomes of an event', () => {
  it.each([
    ['a prompt', session.user('x'), 'kept', 'kept'],
    ['an empty reply', session.reply('r', ' '), 'dropped', 'empty'],
    [
      'reasoning of another agent',
      session.thinking('r', 'x'),
      'dropped',
      'belongs to its provider: OpenCode would send it as a part of the answer',
    ],
    ['its own reasoning', opaque.thinking('r', 'x'), 'kept', 'goes home with what its provider signed'],
    ['a note for the model', session.system('x'), 'kept', 'context for the model, hidden from the person'],
    ['a note for the person', session.system('x', false), 'dropped', 'not sent to the model by claude itself'],
    ['a summary', session.summary('x'), 'converted', '→ compaction with its summary'],
    ['a call', session.call('r', 'c'), 'kept', 'real call, name and arguments as they are'],
    ['a call with an odd name', session.call('r', 'd', { name: 'a.b' }), 'converted', 'real call, name written as a_b'],
    [
      'a call with free text',
      session.call('r', 'e', { arguments: 'x' }),
      'converted',
      'real call, its free text as the argument "input"',
    ],
    ['a result', session.result('c'), 'kept', 'result of its call'],
    [
      'a result that never came',
      session.result('d', '', { closed: 'missing' }),
      'converted',
      '→ error that says the call was not run',
    ],
    [
      'a picture of a failed call',
      session.result('e', [session.image()], { is_error: true }),
      'converted',
      'image → a note: a failed call holds text alone',
    ],
    ['a picture of a result', session.result('c', [session.image()]), 'kept', 'result of its call'],
    [
      'a picture of an odd type',
      session.user([session.image(undefined, 'image/tiff')]),
      'converted',
      'image (image/tiff) → a note: models take png, jpeg, gif and webp',
    ],
    [
      'state',
      session.event('meta', { key: 'title', value: 'x' }),
      'dropped',
      'state of claude, not part of the conversation',
    ],
    [
      'what is told of a call',
      session.event('command.run', { cmd: 'x', stdout_tail: '' }),
      'dropped',
      'carried by its call',
    ],
    [
      'an error of the client',
      session.event('message.assistant', { response: 'r', content: [], synthetic: true }),
      'dropped',
      "written by claude's client, not by a model",
    ],
  ])('%s', (_, event, outcome, how) => {
    expect(carryToOpenCode(event, 'claude')).toEqual({ outcome, how });
  });
});
