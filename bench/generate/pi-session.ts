import { CWD, type Json } from './claude-session.ts';
import { randomOf } from './random.ts';
import { type Step, steps } from './steps.ts';

/** Entries of a session file of version 3, without end: an answer is one entry with its thinking, text and call. */
export function* piRecords(seed: number): Generator<Json> {
  const random = randomOf(seed + 3);
  let parentId: string | null = null;
  const entry = (at: number, type: string, more: Json): Json => {
    const id = random.hex(8);
    const made = { type, id, parentId, timestamp: new Date(at).toISOString(), ...more };
    parentId = id;
    return made;
  };
  let begun = false;
  let content: Json[] = [];
  for (const step of steps(seed)) {
    if (!begun) {
      begun = true;
      const timestamp = new Date(step.at).toISOString();
      yield { type: 'session', version: 3, id: '01a22777-60db-766b-b701-93eb17ff86a3', timestamp, cwd: CWD };
      yield entry(step.at, 'model_change', { provider: 'anthropic', modelId: 'claude-sonnet-4-5' });
    }
    if (step.kind === 'prompt' || step.kind === 'result') yield entry(step.at, 'message', { message: asked(step) });
    else {
      content.push(block(step));
      if (step.kind !== 'call' && !(step.kind === 'text' && step.last)) continue;
      const [input, output] = [random.int(900, 180_000), random.int(20, 900)];
      const usage = { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output, cost: { total: 0.01 } };
      const by = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-sonnet-4-5', usage };
      const stopReason = step.kind === 'call' ? 'toolUse' : 'stop';
      yield entry(step.at, 'message', {
        message: { role: 'assistant', content, ...by, stopReason, timestamp: step.at },
      });
      content = [];
    }
  }
}

function asked(step: Step & { kind: 'prompt' | 'result' }): Json {
  const content = [{ type: 'text', text: step.text }];
  if (step.kind === 'prompt') return { role: 'user', content, timestamp: step.at };
  const { id, name, failed } = step;
  const call = { toolCallId: id, toolName: name.toLowerCase(), isError: failed, durationMs: 12 };
  return { role: 'toolResult', content, ...call, timestamp: step.at };
}

function block(step: Step): Json {
  if (step.kind === 'thinking') return { type: 'thinking', thinking: step.text, thinkingSignature: step.signature };
  if (step.kind === 'call')
    return { type: 'toolCall', id: step.id, name: step.name.toLowerCase(), arguments: step.input };
  return { type: 'text', text: step.kind === 'text' ? step.text : '' };
}
