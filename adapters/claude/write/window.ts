import { join } from 'node:path';
import { claudeCodeWindow, unknownWindow } from '../../../src/core/tokens/models.ts';
import { tokenScale } from '../../../src/core/tokens/scale.ts';
import type { AgentEnv, TargetAdapter } from '../../contract.ts';
import { readText } from '../../io/open-file.ts';
import { configFolder } from '../discover.ts';
import { isObject, text } from '../record.ts';

/**
 * System prompt, tool schemas and notes that each request of 2.1.332 carries beside the conversation: 18,400 o200k tokens
 * measured, 22,000 by Claude's scale, without the user's own instructions and MCP tools.
 */
const PROMPT_TOKENS = 25_000;
/** Claude Code compacts when less than a reply (20,000) and a buffer (13,000) are left; constants inside 2.1.332. */
const KEPT_FREE = 33_000;

/** TargetAdapter.window: the reserve is what Claude Code's own prompt needs and what lies above its compaction limit. */
export async function targetWindow(env: AgentEnv): ReturnType<TargetAdapter['window']> {
  const model = text(env.env.ANTHROPIC_MODEL) ?? (await modelOfSettings(env)) ?? null;
  const { window, basis } = (model === null ? null : claudeCodeWindow(model)) ?? unknownWindow(model);
  return {
    model,
    window,
    basis,
    reserve: PROMPT_TOKENS + KEPT_FREE,
    tokenizer: 'o200k_base',
    factor: tokenScale('claude').factor,
  };
}

/** The user's own choice in settings.json; a missing or unreadable file gives none. */
async function modelOfSettings(env: AgentEnv): Promise<string | undefined> {
  try {
    const settings: unknown = JSON.parse(readText(join(configFolder(env), 'settings.json')));
    return isObject(settings) ? text(settings.model) : undefined;
  } catch {
    return undefined;
  }
}
