import { describe, expect, it } from 'vitest';
import { markdownHtml } from './markdown-html.ts';

const html = (text: string): string => markdownHtml(text).replaceAll('\n', '');

describe('Markdown as HTML', () => {
  it('knows headings, emphasis, code, rules and quotes', () => {
    expect(html('# One\n\n### Three ###')).toBe('<h3>One</h3><h5>Three</h5>');
    expect(html('**a _b_** ~~c~~ `d<e` snake_case_name 2 * 3')).toBe(
      '<p><strong>a <em>b</em></strong> <del>c</del> <code>d&lt;e</code> snake_case_name 2 * 3</p>',
    );
    expect(html('``a ` b`` and \\*plain\\*')).toBe('<p><code>a ` b</code> and *plain*</p>');
    expect(html('a\n\n---\n\n> said\n> more')).toBe('<p>a</p><hr><blockquote><p>saidmore</p></blockquote>');
  });

  it('knows fences, also those that nobody closed, and leaves their text as it is', () => {
    expect(markdownHtml('```ts\nif (a < b) {\n  **c**\n}\n```\nend')).toBe(
      '<div class="code"><span class="lang">ts</span><pre>if (a &lt; b) {\n  **c**\n}</pre></div>\n<p>end</p>',
    );
    expect(html('~~~\n```\n~~~')).toBe('<div class="code"><pre>```</pre></div>');
    expect(html('```\nnever closed')).toBe('<div class="code"><pre>never closed</pre></div>');
  });

  it('knows lists in lists, numbers, tasks, and code in them', () => {
    expect(html('- a\n  - b\n    more\n- c')).toBe(
      '<ul><li><p>a</p><ul><li><p>bmore</p></li></ul></li><li>c</li></ul>',
    );
    expect(html('3. x\n4. y')).toBe('<ol start="3"><li>x</li><li>y</li></ol>');
    expect(html('- [ ] open\n- [x] done')).toBe('<ul><li>☐ open</li><li>☑ done</li></ul>');
    expect(html('1. first\n\n   ```\n   code\n   ```\n2. second')).toBe(
      '<ol><li><p>first</p><div class="code"><pre>code</pre></div></li><li>second</li></ol>',
    );
  });

  it('knows tables', () => {
    expect(html('| a | b |\n|---|:-:|\n| 1 | x \\| y |\nend')).toBe(
      '<div class="table"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>x | y</td></tr></tbody></table></div><p>end</p>',
    );
  });

  it('leads to the web alone, and fetches nothing', () => {
    const anchor = (address: string, label: string): string =>
      `<a href="${address}" rel="noopener noreferrer nofollow" target="_blank">${label}</a>`;
    expect(html('[docs](https://example.org/a?b=1&c=2)')).toBe(
      `<p>${anchor('https://example.org/a?b=1&amp;c=2', 'docs')}</p>`,
    );
    expect(html('see https://example.org/x.')).toBe(
      `<p>see ${anchor('https://example.org/x', 'https://example.org/x')}.</p>`,
    );
    expect(html('[run](javascript:alert(1)) [file](src/a.ts)')).toBe(
      '<p>run (javascript:alert(1)) file (src/a.ts)</p>',
    );
    expect(html('![shot](http://evil.example/p.png)')).toBe(
      '<p><span class="away">Image, not fetched: shot http://evil.example/p.png</span></p>',
    );
    expect(html('[a"onclick=x](https://x.example/"onclick="y)')).not.toMatch(/"onclick/);
  });

  it('comes to an end with text that was made to take long, and loses none of it', () => {
    const long = [
      '['.repeat(100_000),
      '` `` '.repeat(30_000),
      '> '.repeat(50_000),
      '- x\n\n'.repeat(20_000),
      '|\n'.repeat(50_000),
      '```\n'.repeat(50_000),
    ];
    for (const text of long) expect(markdownHtml(text).length).toBeGreaterThan(0);
    const deep = Array.from({ length: 200 }, (_, at) => `${' '.repeat(2 * at)}- item${at}`).join('\n');
    for (let at = 0; at < 200; at++) expect(markdownHtml(deep)).toContain(`item${at}`);
  });
});
