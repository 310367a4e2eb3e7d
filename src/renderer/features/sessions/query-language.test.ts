import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addFilter, parseQuery, removeFilter, toSessionQuery, writeQuery } from './query-language.ts';

describe('parseQuery', () => {
  it('tells words, exact words and filters apart', () => {
    expect(parseQuery('agent:codex token "grace window" has:error before:2026-11-01')).toEqual({
      words: ['token', 'grace window'],
      filters: [
        { key: 'agent', value: 'codex' },
        { key: 'has', value: 'error' },
        { key: 'before', value: '2026-11-01' },
      ],
    });
  });

  it('searches for what it does not understand instead of ignoring it', () => {
    expect(parseQuery('has:magic before:2026-13-40 https://x.dev/a note: :x')).toEqual({
      words: ['has:magic', 'before:2026-13-40', 'https://x.dev/a', 'note:', ':x'],
      filters: [],
    });
  });

  it('takes quoted values', () => {
    expect(parseQuery('project:"/home/dev/my app"').filters).toEqual([{ key: 'project', value: '/home/dev/my app' }]);
  });

  it('never throws, and what it writes it reads back the same', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const once = parseQuery(text);
        expect(parseQuery(writeQuery(once))).toEqual(parseQuery(writeQuery(parseQuery(writeQuery(once)))));
      }),
    );
  });
});

describe('addFilter and removeFilter', () => {
  it('replace a key that holds one value, and collect the others', () => {
    expect(addFilter('agent:codex words', { key: 'agent', value: 'claude' })).toBe('agent:claude words');
    expect(addFilter('has:error', { key: 'has', value: 'image' })).toBe('has:error has:image');
    expect(addFilter('has:error', { key: 'has', value: 'error' })).toBe('has:error');
    expect(removeFilter('has:error has:image a', { key: 'has', value: 'error' })).toBe('has:image a');
  });
});

describe('toSessionQuery', () => {
  it('asks the engine for exactly what was typed', () => {
    expect(
      toSessionQuery(parseQuery('agent:codex project:api has:error has:error with:subagents sort:size a b')),
    ).toEqual({
      text: 'a b api',
      agent: 'codex',
      has: ['error'],
      subagents: true,
      sort: 'size',
    });
    expect(toSessionQuery(parseQuery('after:2026-11-02'))).toEqual({ after: new Date(2026, 10, 2).getTime() / 1000 });
    expect(toSessionQuery(parseQuery('project:/home/dev/api'))).toEqual({ cwd: '/home/dev/api' });
    expect(toSessionQuery(parseQuery(''))).toEqual({});
  });
});
