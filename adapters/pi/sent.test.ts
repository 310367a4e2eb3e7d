import { describe, expect, it } from 'vitest';
import { listFixtures, readFixtureFile } from '../../fixtures/load.ts';
import { canonicalJson } from '../../src/core/log/canonical-json.ts';
import type { ContentBlock } from '../../src/shared/events.ts';
import { modelView } from '../testing/model-view.ts';
import { type Captured, captureFixture } from './testing/fixtures.ts';

type Json = Record<string, unknown>;

/** What Pi says for a call whose result was never written, and how it shows pictures of a result where the API has no place. */
const OWN_WORDS = /^(result \S+: No result provided|user: Attached image\(s\) from tool result)/;

/** The conversation in a request of one of three APIs, without reasoning. */
function factsSent(messages: readonly Json[]): string[] {
  return messages.flatMap(sentMessage).filter((fact) => !OWN_WORDS.test(fact));
}

function sentMessage(message: Json): string[] {
  const { type, role, content } = message;
  if (type === 'function_call')
    return [`call ${String(message.call_id)} ${String(message.name)} ${args(message.arguments)}`];
  if (type === 'function_call_output') return [`result ${String(message.call_id)}: ${flat(message.output)}`];
  if (type === 'reasoning') return [];
  if (role === 'tool') return [`result ${String(message.tool_call_id)}: ${flat(content)}`];
  const blocks = (Array.isArray(content) ? content : []) as Json[];
  const results = blocks.filter((block) => block.type === 'tool_result');
  if (results.length > 0) return results.map((block) => `result ${String(block.tool_use_id)}: ${flat(block.content)}`);
  if (role === 'user') return [`user: ${flat(content)}`];
  const said = flat(blocks.length > 0 ? blocks.filter((block) => /text$/.test(String(block.type))) : content);
  const calls = [
    ...blocks
      .filter((block) => block.type === 'tool_use')
      .map(({ id, name, input }) => ({ id, name, input: args(input) })),
    ...((message.tool_calls ?? []) as { id: string; function: Json }[]).map(
      ({ id, function: { name, arguments: text } }) => ({
        id,
        name,
        input: args(text),
      }),
    ),
  ];
  return [
    ...(said === '' ? [] : [`assistant: ${said}`]),
    ...calls.map(({ id, name, input }) => `call ${String(id)} ${String(name)} ${input}`),
  ];
}

const args = (value: unknown): string => canonicalJson(typeof value === 'string' ? JSON.parse(value) : value);

/** All texts on one line each; white space at the ends is the API's own. */
function flat(content: unknown): string {
  const parts = typeof content === 'string' ? [content] : ((content ?? []) as Json[]).map((part) => part.text);
  return parts
    .filter((text) => typeof text === 'string')
    .join('\n')
    .trim();
}

/** The same from our events; each run of texts of one answer is one. */
function factsOf(captured: Captured): string[] {
  const facts: string[] = [];
  let response: unknown;
  for (const { type, payload } of modelView(captured.events)) {
    const blocks = (payload.content ?? payload.summary ?? []) as ContentBlock[];
    const cut = payload.truncated as { artifact: string } | undefined;
    const text =
      cut === undefined
        ? flat(blocks.map((block) => (block.kind === 'text' ? { text: block.text } : {})))
        : String(Buffer.from(captured.sink.artifacts.get(cut.artifact)!.bytes)).trim();
    const id = String(payload.call_id).split('|')[0];
    if (type === 'context.compacted')
      facts.push(
        `user: The conversation history before this point was compacted into the following summary:\n\n<summary>\n${text}\n</summary>`,
      );
    else if (type === 'tool.call') facts.push(`call ${id} ${String(payload.name)} ${args(payload.arguments)}`);
    else if (type === 'tool.result') facts.push(`result ${id}: ${text === '' ? '(see attached image)' : text}`);
    else if (type === 'message.assistant' && payload.response === response && facts.at(-1)?.startsWith('assistant'))
      facts.push(`${facts.pop()}\n${text}`);
    else if (type !== 'message.thinking') facts.push(`${type === 'message.assistant' ? 'assistant' : 'user'}: ${text}`);
    response = payload.response;
  }
  return facts;
}

const names = await listFixtures('pi');

describe('the last request of the real client', () => {
  for (const name of names) {
    it(`${name}: is the model view, up to the answer`, async () => {
      const sent = await readFixtureFile('pi', name, 'sent.json');
      if (sent === undefined) return;
      const facts = factsSent(JSON.parse(String(sent)) as Json[]);
      // the files of old versions were resumed by 1.6.0, with one more prompt
      if (name.startsWith('20-legacy')) expect(facts.pop()).toBe('user: what happened so far?');
      const [captured] = await captureFixture(name);
      expect(factsOf(captured!).slice(0, facts.length)).toEqual(facts);
    });
  }
});
