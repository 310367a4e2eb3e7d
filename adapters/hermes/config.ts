import { join } from 'node:path';
import { type ModelWindow, providerWindow } from '../../src/core/tokens/models.ts';
import type { AgentEnv, TargetAdapter } from '../contract.ts';
import { textIfAny } from '../io/open-file.ts';
import { hermesHome } from './home.ts';

/** Window that Hermes takes for a model it cannot find out about (0.20.4, `CONTEXT_PROBE_TIERS`). */
const UNKNOWN_MODEL = 256_000;
/** Hermes compacts at half of the window, but not below three quarters where the window is smaller than 512,000. */
const [THRESHOLD, RAISED, RAISED_BELOW] = [0.5, 0.75, 512_000];
/** System prompt and tool schemas of a fresh home: about 60,000 characters in the requests of 0.19.1. */
const PROMPT_TOKENS = 16_000;

/** TargetAdapter.window: from `config.yaml`. The reserve is what lies above Hermes' own limit, and its own prompt. */
export async function targetWindow(env: AgentEnv): ReturnType<TargetAdapter['window']> {
  const text = textIfAny(join(hermesHome(env), 'config.yaml'));
  const section = sectionOf(text, 'model');
  const model =
    textOf(section, 'default') ?? textOf(section, 'model') ?? /^model:[ \t]*["']?([^\s"'#]+)/m.exec(text)?.[1] ?? null;
  const { window, basis } = windowOf(numberOf(section, 'context_length'), model);
  const threshold = numberOf(sectionOf(text, 'compression'), 'threshold') ?? THRESHOLD;
  const share = window < RAISED_BELOW ? Math.max(threshold, RAISED) : threshold;
  const limit = Math.floor(window * Math.min(Math.max(share, 0), 1));
  return {
    model,
    window,
    basis,
    reserve: Math.min(window, window - limit + PROMPT_TOKENS),
    tokenizer: 'o200k_base',
    factor: 1.1,
  };
}

/** What the user set, what the model has, or what Hermes takes where it finds out nothing. */
function windowOf(own: number | null, model: string | null): ModelWindow {
  if (own !== null) return { window: own, basis: 'context_length in config.yaml' };
  const known = model === null ? null : providerWindow(null, model);
  return known ?? { window: UNKNOWN_MODEL, basis: 'what Hermes 0.20.4 takes for a model that it does not know' };
}

/** The indented lines under a top-level key: all of YAML that is needed here. */
function sectionOf(text: string, key: string): string {
  return (
    new RegExp(`^${key}:[ \\t]*(?:#.*)?\\r?\\n((?:[ \\t]+.*(?:\\n|$)|[ \\t]*\\r?\\n)*)`, 'm').exec(text)?.[1] ?? ''
  );
}

function textOf(section: string, key: string): string | null {
  const value = new RegExp(`^[ \\t]+${key}:[ \\t]*(?:"([^"]*)"|'([^']*)'|([^\\s#]+))`, 'm').exec(section);
  return value?.[1] ?? value?.[2] ?? value?.[3] ?? null;
}

function numberOf(section: string, key: string): number | null {
  const value = Number(textOf(section, key) ?? Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : null;
}
