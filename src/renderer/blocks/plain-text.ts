/** Longer texts are shown as they are. */
const LONGEST = 100_000;

/** Quotes and lists in each other, each one a level of elements. */
const NESTED = /^[ \t]*(?:>[ \t]?|(?:[-+*]|\d{1,9}[.)])[ \t]+){50}|^[ \t]{200,}(?:[-+*]|\d{1,9}[.)])[ \t]/m;

/** Marks of emphasis in one paragraph; a parser's work grows with their square. */
const MOST_MARKS = 2000;
const MARK = /\*+|_+|~+|!?\[/g;
const FENCED = /^```[^`]*?^```[ \t]*$/gm;

/**
 * Whether a text is better shown as it is than read as Markdown: it is long, or of a form that no person writes and that
 * would keep the window busy for minutes or overflow the stack.
 */
export function isPlain(text: string): boolean {
  if (text.length > LONGEST || NESTED.test(text)) return true;
  if (text.length < MOST_MARKS) return false;
  const prose = text.replace(FENCED, '');
  return prose.split(/\n[ \t]*\n/).some((paragraph) => (paragraph.match(MARK)?.length ?? 0) > MOST_MARKS);
}
