/** What is known of a model's window, and from where. */
export interface ModelWindow {
  /** tokens */
  window: number;
  /** in words for people, with the day on which it was looked up */
  basis: string;
}

/** Where nothing is known. Careful: hardly a model that agents use today has less. */
export const UNKNOWN_WINDOW = 200_000;

/**
 * Windows as the model list inside Claude Code 2.1.332 has them (`context.window`), looked up on 2026-11-30. `[1m]` behind a
 * name asks for the large one. Names are those of its list, without date.
 */
const CLAUDE_CODE: Record<number, string> = {
  1000000:
    'claude-haiku-5-5 claude-sonnet-5 claude-sonnet-5-5 claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-opus-5-5 claude-fable-5 claude-fable-5-1 claude-fable-5-2 claude-mythos-5 claude-mythos-5-1 claude-mythos-5-2',
  200000:
    'claude-haiku-4-5 claude-sonnet-4-0 claude-sonnet-4-5 claude-sonnet-4-6 claude-opus-4-0 claude-opus-4-1 claude-opus-4-5 claude-opus-4-6',
};
const CLAUDE_CODE_BASIS = 'model list of Claude Code 2.1.332, 2026-11-30';

/**
 * Windows by provider as the model list inside Pi 1.6.0 has them, looked up on 2026-11-30. The same model can have another one
 * elsewhere.
 */
const PROVIDERS: Record<string, Record<number, string>> = {
  anthropic: {
    1000000:
      'claude-fable-5 claude-fable-5-1 claude-fable-5-2 claude-haiku-5-5 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-opus-5-5 claude-sonnet-4-6 claude-sonnet-5 claude-sonnet-5-5',
    200000: 'claude-haiku-4-5 claude-opus-4-5 claude-sonnet-4-5',
  },
  openai: {
    1050000: 'gpt-5.4-pro gpt-5.5-pro gpt-6-cyber gpt-daybreak-blue-latest',
    1047576: 'gpt-4.1 gpt-4.1-mini gpt-4.1-nano',
    400000:
      'chat-latest gpt-5 gpt-5-mini gpt-5-nano gpt-5-pro gpt-5.1 gpt-5.2 gpt-5.2-pro gpt-5.3-codex gpt-5.4-mini gpt-5.4-nano gpt-5.6-cyber gpt-daybreak-red-latest',
    272000:
      'gpt-5.4 gpt-5.5 gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra gpt-6-astra gpt-6-luna gpt-6-sol gpt-6.1-sol gpt-6.1-terra gpt-6.2-astra gpt-6.2-sol',
    200000: 'o1 o1-pro o3 o3-mini o3-pro o4-mini',
    128000: 'gpt-4-turbo gpt-4o gpt-4o-mini gpt-5-chat-latest gpt-5.3-codex-spark',
    8192: 'gpt-4',
  },
  'openai-codex': {
    500000: 'gpt-6.1-sol gpt-6.1-terra gpt-6.2-sol',
    272000: 'gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra gpt-6-astra gpt-6-luna gpt-6-sol gpt-6.2-astra',
  },
  google: {
    1048576:
      'gemini-2.5-flash gemini-2.5-flash-lite gemini-2.5-pro gemini-3-flash-preview gemini-3.1-flash-lite gemini-3.1-flash-lite-preview gemini-3.1-pro-preview gemini-3.5-flash gemini-3.5-flash-lite gemini-3.6-flash gemini-3.7-flash gemini-3.8-flash gemini-4-argon gemini-4-carbon gemini-4-hydrogen gemini-4-neon gemini-flash-latest gemini-flash-lite-latest gemini-pro-latest',
    262144: 'gemma-4-26b-a4b-it gemma-4-31b-it',
  },
  xai: { 1000000: 'grok-4.3', 500000: 'grok-4.5 grok-4.6 grok-4.7' },
  deepseek: { 1000000: 'deepseek-flash deepseek-v4-pro' },
  moonshotai: {
    1048576: 'kimi-k3 kimi-k3.1-pro kimi-k3.1-pro-highspeed',
    262144: 'kimi-k2.6 kimi-k2.7-code kimi-k2.7-code-highspeed',
  },
  zai: {
    1000000: 'glm-5.2 glm-5.2-highspeed glm-5.3 glm-5.3-flash glm-5.3-highspeed',
    204800: 'glm-4.7',
    200000: 'glm-5-turbo',
  },
  mistral: {
    1048576: 'mistral-large-4 mistral-large-latest',
    262144:
      'devstral-2512 devstral-latest devstral-medium-latest magistral-medium-latest mistral-large-2512 mistral-medium-2508 mistral-medium-2604 mistral-medium-3.5 mistral-medium-latest mistral-small-2603 mistral-small-latest',
    256000: 'codestral-2508 codestral-latest',
  },
};
const PROVIDERS_BASIS = 'model list of Pi 1.6.0, 2026-11-30';

/** Window of a model in Claude Code; null = it is none of its list. */
export function claudeCodeWindow(model: string): ModelWindow | null {
  if (/\[1m\]$/i.test(model)) return { window: 1_000_000, basis: `asked for by [1m]; ${CLAUDE_CODE_BASIS}` };
  const window = windowIn(CLAUDE_CODE, bareName(model));
  return window === null ? null : { window, basis: CLAUDE_CODE_BASIS };
}

/**
 * Window of a provider's model. Where the provider is not known the smallest that any of them gives counts; null = no
 * provider of the list has such a model.
 */
export function providerWindow(provider: string | null, model: string): ModelWindow | null {
  const name = bareName(model);
  const own = provider === null ? undefined : PROVIDERS[provider];
  const window = own && windowIn(own, name);
  if (window) return { window, basis: PROVIDERS_BASIS };
  const all = Object.values(PROVIDERS)
    .map((table) => windowIn(table, name))
    .filter((found) => found !== null);
  return all.length === 0 ? null : { window: Math.min(...all), basis: `${PROVIDERS_BASIS}; smallest of its providers` };
}

/** Said of the default. */
export const unknownWindow = (model: string | null): ModelWindow => ({
  window: UNKNOWN_WINDOW,
  basis:
    model === null
      ? `the agent's own choice of a model is not known; a careful ${UNKNOWN_WINDOW}`
      : `the window of ${model} is not known; a careful ${UNKNOWN_WINDOW}`,
});

function windowIn(table: Record<number, string>, name: string): number | null {
  const found = Object.entries(table).find(([, names]) => names.split(' ').includes(name));
  return found === undefined ? null : Number(found[0]);
}

/** `anthropic/claude-opus-4.5`, `us.anthropic.claude-opus-4-5-20251101-v1:0` → `claude-opus-4-5`; other names as they are. */
function bareName(model: string): string {
  const name = model.trim().toLowerCase().split('/').at(-1) ?? '';
  const claude = /claude-[a-z]+-[\d.-]+/.exec(name)?.[0];
  if (claude === undefined) return name;
  return claude
    .replaceAll('.', '-')
    .replace(/-\d{8}.*$/, '')
    .replace(/-+$/, '');
}
