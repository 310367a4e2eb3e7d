import { describe, expect, it } from 'vitest';
import { fitsFileName } from './file-name.ts';

describe('an id as part of a file name', () => {
  it.each(['0199e4b2-1111-7222-8333-444455556666', 'ses_1A', '20261129_101112_ab12cd', 'agent-a1', '会话 1'])(
    'takes %s',
    (id) => expect(fitsFileName(id)).toBe(true),
  );

  it.each([
    '',
    '.',
    '..',
    '.hidden',
    '../up',
    'a/b',
    'a\\b',
    'C:x',
    'a\nb',
    'a\0b',
    '\u202Eab',
    '\uD800',
    'é'.repeat(101),
  ])('refuses %j', (id) => expect(fitsFileName(id)).toBe(false));
});
