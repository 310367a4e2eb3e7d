import type { CompileInput } from '../../core/compile/compile.ts';
import { checkedConclusions } from '../../core/compile/evidence.ts';
import { extractive, type Passage, type Summariser, type Summary } from '../../core/compile/summariser.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import { type Endpoint, endpointOf, type SummariserInput } from './endpoint.ts';
import { postJson } from './post.ts';
import { listIn, type Prompt, promptOf } from './prompt.ts';

const SECONDS = 60;
const MOST_TOKENS = 4_000;

type Concluded = NonNullable<CompileInput['concluded']>;

/**
 * Asks the named model for conclusions about passages, which were redacted before. Whatever goes wrong, the excerpts are left,
 * and `fell_back` says why. Errors: invalid_request, for an address that may not be asked (then nothing was sent); cancelled.
 */
export async function summarise(
  input: SummariserInput,
  session: string,
  all: readonly Passage[],
  signal: AbortSignal,
): Promise<Result<Concluded>> {
  const endpoint = endpointOf(input);
  if (!endpoint.ok) return endpoint;
  const model = modelSummariser(endpoint.value, input, session);
  const { conclusions, refused, failed } =
    all.length === 0 ? nothing('there is nothing to summarise') : await model.conclude(all, signal);
  if (signal.aborted) return fail('cancelled', 'Cancelled while a model was asked; no page was made.');
  const { name, isDeterministic } = failed === undefined ? model : extractive;
  return ok({
    by: {
      name,
      ...(model.model === undefined ? {} : { model: model.model }),
      deterministic: isDeterministic,
      conclusions: conclusions.length,
      refused,
      ...(failed === undefined ? {} : { fell_back: failed }),
    },
    conclusions,
  });
}

/** What a model says is checked: a sentence without evidence among the passages is refused. */
function modelSummariser(endpoint: Endpoint, input: SummariserInput, session: string): Summariser {
  return {
    name: endpoint.protocol,
    model: input.model,
    isDeterministic: false,
    conclude: async (all, signal) => {
      const prompt = promptOf(session, all);
      const limit = AbortSignal.any([signal, AbortSignal.timeout((input.seconds ?? SECONDS) * 1000)]);
      const answer = await ask(endpoint, input, prompt, limit);
      if (!answer.ok) return nothing(answer.why);
      const list = listIn(answer.text);
      if (list === null) return nothing('its answer has no list of conclusions');
      const { taken, refused } = checkedConclusions(list, prompt.passages);
      if (taken.length === 0) return nothing('none of its conclusions has evidence', refused.length);
      return { conclusions: taken, refused: refused.length };
    },
  };
}

const nothing = (failed: string, refused = 0): Summary => ({ conclusions: [], refused, failed });

async function ask(
  endpoint: Endpoint,
  { model, key }: SummariserInput,
  { system, user }: Prompt,
  signal: AbortSignal,
): Promise<{ ok: true; text: string } | { ok: false; why: string }> {
  const isAnthropic = endpoint.protocol === 'anthropic';
  const headers: Record<string, string> = isAnthropic
    ? { 'anthropic-version': '2023-06-01', ...(key === undefined ? {} : { 'x-api-key': key }) }
    : key === undefined
      ? {}
      : { authorization: `Bearer ${key}` };
  const body = isAnthropic
    ? { model, max_tokens: MOST_TOKENS, temperature: 0, system, messages: [{ role: 'user', content: user }] }
    : {
        model,
        max_tokens: MOST_TOKENS,
        temperature: 0,
        stream: false,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
      };
  const answer = await postJson(endpoint, headers, body, signal);
  if (!answer.ok) return answer;
  const text = isAnthropic ? messageText(answer.value) : completionText(answer.value);
  return text === null ? { ok: false, why: 'its answer has another shape than its protocol says' } : { ok: true, text };
}

/** Anthropic Messages: `content: [{type: "text", text}]`. */
function messageText(value: unknown): string | null {
  const content = (value as { content?: unknown } | null)?.content;
  if (!Array.isArray(content)) return null;
  const texts = (content as { type?: unknown; text?: unknown }[]).flatMap((block) =>
    block?.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
  return texts.length === 0 ? null : texts.join('\n');
}

/** OpenAI chat completions: `choices: [{message: {content}}]`. */
function completionText(value: unknown): string | null {
  const choices = (value as { choices?: unknown } | null)?.choices;
  if (!Array.isArray(choices)) return null;
  const content = (choices[0] as { message?: { content?: unknown } } | undefined)?.message?.content;
  return typeof content === 'string' ? content : null;
}
