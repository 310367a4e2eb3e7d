import { describe, expect, it } from 'vitest';
import { isColored } from './colors.ts';

const terminal = { isTTY: true };
const pipe = {};

describe('colours', () => {
  it.each([
    ['on a terminal', {}, undefined, terminal, true],
    ['not in a pipe', {}, undefined, pipe, false],
    ['not with NO_COLOR, whatever it says', { NO_COLOR: '0' }, undefined, terminal, false],
    ['with NO_COLOR that is empty', { NO_COLOR: '' }, undefined, terminal, true],
    ['not on a dumb terminal', { TERM: 'dumb' }, undefined, terminal, false],
    ['in a pipe with FORCE_COLOR', { FORCE_COLOR: '1' }, undefined, pipe, true],
    ['not with FORCE_COLOR=0', { FORCE_COLOR: '0' }, undefined, terminal, false],
    ['with FORCE_COLOR before NO_COLOR', { FORCE_COLOR: '3', NO_COLOR: '1' }, undefined, pipe, true],
    ['not with --no-color, before all others', { FORCE_COLOR: '1' }, false, terminal, false],
  ] as const)('%s', (_name, env, flag, stream, expected) => {
    expect(isColored(env, flag, stream)).toBe(expected);
  });
});
