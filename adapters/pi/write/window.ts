import { join } from 'node:path';
import { providerWindow, unknownWindow } from '../../../src/core/tokens/models.ts';
import { tokenScale } from '../../../src/core/tokens/scale.ts';
import type { AgentEnv, TargetAdapter } from '../../contract.ts';
import { isObject, type Json, number, text } from '../json.ts';
import { agentFolder, readJson } from '../places.ts';

/** Pi compacts when less than this is left; its own default, `compaction.reserveTokens` (1.6.0). */
const KEPT_FREE = 16_384;
/** System prompt and the schemas of the four built-in tools: about 6,300 characters in the requests of 1.6.0, without the user's own. */
const PROMPT_TOKENS = 3_000;

/** What the user's Pi starts with; null = Pi's own choice, which we do not know. */
export function defaultModel(env: AgentEnv): { provider: string; id: string } | null {
  const settings = readJson(join(agentFolder(env), 'settings.json'));
  const provider = text(settings.defaultProvider);
  const id = text(settings.defaultModel);
  return provider === undefined || id === undefined || provider === '' || id === '' ? null : { provider, id };
}

/** TargetAdapter.window: the reserve is what Pi's own prompt needs and what lies above its compaction limit. */
export async function targetWindow(env: AgentEnv): ReturnType<TargetAdapter['window']> {
  const folder = agentFolder(env);
  const model = defaultModel(env);
  const known = model === null ? undefined : modelIn(readJson(join(folder, 'models.json')), model);
  const { compaction } = readJson(join(folder, 'settings.json'));
  const free = isObject(compaction) ? number(compaction.reserveTokens) : undefined;
  const own = number(known?.contextWindow);
  const { window, basis } =
    own === undefined
      ? ((model && providerWindow(model.provider, model.id)) ?? unknownWindow(model?.id ?? null))
      : { window: own, basis: "the user's models.json" };
  const scale = model?.provider === 'anthropic' || model?.id.includes('claude') === true ? 'claude' : 'codex';
  return {
    model: model?.id ?? null,
    window,
    basis,
    reserve: PROMPT_TOKENS + Math.max(0, free ?? KEPT_FREE),
    tokenizer: 'o200k_base',
    factor: tokenScale(model === null ? 'pi' : scale).factor,
  };
}

function modelIn({ providers }: Json, { provider, id }: { provider: string; id: string }): Json | undefined {
  const named = isObject(providers) ? providers[provider] : undefined;
  const models = isObject(named) && Array.isArray(named.models) ? (named.models as unknown[]) : [];
  return models.filter(isObject).find((model) => model.id === id);
}
