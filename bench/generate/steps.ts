import { claudeRecords, type Json } from './claude-session.ts';

/** What happens in a session, as every agent sees it; each agent's generator says it in that agent's own records. */
export type Step = { at: number; answer: string } & (
  | { kind: 'prompt'; text: string }
  | { kind: 'thinking'; text: string; signature: string }
  | { kind: 'text'; text: string; last: boolean }
  | { kind: 'call'; id: string; name: string; input: Json }
  | { kind: 'result'; id: string; name: string; input: Json; text: string; failed: boolean }
);

type Block = Record<'text' | 'thinking' | 'signature' | 'id' | 'name' | 'content', string> & {
  input: Json;
  is_error?: boolean;
};
type Message = { id: string; content: string | Block[]; stop_reason: string | null };

/** The steps of the same session that `writeClaudeSession` writes, without end. `at` = milliseconds, `answer` = id of the model's answer. */
export function* steps(seed: number): Generator<Step> {
  let call = { id: '', name: '', input: {} as Json };
  for (const [kind, record] of claudeRecords({ seed })) {
    if (kind === 'snapshot') continue;
    const message = record.message as Message;
    const common = { at: Date.parse(record.timestamp as string), answer: message.id };
    if (typeof message.content === 'string') yield { ...common, kind: 'prompt', text: message.content };
    else {
      const [block] = message.content as [Block];
      if (kind === 'thinking') yield { ...common, kind, text: block.thinking, signature: block.signature };
      if (kind === 'text') yield { ...common, kind, text: block.text, last: message.stop_reason === 'end_turn' };
      if (kind === 'call') {
        call = { id: block.id, name: block.name, input: block.input };
        yield { ...common, kind, ...call };
      }
      if (kind === 'result') yield { ...common, kind, ...call, text: block.content, failed: block.is_error === true };
    }
  }
}
