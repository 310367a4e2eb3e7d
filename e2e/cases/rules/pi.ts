import { basename, dirname } from 'node:path';
import { fileRules, type Line, lines, pairRules, type Rule, type Step, type Written } from './written.ts';

interface Block {
  type: string;
  text?: string;
  id?: string;
  arguments?: unknown;
}
interface Message {
  role?: string;
  content?: Block[];
  toolCallId?: string;
  toolName?: string;
  isError?: boolean;
  [field: string]: unknown;
}

const entries = (written: Written): Line[] => lines(written).filter((line) => line.type !== 'session');
const messages = (written: Written): Message[] =>
  entries(written).flatMap((line) => (line.type === 'message' ? [line.message as Message] : []));

/** Prompts, replies, calls and results in the order of the file. */
export function piSteps(written: Written): Step[] {
  return messages(written).flatMap((message, at): Step[] => {
    const { role, content = [] } = message;
    if (role === 'toolResult') {
      const text = JSON.stringify(content);
      return [
        { kind: 'result', id: String(message.toolCallId), family: 'tool', text, isError: message.isError === true },
      ];
    }
    return content.map((block): Step => {
      const one = { family: String(role), isError: false, response: `message ${at}` };
      if (block.type === 'toolCall')
        return { ...one, kind: 'call', id: String(block.id), family: 'tool', text: JSON.stringify(block.arguments) };
      return { ...one, kind: role === 'user' ? 'prompt' : 'reply', id: '', text: block.text ?? '' };
    });
  });
}

const USAGE = ['input', 'output', 'cacheRead', 'cacheWrite'];
const number = (value: unknown): boolean => typeof value === 'number';

/** Pi stops while it opens a reply that lacks any of these. */
function completeReply(message: Message): boolean {
  const { api, provider, model, stopReason, timestamp, usage } = message;
  const tokens = (usage ?? {}) as Record<string, unknown>;
  const cost = (tokens.cost ?? {}) as Record<string, unknown>;
  return (
    [api, provider, model, stopReason].every((value) => typeof value === 'string' && value !== '') &&
    Number.isInteger(timestamp) &&
    Number(timestamp) > 1e12 &&
    [...USAGE, 'totalTokens'].every((key) => number(tokens[key])) &&
    [...USAGE, 'total'].every((key) => number(cost[key]))
  );
}

export const piRules: Record<string, Rule> = {
  ...fileRules,
  ...pairRules(piSteps),
  pi_header_first: (written) => {
    const [header] = lines(written);
    const whole = header?.type === 'session' && header.version === 3 && header.id === written.id;
    return whole && typeof header.timestamp === 'string' && typeof header.cwd === 'string' ? null : 'no whole header';
  },
  pi_filename_matches_header: (written) => {
    const name = basename(written.path);
    const id = /^\d{4}-\d{2}-\d{2}T[\d-]+Z_(.+)\.jsonl$/.exec(name)?.[1];
    return id === lines(written)[0]?.id ? null : `${name} does not name the session`;
  },
  pi_folder_matches_cwd: (written) => {
    const cwd = String(lines(written)[0]?.cwd);
    const folder = `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
    return basename(dirname(written.path)) === folder ? null : `folder is not ${folder}`;
  },
  pi_content_arrays: (written) =>
    messages(written).every(({ content }) => Array.isArray(content)) ? null : 'content that is no list',
  pi_assistant_complete: (written) =>
    messages(written).every((message) => message.role !== 'assistant' || completeReply(message))
      ? null
      : 'a reply lacks a field',
  pi_toolresult_complete: (written) => {
    const wrong = messages(written).find(
      ({ role, toolCallId, toolName, isError }) =>
        role === 'toolResult' && (!toolCallId || !toolName || typeof isError !== 'boolean'),
    );
    return wrong ? `the result of ${wrong.toolCallId} lacks a field` : null;
  },
  ids_unique: (written) => {
    const ids = entries(written).map(({ id }) => id);
    return new Set(ids).size === ids.length ? null : 'an id repeats';
  },
  parents_resolve: (written) => {
    const seen = new Set<unknown>();
    for (const [at, { id, parentId }] of entries(written).entries()) {
      if (!(parentId === null ? at === 0 : seen.has(parentId))) return `parent of ${String(id)} is not before it`;
      seen.add(id);
    }
    return null;
  },
  single_chain: (written) => {
    const all = entries(written);
    const broken = all.find(({ parentId }, at) => at > 0 && parentId !== all[at - 1]?.id);
    return broken ? `${String(broken.id)} does not follow the entry before it` : null;
  },
  readback_counts_equal: (written) => {
    const all = messages(written);
    const { counts } = written;
    const found = {
      user: all.filter(({ role }) => role === 'user').length,
      assistant: all.filter(({ role, content }) => role === 'assistant' && content?.some(({ type }) => type === 'text'))
        .length,
      tool_call: piSteps(written).filter(({ kind }) => kind === 'call').length,
      tool_result: all.filter(({ role }) => role === 'toolResult').length,
    };
    const wrong = Object.entries(found).find(([name, count]) => counts[name as 'user'] !== count);
    return wrong ? `${wrong[1]} ${wrong[0]} written, ${counts[wrong[0] as 'user']} in the session` : null;
  },
};
