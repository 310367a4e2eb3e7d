import { canonicalJson } from '../../src/core/log/canonical-json.ts';
import type { Usage } from '../../src/shared/events.ts';
import { extras, ownMembers } from './native.ts';
import { isObject, type Json } from './record.ts';

const COUNTS = {
  cache_read_input_tokens: 'cache_read',
  cache_creation_input_tokens: 'cache_write',
  input_tokens: 'input',
  output_tokens: 'output',
} as const;
const COUNT_NAMES = Object.keys(COUNTS) as (keyof typeof COUNTS)[];

/** The usage of one line: the counts, and what of the native object they do not give back. */
export interface LineUsage {
  usage: Usage;
  rest: Json | undefined;
}

const COUNTED: ReadonlySet<string> = new Set(COUNT_NAMES);

/** Native counts exclude the cache, so the four are disjoint already. */
export function mapUsage(native: Json): LineUsage {
  const usage: Usage = {};
  let rest = extras(native, COUNTED);
  for (const name of COUNT_NAMES) {
    const value = native[name];
    if (typeof value === 'number') usage[COUNTS[name]] = value;
    else if (value !== undefined) rest = { ...rest, [name]: value };
  }
  const details = native.output_tokens_details;
  if (isObject(details) && typeof details.thinking_tokens === 'number') usage.reasoning = details.thinking_tokens;
  return { usage, rest };
}

/** The inverse of `mapUsage`. */
export function unmapUsage(usage: Usage | undefined, rest: Json | undefined): Json {
  const native = ownMembers(rest ?? {});
  for (const name of COUNT_NAMES) {
    const value = usage?.[COUNTS[name]];
    if (value !== undefined) native[name] = value;
  }
  return native;
}

/**
 * Every line of an answer repeats its usage (early ones with partial numbers). It is written once, and again only when
 * it changed; readers take the maximum per field.
 */
export class UsageSeen {
  private response = '';
  private native: Json = {};

  /** Whether the same numbers were written for this answer already. */
  repeats(response: string, native: Json): boolean {
    if (response !== this.response) {
      this.response = response;
      this.native = native;
      return false;
    }
    const before = this.native;
    this.native = native;
    for (const name of COUNT_NAMES) if (before[name] !== native[name]) return false;
    return canonicalJson(before) === canonicalJson(native);
  }
}
