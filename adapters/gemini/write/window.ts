import { join } from 'node:path';
import type { AgentEnv, TargetAdapter } from '../../contract.ts';
import { readText } from '../../io/open-file.ts';
import { geminiHome } from '../home.ts';
import { isObject } from '../read/record.ts';

/** `tokenLimit` of 0.61.0: all Gemini models have it; Gemma 4 has less. */
const WINDOW = 1_048_576;
const GEMMA_WINDOW = 256_000;
/** The client compresses a conversation that fills this part of the window (`DEFAULT_COMPRESSION_TOKEN_THRESHOLD` of 0.61.0). */
const COMPRESS_AT = 0.5;
/** Instructions, tool schemas and context that each request of 0.61.0 carries beside the conversation. */
const PROMPT_TOKENS = 15_000;

/** TargetAdapter.window: the reserve is what the client's own prompt needs and what lies above its compression limit. */
export async function targetWindow(env: AgentEnv): ReturnType<TargetAdapter['window']> {
  const settings = await settingsOf(env);
  const model = isObject(settings.model) ? settings.model : {};
  const name = typeof model.name === 'string' && model.name !== '' ? model.name : null;
  const window = name?.startsWith('gemma') === true ? GEMMA_WINDOW : WINDOW;
  const at = typeof model.compressionThreshold === 'number' ? model.compressionThreshold : COMPRESS_AT;
  const usable = Math.floor(window * Math.min(Math.max(at, 0.05), 1));
  return {
    model: name,
    window,
    reserve: window - usable + PROMPT_TOKENS,
    tokenizer: 'o200k_base',
    factor: 1,
    basis: 'tokenLimit of Gemini CLI 0.61.0',
  };
}

async function settingsOf(env: AgentEnv): Promise<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(readText(join(geminiHome(env), 'settings.json')));
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
