import { join } from 'node:path';
import type { AgentEnv, TargetAdapter } from '../contract.ts';
import { textIfAny } from '../io/open-file.ts';
import { codexHome } from './home.ts';
import { readToml, type Toml } from './toml.ts';

/** What of the user's `config.toml` a written session must agree with. */
export interface CodexConfig {
  /** null = Codex's own default, which we do not know */
  model: string | null;
  /** provider id; Codex refuses to resume a thread of one that is not configured */
  provider: string;
  contextWindow: number | null;
  compactAt: number | null;
}

/** Reads `config.toml` with the profile it selects. A missing or unreadable file gives the defaults. */
export async function readConfig(env: AgentEnv): Promise<CodexConfig> {
  const text = textIfAny(join(codexHome(env), 'config.toml'));
  const toml = readToml(text);
  const profile = toml.get('', 'profile');
  const value = (key: string): ReturnType<Toml['get']> =>
    (typeof profile === 'string' ? toml.get(`profiles."${profile}"`, key) : undefined) ?? toml.get('', key);
  const text_ = (key: string): string | null => asText(value(key));
  return {
    model: text_('model'),
    provider: text_('model_provider') ?? 'openai',
    contextWindow: asCount(value('model_context_window')),
    compactAt: asCount(value('model_auto_compact_token_limit')),
  };
}

const asText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const asCount = (value: unknown): number | null => (typeof value === 'number' && value > 0 ? Math.floor(value) : null);

/** Raw windows from the model list inside the 0.171.0 binary, checked 2026-11-29; every other model there has 272,000. */
const WINDOWS: Record<string, number> = {
  'gpt-6.2-sol': 500_000,
  'gpt-6.1-sol': 500_000,
  'gpt-6.1-terra': 500_000,
  'gpt-daybreak-red-latest': 372_000,
};
const COMMON_WINDOW = 272_000;
/** Codex offers 95 % of the raw window to a conversation and compacts at 90 % of it (measured with 0.171.0). */
const USABLE = 0.95;
const COMPACT_AT = 0.9;
/** Instructions, tool schemas and environment that each request of 0.171.0 carries beside the conversation: 9,573 measured. */
const PROMPT_TOKENS = 10_000;

/** Window that a conversation has in Codex, and where Codex would compact it by itself. */
export function windowOf(config: CodexConfig): { window: number; compactAt: number } {
  const raw = config.contextWindow ?? (config.model === null ? undefined : WINDOWS[config.model]) ?? COMMON_WINDOW;
  const limit = Math.floor(raw * COMPACT_AT);
  return { window: Math.floor(raw * USABLE), compactAt: Math.min(config.compactAt ?? limit, limit) };
}

function basisOf({ contextWindow, model }: CodexConfig): string {
  if (contextWindow !== null) return 'model_context_window in config.toml';
  const list = 'model list of Codex 0.171.0, 2026-11-29';
  return model !== null && model in WINDOWS ? list : `${list}: what every other model has`;
}

/** TargetAdapter.window: the reserve is what Codex's own prompt needs and what lies above its compaction limit. */
export async function targetWindow(env: AgentEnv): ReturnType<TargetAdapter['window']> {
  const config = await readConfig(env);
  const { window, compactAt } = windowOf(config);
  return {
    model: config.model,
    window,
    reserve: window - compactAt + PROMPT_TOKENS,
    tokenizer: 'o200k_base',
    factor: 1,
    basis: basisOf(config),
  };
}
