import { basename, dirname } from 'node:path';
import { fileRules, type Line, lines, pairRules, type Rule, type Step, text, type Written } from './written.ts';

interface Block {
  type: string;
  id?: string;
  tool_use_id?: string;
  input?: unknown;
  text?: string;
  content?: unknown;
  is_error?: boolean;
  signature?: string;
}

const chain = (written: Written): Line[] =>
  lines(written).filter((line) => line.type === 'user' || line.type === 'assistant');

function blocks(line: Line): Block[] {
  const content = (line.message as { content?: unknown } | undefined)?.content;
  return typeof content === 'string' ? [{ type: 'text', text: content }] : ((content as Block[] | undefined) ?? []);
}

/** Prompts, replies, calls and results in the order of the file. */
export function claudeSteps(written: Written): Step[] {
  return chain(written).flatMap((line) =>
    blocks(line).flatMap((block): Step[] => {
      const response = String((line.message as { id?: string } | undefined)?.id ?? '');
      if (block.type === 'tool_use')
        return [
          {
            kind: 'call',
            id: String(block.id),
            family: 'tool_use',
            text: JSON.stringify(block.input),
            isError: false,
            response,
          },
        ];
      if (block.type === 'tool_result') {
        return [
          {
            kind: 'result',
            id: String(block.tool_use_id),
            family: 'tool_use',
            text: JSON.stringify(block.content),
            isError: block.is_error === true,
          },
        ];
      }
      if (block.type !== 'text') return [];
      return [
        {
          kind: line.type === 'user' ? 'prompt' : 'reply',
          id: '',
          family: String(line.type),
          text: block.text ?? '',
          isError: false,
          response,
        },
      ];
    }),
  );
}

/** Claude Code's folder name of a working directory (formats: every UTF-16 unit outside [A-Za-z0-9] is a dash; cut at 200). */
function folderOf(cwd: string): string {
  const plain = cwd.replace(/[^a-zA-Z0-9]/g, '-');
  if (plain.length <= 200) return plain;
  let hash = 0;
  for (let i = 0; i < cwd.length; i++) hash = ((hash << 5) - hash + cwd.charCodeAt(i)) | 0;
  return `${plain.slice(0, 200)}-${Math.abs(hash).toString(36)}`;
}

const ENVELOPE = ['parentUuid', 'isSidechain', 'userType', 'cwd', 'sessionId', 'version', 'type', 'uuid', 'timestamp'];
const MESSAGE = ['id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'usage'];

export const claudeRules: Record<string, Rule> = {
  ...fileRules,
  ...pairRules(claudeSteps),
  ids_unique: (written) => {
    const ids = chain(written).map((line) => line.uuid);
    return new Set(ids).size === ids.length ? null : 'a uuid repeats';
  },
  parents_resolve: (written) => {
    const seen = new Set<unknown>();
    for (const [at, line] of chain(written).entries()) {
      if (!(line.parentUuid === null ? at === 0 : seen.has(line.parentUuid)))
        return `parent of ${line.uuid} is not before it`;
      seen.add(line.uuid);
    }
    return null;
  },
  single_chain: (written) => {
    const all = chain(written);
    const broken = all.find((line, at) => at > 0 && line.parentUuid !== all[at - 1]?.uuid);
    return broken ? `${broken.uuid} does not follow the message before it` : null;
  },
  claude_envelope: (written) => {
    const wrong = chain(written).find((line) => ENVELOPE.some((key) => !(key in line)));
    return wrong ? `${wrong.uuid} lacks ${ENVELOPE.filter((key) => !(key in wrong)).join(', ')}` : null;
  },
  claude_message_envelope: (written) => {
    for (const line of chain(written)) {
      if (line.type !== 'assistant') continue;
      const message = line.message as Record<string, unknown>;
      const missing = MESSAGE.filter((key) => !(key in message));
      if (missing.length > 0 || message.type !== 'message' || !Array.isArray(message.content))
        return `${line.uuid}: ${missing.join(', ') || 'content is no list'}`;
    }
    return null;
  },
  tool_input_is_object: (written) => {
    const wrong = chain(written)
      .flatMap(blocks)
      .find((block) => block.type === 'tool_use' && (typeof block.input !== 'object' || block.input === null));
    return wrong ? `input of ${wrong.id} is no object` : null;
  },
  tool_results_in_user_records: (written) => {
    const wrong = chain(written).find(
      (line) => line.type !== 'user' && blocks(line).some((block) => block.type === 'tool_result'),
    );
    return wrong ? `${wrong.uuid} is an assistant record with a result` : null;
  },
  one_message_per_id: (written) => {
    const done = new Set<string>();
    let current = '';
    for (const line of chain(written)) {
      const id = line.type === 'assistant' ? String((line.message as { id: string }).id) : '';
      if (id !== current && id !== '' && done.has(id)) return `records of ${id} are apart`;
      if (id !== '') done.add(id);
      current = id;
    }
    return null;
  },
  timestamps_nondecreasing: (written) => {
    const times = chain(written).map((line) => Date.parse(String(line.timestamp)));
    return times.every((time, at) => at === 0 || time >= (times[at - 1] ?? 0)) ? null : 'times go back';
  },
  filename_is_session_id: (written) =>
    chain(written).every((line) => `${line.sessionId}.jsonl` === basename(written.path))
      ? null
      : 'sessionId is not the file name',
  claude_folder_matches_cwd: (written) => {
    const cwd = String(chain(written)[0]?.cwd);
    return basename(dirname(written.path)) === folderOf(cwd)
      ? null
      : `folder ${basename(dirname(written.path))} is not that of ${cwd}`;
  },
  signed_thinking_only: (written) => {
    const wrong = chain(written)
      .flatMap(blocks)
      .find((block) => block.type === 'thinking' && (block.signature?.length ?? 0) < 40);
    return wrong ? 'a thinking block without a full signature' : null;
  },
  no_foreign_reasoning: (written) => {
    const found = /"type":"(thinking|redacted_thinking)"|encrypted_content/.exec(text(written));
    return found ? `foreign reasoning: ${found[0]}` : null;
  },
  no_empty_text: (written) =>
    claudeSteps(written).some((step) => (step.kind === 'prompt' || step.kind === 'reply') && step.text.trim() === '')
      ? 'an empty text'
      : null,
};
