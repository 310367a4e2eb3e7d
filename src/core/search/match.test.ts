import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexQuery } from './expression.ts';
import { Matcher } from './match.ts';
import { parseQuery } from './query.ts';
import { snippetOf } from './snippet.ts';
import { addTokens } from './tokens.ts';

/** What of the texts a query finds; null when it is not in them. */
function found(query: string, ...texts: string[]): string[] | null {
  const places = new Matcher(parseQuery(query, 0)).match(texts);
  return places?.flatMap((list, i) => list.map(({ from, to }) => (texts[i] as string).slice(from, to))) ?? null;
}

describe('looking into an event', () => {
  it('finds words, phrases and beginnings as they stand', () => {
    expect(found('refused', 'Connection REFUSED: port 80')).toEqual(['REFUSED']);
    expect(found('"connection refused"', 'connection\n  refused, refused connection')).toEqual([
      'connection\n  refused',
    ]);
    expect(found('conn*', 'Connection')).toEqual(['Connection']);
    expect(found('src/app.ts', 'in ./src/app.ts:12')).toEqual(['src/app.ts']);
    expect(found("don't", "I don't know")).toEqual(["don't"]);
  });

  it('finds names by the whole, by parts and by neighbours, however they are written', () => {
    expect(found('getUserName', 'get_user_name()')).toEqual(['get_user_name']);
    expect(found('user_name', 'getUserName')).toEqual(['UserName']);
    expect(found('getusername', 'getUserName')).toEqual(['getUserName']);
    expect(found('username', 'user_name')).toBeNull();
    expect(found('getUserNa*', 'getUserName')).toEqual(['getUserName']);
    expect(found('__init__', 'def __init__(self): init()')).toEqual(['__init__']);
    expect(found('__init__', 'init()')).toBeNull();
  });

  it('finds any piece of a stretch without spaces, and not its characters somewhere', () => {
    expect(found('登录错', '修复登录错误')).toEqual(['登录错']);
    expect(found('误', '修复登录错误')).toEqual(['误']);
    expect(found('登错', '登录错误')).toBeNull();
    expect(found('错误login', '错误login')).toEqual(['错误login']);
  });

  it('needs every word somewhere in the event, and a phrase within one text', () => {
    expect(found('alpha beta', 'alpha', 'beta')).toEqual(['alpha', 'beta']);
    expect(found('"alpha beta"', 'alpha', 'beta')).toBeNull();
    expect(found('alpha gamma', 'alpha', 'beta')).toBeNull();
  });

  it('drops an event that holds what must not be there', () => {
    expect(found('alpha -"beta gamma"', 'alpha beta gamma')).toBeNull();
    expect(found('alpha -"beta gamma"', 'alpha gamma beta')).toEqual(['alpha']);
  });

  it('finds every phrase of every text', () => {
    const word = fc.oneof(
      fc.stringMatching(/^[a-zA-Z0-9_]{1,12}$/),
      fc.constantFrom('错误', 'naïve', '🚀', 'E0308', 'Straße', 'ログイン', 'проверка', 'ｱｲｳ'),
    );
    const between = fc.constantFrom(' ', '\n', ', ', ' / ', '.');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(word, between), { minLength: 1, maxLength: 12 }),
        fc.nat(),
        fc.nat(),
        (parts, a, b) => {
          const from = a % parts.length;
          const piece = parts.slice(from, from + 1 + (b % 4));
          const text = parts.flat().join('');
          const phrase = piece.map(([each]) => each).join(' ');
          const query = parseQuery(`"${phrase}"`, 0);
          if (query.all.length === 0) return;
          expect(new Matcher(query).match([text])).not.toBeNull();
          const tokens = new Set<string>();
          addTokens(text, tokens);
          for (const clause of (indexQuery(query).expression as string).split(' AND '))
            expect(clause.match(/"[^"]+"( \*)?/g)?.some((token) => isIn(tokens, token))).toBe(true);
        },
      ),
    );
  });
});

function isIn(tokens: ReadonlySet<string>, quoted: string): boolean {
  const [, token = '', prefix] = /^"(.*)"( \*)?$/.exec(quoted) ?? [];
  return prefix === undefined ? tokens.has(token) : [...tokens].some((each) => each.startsWith(token));
}

describe('a snippet', () => {
  const snippet = (query: string, ...texts: string[]) => {
    const shown = snippetOf(texts, new Matcher(parseQuery(query, 0)).match(texts) ?? []);
    return { ...shown, marked: shown.matches.map(([from, to]) => shown.text.slice(from, to)) };
  };

  it('shows the place where most of the words stand together', () => {
    const text = `alpha ${'x '.repeat(400)}beta ${'y '.repeat(400)}alpha beta gamma ${'z '.repeat(400)}`;
    const shown = snippet('alpha beta gamma', text);
    expect(shown.marked).toEqual(['alpha', 'beta', 'gamma']);
    expect(shown).toMatchObject({ more_before: true, more_after: true });
    expect(shown.text.length).toBeLessThanOrEqual(300);
  });

  it('shows with the name of a tool what it was called with', () => {
    const shown = snippet('read', 'Read', '/home/dev/read.me');
    expect(shown).toMatchObject({ text: 'Read\n/home/dev/read.me', marked: ['Read', 'read'], more_after: false });
  });

  it('never cuts a character, and its places always fit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 900 }), fc.stringMatching(/^[a-z]{1,3}$/), (text, word) => {
        const shown = snippet(word, `${text} ${word} ${text}`);
        expect(shown.text.isWellFormed()).toBe(true);
        let last = 0;
        for (const [from, to] of shown.matches) {
          expect(from).toBeGreaterThanOrEqual(last);
          expect(to).toBeGreaterThan(from);
          expect(to).toBeLessThanOrEqual(shown.text.length);
          last = to;
        }
        expect(shown.matches.length).toBeGreaterThan(0);
      }),
    );
  });
});
