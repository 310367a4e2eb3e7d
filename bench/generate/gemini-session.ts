import type { Json } from './claude-session.ts';
import { randomOf } from './random.ts';
import { steps } from './steps.ts';

/**
 * Lines of a chat file, without end. An answer with a call is written when it is there, and again with the result of the call;
 * the result then goes back as a message of the user; each is followed by the time of the change.
 */
export function* geminiRecords(seed: number): Generator<Json> {
  const random = randomOf(seed + 4);
  const id = () => random.uuid();
  let begun = false;
  let answer: Json | null = null;
  let thoughts: Json[] = [];
  let content = '';
  for (const step of steps(seed)) {
    const timestamp = new Date(step.at).toISOString();
    if (!begun) {
      begun = true;
      const head = { sessionId: 'cd351736-321c-4f33-aca9-a10789acbb12', projectHash: random.hex(64) };
      yield { ...head, startTime: timestamp, lastUpdated: timestamp, kind: 'main' };
    }
    if (step.kind === 'thinking') {
      thoughts.push({ subject: 'Looking around', description: step.text, timestamp });
      continue;
    }
    if (step.kind === 'text' && !step.last) {
      content = step.text;
      continue;
    }
    if (step.kind === 'prompt') yield { id: id(), timestamp, type: 'user', content: [{ text: step.text }] };
    else if (step.kind !== 'result') {
      if (step.kind === 'text') content = step.text;
      const [input, output] = [random.int(900, 180_000), random.int(20, 900)];
      const tokens = { input, output, cached: 0, thoughts: 0, tool: 0, total: input + output };
      answer = { id: id(), timestamp, type: 'gemini', content, thoughts, tokens, model: 'gemini-3.1-pro-preview' };
      [thoughts, content] = [[], ''];
      yield answer;
    } else {
      const { id: callId, name: tool, input: args, text, failed } = step;
      const name = tool.toLowerCase();
      const response = failed ? { error: text } : { output: text };
      const result = [{ functionResponse: { id: callId, name, response } }];
      const state = { status: failed ? 'error' : 'success', timestamp, resultDisplay: text.slice(0, 200) };
      yield { ...answer, toolCalls: [{ id: callId, name, args, result, ...state, displayName: tool }] };
      yield { $set: { lastUpdated: timestamp } };
      yield { id: id(), timestamp, type: 'user', content: result };
    }
    yield { $set: { lastUpdated: timestamp } };
  }
}
