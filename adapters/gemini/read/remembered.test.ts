import { describe, expect, it } from 'vitest';
import type { Part } from './message.ts';
import { Remembered } from './remembered.ts';

const part = (text: string): Part => ({ fact: 'u1', type: 'message.user', actor: 'user', payload: { text } });

describe('what nodes said', () => {
  it('forgets the oldest when there is too much of it', () => {
    const said = new Remembered(1000);
    for (let node = 0; node < 20; node++) said.set(node, { parts: [part('x'.repeat(100))], time: node });
    expect(said.has(0)).toBe(false);
    expect(said.get(19)).toMatchObject({ time: 19 });
    expect(Array.from({ length: 20 }, (_, node) => node).filter((node) => said.has(node)).length).toBeGreaterThan(5);
  });

  it('keeps the newest however large it is, and counts a node once', () => {
    const said = new Remembered(1000);
    said.set(1, { parts: [part('x'.repeat(5000))], time: null });
    expect(said.has(1)).toBe(true);
    for (let i = 0; i < 50; i++) said.set(2, { parts: [part('x'.repeat(400))], time: null });
    said.set(3, { parts: [part('x'.repeat(400))], time: null });
    expect([1, 2, 3].map((node) => said.has(node))).toEqual([false, true, true]);
  });
});
