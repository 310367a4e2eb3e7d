/** One kind of secret. Rules are data: a pattern over a TextView's text, and the literals without which it cannot match. */
export interface Rule {
  /** kind of secret, as shown in placeholders and counts: lower-case words joined by "-" */
  readonly type: string;
  /** `definite` rules run at capture; they must not hurt text that only looks like a secret */
  readonly tier: 'definite';
  /** each match contains one of these; those that the prefilter searches are at least 3 characters long, ASCII */
  readonly anchors: readonly string[];
  /** shorter literals that the prefilter searches instead; the context test then looks at what is before them */
  readonly searched?: readonly string[];
  /** anchors are compared without regard to case */
  readonly anyCase?: boolean;
  /** cheap test on the bytes after an anchor, see prefilter.ts */
  readonly context: AnchorContext;
  /** context `token`: least number of token bytes behind an anchor */
  readonly run?: number;
  /** all secrets in `text`, in any order */
  find(text: string): Iterable<Found>;
}

/**
 * What must follow an anchor in the raw bytes of a line, weaker than the rule itself.
 * token: a byte that can go on a token; assignment: a name's end, a separator and a value; environment: a name's end, `=`
 * and a value; key: the same as assignment behind an owner of keys; value: a name's end and white space or a separator; url: an `@` before the authority ends; any: nothing.
 */
export type AnchorContext = 'token' | 'assignment' | 'key' | 'environment' | 'value' | 'url' | 'any';

export interface Found {
  start: number;
  end: number;
  /** overrides the type of the rule */
  type?: string;
  /** what identifies the secret, when it is not exactly the text of the range */
  secret?: string;
}

const NONE: Record<string, string | undefined> = {};

/**
 * All matches of a global pattern that `accept` lets pass. Where the pattern has a group `secret`, that is the secret; it
 * must be the end of the match (the flag `d` would run every pattern twice). Alternatives number theirs: `secret2` and so on,
 * since Node 22 takes no name twice.
 */
export function* matches(
  pattern: RegExp,
  text: string,
  accept: (value: string, match: RegExpExecArray) => boolean,
): Generator<Found> {
  pattern.lastIndex = 0;
  for (let m = pattern.exec(text); m !== null; m = pattern.exec(text)) {
    const { secret: first, secret2, secret3, secret4 } = m.groups ?? NONE;
    const secret = first ?? secret2 ?? secret3 ?? secret4 ?? m[0];
    const end = m.index + m[0].length;
    if (accept(secret, m)) yield { start: end - secret.length, end };
  }
}
