/** What o200k tokens are worth to an agent's model. */
export interface TokenScale {
  /** model tokens = o200k tokens × factor */
  factor: number;
  /** relative uncertainty of that product */
  margin: number;
  /** where the figure comes from, in words for people */
  basis: string;
}

const SCALES: Record<string, TokenScale> = {
  codex: { factor: 1, margin: 0.01, basis: 'o200k is the tokenizer of OpenAI models' },
  claude: {
    factor: 1.2,
    margin: 0.15,
    basis:
      'Anthropic publishes no tokenizer; its models need about a fifth more tokens than o200k, depending on model and text',
  },
};

const UNKNOWN: TokenScale = { factor: 1.2, margin: 0.25, basis: 'the tokenizer of this agent’s model is not known' };

/** Factor and margin for an agent; an unknown agent gets a careful guess that says so. */
export function tokenScale(agent: string): TokenScale {
  return SCALES[agent] ?? UNKNOWN;
}
