import { describe, expect, it } from 'vitest';
import { isPlain } from './plain-text.ts';

describe('text that is shown as it is', () => {
  it.each([
    ['quotes in quotes', '>'.repeat(20_000)],
    ['quotes with spaces', 'x\n> > '.concat('> '.repeat(100))],
    ['lists in lists', '+ - * '.repeat(1000)],
    ['numbered lists in lists', '1. '.repeat(1000)],
    ['ever deeper lists', Array.from({ length: 200 }, (_, i) => `${' '.repeat(2 * i)}- x`).join('\n')],
    ['emphasis in emphasis', `${'*_'.repeat(2000)}x${'_*'.repeat(2000)}`],
    ['emphasis with letters', `${'**a '.repeat(2000)}x${' a**'.repeat(2000)}`],
    ['pictures in pictures', `${'!['.repeat(3000)}x${'](a)'.repeat(3000)}`],
    ['very long text', 'word '.repeat(30_000)],
  ])('is what would keep a Markdown reader busy: %s', (_, text) => {
    expect(isPlain(text)).toBe(true);
  });

  it.each([
    ['prose', '# Title\n\n> quoted\n> > twice\n\n- one\n  - two\n\n1. *a* **b** _c_ ~~d~~ [e](f) ![g](h)'],
    ['rules', `${'-'.repeat(200)}\n\n${'*'.repeat(200)}\n\n- - - -\n\n${'='.repeat(200)}`],
    ['a wide table', `| ${'a | '.repeat(100)}\n| ${'--- | '.repeat(100)}\n`],
    ['many emphasised paragraphs', '**bold** and snake_case_name\n\n'.repeat(1500)],
    ['much code', `\`\`\`js\n${'const [a_b] = [c * d];\n'.repeat(2000)}\`\`\`\n\nDone.`],
    ['deep code', `${' '.repeat(120)}return x - 1;\n`.repeat(20)],
  ])('is not what people write: %s', (_, text) => {
    expect(isPlain(text)).toBe(false);
  });
});
