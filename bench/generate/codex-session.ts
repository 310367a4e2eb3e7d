import { CWD, type Json } from './claude-session.ts';
import { randomOf } from './random.ts';
import { type Step, steps } from './steps.ts';

const THREAD = '01a22791-bb90-77e3-8fe5-30ec722705d2';
const WINDOW = 258_400;

/** Lines of a paginated rollout, without end: response items, their mirrors as events, usage twice. */
export function* codexRecords(seed: number): Generator<Json> {
  const random = randomOf(seed + 2);
  let ordinal = 0;
  let turn = '';
  let total = usageOf(0, 0);
  const line = (at: number, type: string, payload: Json): Json => ({
    timestamp: new Date(at).toISOString(),
    ordinal: ordinal++,
    type,
    payload,
  });
  const item = (step: Step, payload: Json): Json =>
    line(step.at, 'response_item', { ...payload, internal_chat_message_metadata_passthrough: { turn_id: turn } });
  const mirror = (step: Step, one: Json): Json =>
    line(step.at, 'event_msg', {
      type: 'item_completed',
      thread_id: THREAD,
      turn_id: turn,
      item: one,
      started_at_ms: step.at,
      completed_at_ms: step.at,
    });
  for (const step of steps(seed)) {
    if (ordinal === 0) yield line(step.at, 'session_meta', sessionMeta(step.at));
    if (step.kind === 'prompt') {
      turn = random.uuid();
      yield line(step.at, 'event_msg', { type: 'task_started', turn_id: turn, model_context_window: WINDOW });
      yield line(step.at, 'turn_context', turnContext(turn));
      yield item(step, message('user', 'input_text', step.text));
      yield mirror(step, { type: 'UserMessage', id: random.uuid(), content: [{ type: 'text', text: step.text }] });
    } else if (step.kind === 'thinking') {
      const id = `rs_${random.hex(48)}`;
      yield mirror(step, { type: 'Reasoning', id, summary_text: [step.text], raw_content: [] });
      const summary = [{ type: 'summary_text', text: step.text }];
      yield item(step, { type: 'reasoning', id, summary, encrypted_content: step.signature });
    } else if (step.kind === 'text') {
      const phase = step.last ? 'final_answer' : 'commentary';
      const id = `msg_${random.hex(48)}`;
      yield mirror(step, { type: 'AgentMessage', id, content: [{ type: 'Text', text: step.text }], phase });
      yield item(step, { ...message('assistant', 'output_text', step.text), id, phase });
      if (step.last)
        yield line(step.at, 'event_msg', { type: 'task_complete', turn_id: turn, last_agent_message: step.text });
    } else if (step.kind === 'call') {
      yield item(step, { type: 'function_call', id: `fc_${random.hex(48)}`, ...called(step) });
    } else {
      const { id, text, failed } = step;
      const state = { status: failed ? 'failed' : 'completed', aggregated_output: text, exit_code: failed ? 1 : 0 };
      const command = ['/bin/bash', '-lc', String(step.input.command ?? step.name)];
      yield mirror(step, { type: 'CommandExecution', id, command, cwd: CWD, ...state });
      const output = `Wall time: 0.1 seconds\nProcess exited with code ${failed ? 1 : 0}\nOutput:\n${text}`;
      yield item(step, { type: 'function_call_output', call_id: id, output });
      const last = usageOf(random.int(9000, 200_000), random.int(20, 900));
      total = usageOf(total.input_tokens + last.input_tokens, total.output_tokens + last.output_tokens);
      const info = { total_token_usage: total, last_token_usage: last, model_context_window: WINDOW };
      yield line(step.at, 'event_msg', {
        type: 'token_count',
        info,
        rate_limits: { limit_id: 'codex', primary: null },
      });
    }
  }
}

/** Commands as such, everything else as a function with its own arguments. */
function called({ id, name, input }: Step & { kind: 'call' }): Json {
  const command = name === 'Bash' ? { cmd: input.command } : name === 'Grep' ? { cmd: `rg ${input.pattern}` } : null;
  const { old_string, new_string } = input;
  const own = name === 'TodoWrite' ? { plan: planOf(input) } : { file: input.file_path, old_string, new_string };
  const tool = command !== null ? 'exec_command' : name === 'TodoWrite' ? 'update_plan' : name.toLowerCase();
  return { name: tool, arguments: JSON.stringify(command ?? own), call_id: id };
}

function planOf({ todos }: Json): Json[] {
  return (todos as Json[]).map(({ content, status }) => ({ step: content, status }));
}

function message(role: string, type: string, text: string): Json {
  return { type: 'message', role, content: [{ type, text }] };
}

function usageOf(input_tokens: number, output_tokens: number) {
  const total_tokens = input_tokens + output_tokens;
  return { input_tokens, cached_input_tokens: 0, output_tokens, reasoning_output_tokens: 0, total_tokens };
}

function sessionMeta(at: number): Json {
  const timestamp = new Date(at).toISOString();
  const by = { originator: 'codex_exec', cli_version: '0.171.0', source: 'exec', model_provider: 'openai' };
  return { id: THREAD, session_id: THREAD, timestamp, cwd: CWD, ...by };
}

function turnContext(turn_id: string): Json {
  const own = { approval_policy: 'never', sandbox_policy: { type: 'danger-full-access' }, summary: 'none' };
  return { turn_id, cwd: CWD, model: 'gpt-5.5', ...own };
}
