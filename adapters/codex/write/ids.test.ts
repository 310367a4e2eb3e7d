import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallIds, toolName } from '../../conversation/ids.ts';
import { propertyRuns } from '../../testing/property-runs.ts';
import { turnId } from './ids.ts';

describe('call ids', () => {
  it('keeps an id that conforms', () => {
    expect(new CallIds().next('toolu_01ABC')).toBe('toolu_01ABC');
  });

  it('makes every sequence of ids valid and unique, the same on each run', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 90 }), fc.constantFrom('a', 'a_2', 'b'.repeat(70))), {
          maxLength: 30,
        }),
        (natives) => {
          const [first, second] = [new CallIds(), new CallIds()];
          const ids = natives.map((native) => first.next(native));
          expect(natives.map((native) => second.next(native))).toEqual(ids);
          expect(new Set(ids).size).toBe(ids.length);
          for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        },
      ),
      propertyRuns(100, 503),
    );
  });

  it('tells long ids apart that begin alike', () => {
    const ids = new CallIds();
    expect(ids.next(`${'x'.repeat(80)}1`)).not.toBe(ids.next(`${'x'.repeat(80)}2`));
  });
});

describe('tool names', () => {
  it('keeps the names of other agents and replaces only what the API refuses', () => {
    expect(toolName('mcp__issues__search')).toBe('mcp__issues__search');
    expect(toolName('container.exec')).toBe('container_exec');
    expect(toolName('')).toBe('tool');
    expect(toolName('t'.repeat(100))).toHaveLength(64);
  });
});

describe('turn ids', () => {
  it('are version 7 ids of their time, the same for the same turn only', () => {
    const id = turnId('thread', 0, 1_795_960_191_901);
    expect(id).toMatch(/^01a22791-bb9d-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(turnId('thread', 0, 1_795_960_191_901)).toBe(id);
    expect(turnId('thread', 1, 1_795_960_191_901)).not.toBe(id);
  });
});
