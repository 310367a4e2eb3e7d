import { isObject, type Json, objectOf } from '../json.ts';

/**
 * What a model is told, as a flat list in order, from a request of the client or from a model view. What stands between two
 * answers is sorted: OpenCode puts files and what it read of them in one message, a log tells them apart by who said them.
 */
export type Fact = string;

interface Block {
  kind: string;
  text?: string;
}

/** Facts of events, as the client itself would send them. */
export function factsOfView(
  events: readonly { type: string; payload: Json }[],
  artifacts: ReadonlyMap<string, { bytes: Uint8Array }> = new Map(),
): Fact[] {
  return sortedRuns(
    events.flatMap(({ type, payload }): Fact[] => {
      const blocks = ((payload.content ?? payload.summary ?? []) as Block[]).map((block) =>
        block.kind === 'text' ? `text ${block.text}` : block.kind,
      );
      switch (type) {
        case 'message.assistant':
          return blocks.map((block) => `answer ${block}`);
        case 'message.thinking':
          return [`answer thought ${String(payload.text ?? '')}`];
        case 'context.compacted':
          return ['text What did we do so far?', ...blocks.map((block) => `answer ${block}`)];
        case 'tool.call':
          return [`answer call ${String(payload.call_id)} ${String(payload.name)} ${canonical(payload.arguments)}`];
        case 'tool.result': {
          const texts = blocks.filter((block) => block.startsWith('text ')).map((block) => block.slice(5));
          const rest = blocks.filter((block) => !block.startsWith('text '));
          const whole = artifacts.get(String(objectOf(payload.truncated).artifact));
          const text = whole === undefined ? texts.join('') : new TextDecoder().decode(whole.bytes);
          return [`result ${String(payload.call_id)} ${text}`, ...rest];
        }
        default:
          return blocks;
      }
    }),
  );
}

/** Facts of the messages of a request, as chat completions or Anthropic messages. */
export function factsOfRequest(messages: readonly Json[]): Fact[] {
  return sortedRuns(messages.flatMap((message) => (message.role === 'assistant' ? answer(message) : told(message))));
}

function answer({ content, tool_calls, reasoning_content }: Json): Fact[] {
  const facts: Fact[] = typeof reasoning_content === 'string' ? [`answer thought ${reasoning_content}`] : [];
  if (typeof content === 'string' && content !== '') facts.push(`answer text ${content}`);
  if (Array.isArray(content))
    for (const part of content as Json[]) {
      if (part.type === 'text') facts.push(`answer text ${String(part.text)}`);
      if (part.type === 'thinking') facts.push(`answer thought ${String(part.thinking)}`);
      if (part.type === 'redacted_thinking') facts.push('answer thought ');
      if (part.type === 'tool_use')
        facts.push(`answer call ${String(part.id)} ${String(part.name)} ${canonical(part.input)}`);
    }
  for (const call of (tool_calls ?? []) as Json[]) {
    const { name, arguments: args } = objectOf(call.function);
    facts.push(`answer call ${String(call.id)} ${String(name)} ${canonical(JSON.parse(String(args)))}`);
  }
  return facts;
}

function told({ role, content, tool_call_id }: Json): Fact[] {
  if (role === 'tool') return [`result ${String(tool_call_id)} ${String(content)}`];
  if (typeof content === 'string') return [`text ${content}`];
  return (content as Json[]).flatMap((part): Fact[] => {
    if (part.type === 'text')
      return part.text === 'Attached media from tool result:' ? [] : [`text ${String(part.text)}`];
    if (part.type === 'tool_result') return [`result ${String(part.tool_use_id)} ${String(part.content)}`];
    return ['image'];
  });
}

function sortedRuns(facts: Fact[]): Fact[] {
  const out: Fact[] = [];
  let run: Fact[] = [];
  for (const fact of facts) {
    if (!fact.startsWith('answer ')) run.push(fact);
    else {
      out.push(...run.sort(), fact);
      run = [];
    }
  }
  return [...out, ...run.sort()];
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
