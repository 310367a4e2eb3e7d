import { PRIVATE_KEY_RULE } from './private-key.ts';
import type { Rule } from './rule.ts';
import { CONTEXT_RULES } from './rules-context.ts';
import { TOKEN_RULES } from './rules-tokens.ts';

/** Raised with every change of what the rules find; kept with findings, so that old sessions can be scanned again. */
export const RULES_VERSION = 4;

/** All rules of the tier that runs at capture. Where ranges overlap, the earlier rule names the secret. */
export const RULES: readonly Rule[] = [PRIVATE_KEY_RULE, ...TOKEN_RULES, ...CONTEXT_RULES];

/** Index of the rule that needs to see neighbouring strings too (private-key.ts, KeyCarry). */
export const PRIVATE_KEYS = 0;

/** Rules that can match in some text, as indexes into RULES. */
export type RuleHits = readonly number[];

const escaped = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const anchorPattern = (rule: Rule): RegExp =>
  new RegExp(rule.anchors.map(escaped).join('|'), rule.anyCase === true ? 'i' : '');

const ANCHORS: readonly RegExp[] = RULES.map(anchorPattern);

/** Stands for "no prefilter has seen this text": which rules are worth running is found out text by text. */
export const ALL_RULES: RuleHits = [];

/** Every single rule, whatever the prefilter says. */
export const EVERY_RULE: RuleHits = RULES.map((_, index) => index);

/** Whether a text holds what a rule cannot do without. */
export function mayMatch(text: string, rule: number): boolean {
  return (ANCHORS[rule] as RegExp).test(text);
}
