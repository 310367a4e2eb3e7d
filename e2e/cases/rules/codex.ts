import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileRules, type Line, lines, pairRules, type Rule, type Step, text, type Written } from './written.ts';

/** Payload types that Codex knows, by line type. */
const KNOWN: Record<string, RegExp> = {
  session_meta: /^$/,
  turn_context: /^$/,
  compacted: /^$/,
  world_state: /^$/,
  response_item:
    /^(message|reasoning|function_call|function_call_output|custom_tool_call|custom_tool_call_output|local_shell_call|web_search_call)$/,
  event_msg:
    /^(user_message|agent_message|agent_reasoning|agent_reasoning_raw_content|token_count|task_started|task_complete|turn_aborted|thread_rolled_back|context_compacted|item_completed|thread_name_updated)$/,
};

const items = (written: Written): Line[] => lines(written).filter((line) => line.type === 'response_item');

/** Prompts, replies, calls and results as Codex would send them. */
export function codexSteps(written: Written): Step[] {
  return items(written).flatMap(({ payload = {} }): Step[] => {
    const id = String(payload.call_id ?? '');
    const type = String(payload.type);
    if (type === 'function_call' || type === 'custom_tool_call' || type === 'local_shell_call') {
      return [
        { kind: 'call', id, family: type, text: String(payload.arguments ?? payload.input ?? ''), isError: false },
      ];
    }
    if (type.endsWith('_output')) {
      return [
        { kind: 'result', id, family: type.replace('_output', ''), text: textOf(payload.output), isError: false },
      ];
    }
    if (type !== 'message') return [];
    const kind = payload.role === 'assistant' ? 'reply' : 'prompt';
    return [{ kind, id: '', family: String(payload.role), text: textOf(payload.content), isError: false }];
  });
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part) => String(part.text ?? '')).join('\n') : '';
}

export const codexRules: Record<string, Rule> = {
  ...fileRules,
  ...pairRules(codexSteps),
  output_family_matches: (written) => {
    const families = new Map<string, string>();
    for (const step of codexSteps(written)) {
      if (step.kind === 'call') families.set(step.id, step.family);
      if (step.kind === 'result' && families.get(step.id) !== step.family)
        return `${step.id}: ${families.get(step.id)} answered by ${step.family}`;
    }
    return null;
  },
  codex_first_line_session_meta: (written) =>
    lines(written)[0]?.type === 'session_meta' ? null : 'first line is no session_meta',
  codex_meta_complete: (written) => {
    const meta = lines(written)[0]?.payload ?? {};
    const missing = ['id', 'timestamp', 'cwd', 'originator', 'cli_version', 'source', 'model_provider'].filter(
      (key) => typeof meta[key] !== 'string' || meta[key] === '',
    );
    return missing.length > 0 ? `session_meta lacks ${missing.join(', ')}` : null;
  },
  rfc3339_string_timestamps: (written) => {
    const wrong = lines(written).findIndex(
      (line) => typeof line.timestamp !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(line.timestamp),
    );
    return wrong < 0 ? null : `line ${wrong + 1}: timestamp ${JSON.stringify(lines(written)[wrong]?.timestamp)}`;
  },
  timestamps_nondecreasing: (written) => {
    const times = lines(written).map((line) => Date.parse(String(line.timestamp)));
    const at = times.findIndex((time, i) => i > 0 && time < (times[i - 1] ?? 0));
    return at < 0 ? null : `line ${at + 1} is earlier than the one before`;
  },
  codex_payload_types: (written) => {
    const wrong = lines(written).find((line) => !KNOWN[String(line.type)]?.test(String(line.payload?.type ?? '')));
    return wrong ? `unknown pair ${wrong.type}/${wrong.payload?.type}` : null;
  },
  codex_content_types: (written) => {
    for (const { payload = {} } of items(written)) {
      if (payload.type !== 'message') continue;
      const allowed = payload.role === 'assistant' ? ['output_text'] : ['input_text', 'input_image'];
      const parts = payload.content as { type: string }[];
      const wrong = !Array.isArray(parts) || parts.length === 0 || parts.find((part) => !allowed.includes(part.type));
      if (wrong) return `${payload.role} message holds ${JSON.stringify(wrong).slice(0, 80)}`;
    }
    return null;
  },
  codex_path_matches_meta: (written) => {
    const id = String(lines(written)[0]?.payload?.id);
    const [, year, month, day, rest] =
      /sessions\/(\d{4})\/(\d\d)\/(\d\d)\/rollout-(.*)\.jsonl$/.exec(written.path) ?? [];
    if (rest === undefined) return `path has not the form of a rollout: ${basename(written.path)}`;
    return rest.startsWith(`${year}-${month}-${day}T`) && rest.endsWith(id)
      ? null
      : `${basename(written.path)} does not name ${id}`;
  },
  codex_thread_registered_or_warned: (written) => {
    const folder = join(written.home, '.codex');
    const database = readdirSync(folder)
      .filter((name) => /^state_\d+\.sqlite$/.test(name))
      .sort()
      .at(-1);
    if (written.warnings.some((warning) => /regist|picker|list/i.test(`${warning.about} ${warning.detail}`)))
      return null;
    if (database === undefined || !existsSync(join(folder, database))) return null;
    const db = new DatabaseSync(join(folder, database), { readOnly: true });
    try {
      return db.prepare('select 1 from threads where id = ?').get(written.id)
        ? null
        : 'no row in threads and no warning';
    } finally {
      db.close();
    }
  },
  signed_thinking_only: (written) => (text(written).includes('"thinking"') ? 'a thinking block' : null),
  no_empty_text: (written) =>
    codexSteps(written).some((step) => (step.kind === 'prompt' || step.kind === 'reply') && step.text.trim() === '')
      ? 'an empty text'
      : null,
};
