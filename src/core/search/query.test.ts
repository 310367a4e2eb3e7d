import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexQuery } from './expression.ts';
import { noFilters, type ParsedQuery, parseQuery, type Term } from './query.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z') / 1000;
const DAY = 86_400;
const parse = (text: string) => parseQuery(text, NOW);
const words = (terms: Term[]) =>
  terms.map((term) => term.map(({ parts, prefix }) => `${parts.join('|')}${prefix ? '*' : ''}`));
const expression = (text: string) => indexQuery(parse(text)).expression;

describe('a query', () => {
  it('is words, phrases, beginnings and what must not be there', () => {
    const { all, none, notes } = parse('Login "connection refused" parseConf* -test -"two words"');
    expect(words(all)).toEqual([['login'], ['connection', 'refused'], ['parse|conf*']]);
    expect(words(none)).toEqual([['test'], ['two', 'words']]);
    expect(notes).toEqual([]);
  });

  it('takes quotes of other keyboards, and one that is never closed', () => {
    expect(words(parse('“connection refused” «a b» "open end').all)).toEqual([
      ['connection', 'refused'],
      ['a', 'b'],
      ['open', 'end'],
    ]);
  });

  it('has filters, each in any case and quoted too', () => {
    const { all, filters } = parse(
      'agent:Codex -agent:claude project:"my app" cwd:/home/dev/x has:error IN:prompt in:tool -in:system after:2026-11-01 before:7d word',
    );
    expect(words(all)).toEqual([['word']]);
    expect(filters).toEqual({
      agents: ['codex'],
      notAgents: ['claude'],
      projects: ['my app'],
      folders: ['/home/dev/x'],
      has: ['error'],
      places: ['prompt', 'tool'],
      notPlaces: ['system'],
      after: new Date(2026, 10, 1).getTime() / 1000,
      before: NOW - 7 * DAY,
    });
  });

  it('searches what looks like a filter and is none as words, and says so where it was nearly one', () => {
    expect(words(parse('http://x.dev std::vector foo:bar in:').all)).toEqual([
      ['http', 'x', 'dev'],
      ['std', 'vector'],
      ['foo', 'bar'],
      ['in'],
    ]);
    const { all, filters, notes } = parse('in:nowhere has:everything after:soon');
    expect(words(all)).toEqual([
      ['in', 'nowhere'],
      ['has', 'everything'],
      ['after', 'soon'],
    ]);
    expect(filters).toEqual(noFilters());
    expect(notes).toHaveLength(3);
  });

  it('takes flags of commands for words', () => {
    expect(words(parse('--no-verify -v').all)).toEqual([['no', 'verify']]);
    expect(words(parse('--no-verify -v').none)).toEqual([['v']]);
  });

  it('takes a beginning of less than three letters for a word', () => {
    const { all, notes } = parse('co*');
    expect(words(all)).toEqual([['co']]);
    expect(notes).toHaveLength(1);
    expect(words(parse('*').all)).toEqual([]);
    expect(words(parse('"conf*"').all)).toEqual([['conf']]);
  });
});

describe('the question to the index', () => {
  it('is of tokens alone', () => {
    expect(expression('Login e0308')).toBe('"login" AND "e0308"');
    expect(expression('parseConfigFile')).toBe('(("parse_config" AND "config_file") OR "parseconfigfile")');
    expect(expression('登录错')).toBe('"登录" AND "录错"');
    expect(expression('录')).toBe('"录" *');
    expect(expression('__init__')).toBe('"__init__"');
    expect(expression('login -test')).toBe('("login") NOT "test"');
  });

  it('knows what it cannot answer by itself', () => {
    const exact = (text: string) => indexQuery(parse(text)).exact;
    expect(['login test', 'user_id', '登录', '录', 'conf*', 'a -b'].map(exact)).not.toContain(false);
    expect(['"a b"', 'src/app.ts', 'getUserName', '登录错', 'a -"b c"', 'x'.repeat(65)].map(exact)).not.toContain(true);
  });

  it('is none without a word, and of a place alone what is there', () => {
    expect(expression('')).toBeNull();
    expect(expression('-only agent:codex !!!')).toBeNull();
    expect(expression('in:error')).toMatch(/^"\ue000."$/);
  });

  it('has a bound, however long the query', () => {
    const long = expression('登录错误修复'.repeat(160)) as string;
    expect(long.split('AND').length).toBeLessThan(50);
    const many = indexQuery(parse(Array.from({ length: 300 }, (_, i) => `w${i}`).join(' ')));
    expect((many.expression as string).split('AND')).toHaveLength(48);
    expect(many.exact).toBe(false);
  });

  it('is made of any text, and of quoted tokens and operators alone', () => {
    const nasty = fc.constantFrom(
      '"',
      "'",
      '*',
      '-',
      '(',
      ')',
      ':',
      '^',
      '+',
      'NEAR',
      'OR',
      'AND',
      'NOT',
      'in:',
      '{',
      '\0',
      '\ud83d',
      ' ',
      'a',
      '错',
      '_',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.array(nasty, { maxLength: 40 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (typed) => {
        const parsed: ParsedQuery = parse(typed);
        const asked = indexQuery(parsed).expression;
        if (asked === null) return;
        expect(asked.replace(/"[^"]+"( \*)?/g, 'x')).toMatch(/^(x|[()]| AND | OR | NOT )+$/);
      }),
    );
  });
});
