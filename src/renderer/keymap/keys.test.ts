import { describe, expect, it } from 'vitest';
import { isSingleLetter, type KeyPress, keyCaps, pressName } from './keys.ts';

const press = (key: string, held: Partial<Omit<KeyPress, 'key'>> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

describe('pressName', () => {
  it('names what was typed, with Mod for the platform key', () => {
    expect(pressName(press('j'), false)).toBe('j');
    expect(pressName(press('J', { shiftKey: true }), false)).toBe('Shift+J');
    expect(pressName(press('k', { ctrlKey: true }), false)).toBe('Mod+K');
    expect(pressName(press('k', { metaKey: true }), true)).toBe('Mod+K');
    expect(pressName(press('F6', { shiftKey: true }), false)).toBe('Shift+F6');
    expect(pressName(press(' '), false)).toBe('Space');
  });

  it('takes a sign as typed, whatever Shift it needed', () => {
    expect(pressName(press('?', { shiftKey: true }), false)).toBe('?');
    expect(pressName(press('/'), false)).toBe('/');
    expect(pressName(press('[', { altKey: true }), true)).toBe('Alt+[');
  });

  it('does not take Ctrl for ⌘ on a Mac', () => {
    expect(pressName(press('k', { ctrlKey: true }), true)).toBe('Other+K');
  });
});

describe('isSingleLetter', () => {
  it('is true for letters, signs and their sequences only', () => {
    expect(['j', 'Shift+J', '?', 'g s'].map(isSingleLetter)).toEqual([true, true, true, true]);
    expect(['Mod+K', 'F6', 'Enter', 'Alt+1'].map(isSingleLetter)).toEqual([false, false, false, false]);
  });
});

describe('keyCaps', () => {
  it('draws a binding for the platform', () => {
    expect(keyCaps('Mod+K', true)).toEqual(['⌘K']);
    expect(keyCaps('Mod+K', false)).toEqual(['Ctrl', 'K']);
    expect(keyCaps('g s', false)).toEqual(['G', 'S']);
    expect(keyCaps('Shift+J', false)).toEqual(['⇧J']);
    expect(keyCaps('Mod+Enter', true)).toEqual(['⌘⏎']);
  });
});
