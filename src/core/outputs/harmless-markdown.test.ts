import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeBlock, codeSpan, harmlessLine, plainLine, quoted } from './harmless-markdown.ts';

/** A strict CommonMark and GFM renderer that lets HTML and every link through: what a careless program would show. */
const found = createRequire(createRequire(import.meta.url).resolve('react-markdown'));
const load = async (name: string) => import(/* @vite-ignore */ pathToFileURL(found.resolve(name)).href);
const { micromark } = await load('micromark');
const { gfm, gfmHtml } = await load('micromark-extension-gfm');
const render = (text: string): string =>
  micromark(text, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });

const PIECES = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<!-- <b> -->',
  '</div>',
  '![x](http://evil.example/p.png)',
  '![x][ref]',
  '[ref]: javascript:alert(1)',
  '[a](javascript:alert(1))',
  '[a](&#106;avascript:alert(1))',
  '[a](<javascript:alert(1)>)',
  '<javascript:alert(1)>',
  '`',
  '``',
  '```',
  '```js',
  '\n\t```\n',
  '~~~',
  '    ',
  '- ',
  '1. ',
  '> ',
  '# ',
  '|',
  '|---|',
  '\\',
  '\n',
  '\n\n',
  '\t',
  'word ',
  '<T>',
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }).map((parts) => parts.join(''));

/** Tags and addresses that a renderer makes of Markdown itself. */
function harmful(html: string): string[] {
  const bad = [...html.matchAll(/<(script|img|iframe|style|div|b|T)\b|<!--/g)].map(([tag]) => tag);
  for (const [, href] of html.matchAll(/href="([^"]*)"/g))
    if (/^\s*(?:javascript|data|vbscript):/i.test(href!)) bad.push(href!);
  return bad;
}

describe('what was said, as a part of a Markdown page', () => {
  it('makes no HTML, fetches no image, leads to no program, and ends where it ends', () => {
    fc.assert(
      fc.property(text, (said) => {
        const html = render(`before\n\n${quoted(said)}\n\n# After\n\n<i>ours</i>\n`);
        expect(harmful(html)).toEqual([]);
        expect(html).toContain('<h1>After</h1>');
        expect(html).toContain('<i>ours</i>');
      }),
      { numRuns: 600 },
    );
  });

  it.each(['\t', ' \t', '  \t', '   \t', '\t '])(
    'leaves its code nowhere but where a fence ends it: moved in by %j',
    (before) => {
      const html = render(quoted(`see:\n\`\`\`\n${before}\`\`\`\n<img src=x> ![p](http://evil.example/p.png)`));
      expect(harmful(html)).toEqual([]);
      expect(html).toContain('&lt;img src=x&gt;');
    },
  );

  it('stays letter for letter in fences and in code that is closed on its line', () => {
    const said =
      'Use `Array<string>`:\n\n```ts\nconst a: Map<string, T> = new Map<string, T>();\n```\n\nand <b>not</b> this.';
    expect(quoted(said)).toBe(
      '> Use `Array<string>`:\n>\n> ```ts\n> const a: Map<string, T> = new Map<string, T>();\n> ```\n>\n> and &lt;b>not&lt;/b> this.',
    );
    expect(quoted('see [docs](https://example.org) and [file](src/a.ts)')).toBe(
      '> see [docs](https://example.org) and [file](src/a.ts)',
    );
  });

  it('shows what a terminal would obey', () => {
    expect(quoted('a\u001b[31mb')).toBe('> a␛[31mb');
    expect(codeBlock('\u202ea')).toContain('<U+202E>a');
  });

  it('is one element as a block, a span or a line, whatever is in it', () => {
    fc.assert(
      fc.property(text, (said) => {
        const block = render(`${codeBlock(said)}\n\n# After`);
        expect(block.match(/<pre>/g)).toHaveLength(1);
        expect(block).toContain('<h1>After</h1>');
        const span = codeSpan(said);
        if (span !== '') expect(render(`x ${span} y`).match(/<code>/g)).toHaveLength(1);
        expect(harmful(render(`- ${harmlessLine(said)}\n\n| ${plainLine(said)} |\n|---|\n`))).toEqual([]);
        expect(render(`**a** ${plainLine(said)}`).match(/<(?:strong|em|code|del)\b/g)).toEqual(['<strong']);
      }),
      { numRuns: 300 },
    );
  });

  it('takes time in proportion to a text made to take longer', () => {
    const long = [
      '`'.repeat(200_000),
      '` '.repeat(100_000),
      '['.repeat(200_000),
      '<'.repeat(200_000),
      '``` `\n'.repeat(50_000),
      `${'@'.repeat(200_000)}\`a\``,
    ];
    for (const one of long) expect(quoted(one).length).toBeGreaterThan(one.length / 2);
  });
});
