import { join } from 'node:path';
import { providerWindow, unknownWindow } from '../../src/core/tokens/models.ts';
import type { AgentEnv, TargetAdapter } from '../contract.ts';
import { textIfAny } from '../io/open-file.ts';
import { configFolder, stateFolder } from './home.ts';
import { isObject, type Json, numberOf, objectOf, textOf } from './json.ts';

/** A model as OpenCode names it. */
export interface Model {
  providerID: string;
  modelID: string;
}

/** OpenCode asks for at most so many tokens of an answer, and compacts when they would no longer fit. */
const MOST_OUTPUT = 32_000;
/** System prompt and tool schemas of 1.18.33, which each request carries beside the conversation: 9,600 + 33,000 characters. */
const PROMPT_TOKENS = 12_000;

/** The user's settings, those of the project last. */
function readConfigs(env: AgentEnv, cwd: string | null): Json[] {
  const folder = configFolder(env);
  const named = textOf(env.env.OPENCODE_CONFIG);
  const files = [
    ...['config.json', 'opencode.json', 'opencode.jsonc'].map((name) => join(folder, name)),
    ...(named === null ? [] : [named]),
    ...(cwd === null ? [] : ['opencode.json', 'opencode.jsonc'].map((name) => join(cwd, name))),
  ];
  return [...files.map(textIfAny), env.env.OPENCODE_CONFIG_CONTENT ?? ''].map(parseJsonc);
}

/** The model that OpenCode would take for a new session of this folder; null = it decides by what it finds itself. */
export async function ownModel(env: AgentEnv, cwd: string | null): Promise<Model | null> {
  const configs = readConfigs(env, cwd);
  const set = configs.map(({ model }) => modelOf(model)).findLast((model) => model !== null);
  if (set) return set;
  const state = parseJsonc(textIfAny(join(stateFolder(env), 'model.json')));
  const [recent] = Array.isArray(state.recent) ? (state.recent as unknown[]) : [];
  const providerID = textOf(objectOf(recent).providerID);
  const modelID = textOf(objectOf(recent).modelID);
  return providerID === null || modelID === null ? null : { providerID, modelID };
}

/** `provider/model`, where the model itself may have slashes. */
export function modelOf(name: unknown): Model | null {
  const text = textOf(name) ?? '';
  const slash = text.indexOf('/');
  return slash < 1 || slash === text.length - 1
    ? null
    : { providerID: text.slice(0, slash), modelID: text.slice(slash + 1) };
}

/** TargetAdapter.window: limits of the model from the user's settings, else from the list that OpenCode has fetched. */
export async function targetWindow(env: AgentEnv): ReturnType<TargetAdapter['window']> {
  const model = await ownModel(env, null);
  const limit = model === null ? {} : await limitOf(env, model);
  const output = Math.min(numberOf(limit.output) ?? MOST_OUTPUT, MOST_OUTPUT);
  const own = numberOf(limit.context);
  const { window, basis } =
    own === null
      ? ((model && providerWindow(model.providerID, model.modelID)) ?? unknownWindow(model?.modelID ?? null))
      : { window: own, basis: "OpenCode's settings and its model list" };
  return {
    model: model === null ? null : `${model.providerID}/${model.modelID}`,
    window,
    basis,
    reserve: output + PROMPT_TOKENS,
    tokenizer: 'o200k_base',
    factor: 1,
  };
}

async function limitOf(env: AgentEnv, { providerID, modelID }: Model): Promise<Json> {
  const list = join(env.env.XDG_CACHE_HOME ?? join(env.home, '.cache'), 'opencode', 'models.json');
  const known = parseJsonc(textIfAny(list));
  const providers = [known, ...readConfigs(env, null).map((config) => objectOf(config.provider))];
  const limits = providers.map((all) => objectOf(objectOf(objectOf(all[providerID]).models)[modelID]).limit);
  return objectOf(limits.findLast(isObject));
}

/** JSON with comments and commas behind the last item; {} for what cannot be read. */
export function parseJsonc(text: string): Json {
  const plain = text.replace(TOKENS, (token, string?: string) => string ?? (token.startsWith(',') ? '' : ' '));
  try {
    return objectOf(JSON.parse(plain));
  } catch {
    return {};
  }
}

/** A string (kept), a comment, or a comma with nothing but comments up to the closing bracket. */
const TOKENS = /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*[\]}])/g;
