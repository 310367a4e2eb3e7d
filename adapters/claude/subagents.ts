import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { CaptureSink, NativeParent, NativeSource } from '../contract.ts';
import { readJsonl } from '../io/jsonl.ts';
import { isObject, text } from './record.ts';
import { namesIn, readJsonFile, sideFolder } from './side-files.ts';

/** `agent-<id>.meta.json` beside a sub-agent's transcript (since 2.1.197). */
const metaSchema = z.looseObject({ toolUseId: z.string().optional(), description: z.string().optional() });

/** Parents larger than this are not searched for the call of an old sub-agent. */
const MAX_SEARCH = 256 * 1024 * 1024;

/** Whether a file holds a sub-agent, by its name. */
export const isAgentFile = (path: string): boolean => /^agent-[^/\\]+\.jsonl$/.test(basename(path));

/** Canonical ids of the sub-agent sessions of a file by the call that started them, as far as known now. */
export function childrenOf(path: string, sink: Pick<CaptureSink, 'idOf'>): Map<string, string> {
  const folder = join(sideFolder(path), 'subagents');
  const children = new Map<string, string>();
  for (const name of namesIn(folder)) {
    const agent = /^(agent-.+)\.meta\.json$/.exec(name)?.[1];
    const call = agent === undefined ? undefined : readMeta(join(folder, name))?.toolUseId;
    if (agent !== undefined && call !== undefined)
      children.set(call, sink.idOf({ path: join(folder, `${agent}.jsonl`), native_id: agent }));
  }
  return children;
}

/** What the client noted about a sub-agent; undefined for other files and older clients. */
export function metaOf(path: string): z.infer<typeof metaSchema> | undefined {
  return isAgentFile(path) ? readMeta(path.replace(/\.jsonl$/, '.meta.json')) : undefined;
}

function readMeta(path: string): z.infer<typeof metaSchema> | undefined {
  return metaSchema.safeParse(readJsonFile(path)).data;
}

/** What is known of a sub-agent's file before it is captured. */
export interface AgentFile {
  parent: NativeParent;
  /** the client started it to warm its cache, and no call of the session refers to it */
  warmup: boolean;
  /** answers of the session that the file repeats before its own; their usage is the session's */
  replayed: ReadonlySet<string>;
}

/**
 * Finds the session and the call that a sub-agent's file belongs to: by its meta.json, else by the parent's result
 * that names the agent. Undefined when the file names no other session.
 */
export function agentFileOf(source: NativeSource): AgentFile | undefined {
  const agent = source.native_id.replace(/^agent-/, '');
  const first = firstRecord(source.path);
  const session = source.parent?.native_id ?? text(first?.sessionId);
  if (session === undefined || session === source.native_id) return undefined;
  const meta = metaOf(source.path);
  const path = parentPath(source, session);
  const call = meta?.toolUseId ?? callOf(path, agent);
  const parent: NativeParent = { kind: 'subagent', native_id: session };
  if (call !== undefined) parent.call_id = call;
  const said = isObject(first?.message) ? first.message.content : undefined;
  // a sub-agent's own transcript begins with its prompt
  const replayed = first?.type === 'assistant' ? answersOf(path) : new Set<string>();
  return { parent, warmup: said === 'Warmup' && call === undefined, replayed };
}

function parentPath(source: NativeSource, session: string): string {
  const folder = dirname(source.path);
  return basename(folder) === 'subagents' ? `${dirname(folder)}.jsonl` : join(folder, `${session}.jsonl`);
}

function firstRecord(path: string): Record<string, unknown> | undefined {
  for (const record of records(path, 64 * 1024)) return record;
  return undefined;
}

/** The call whose result names the agent. */
function callOf(path: string, agent: string): string | undefined {
  for (const record of records(path, undefined)) {
    const { toolUseResult, message } = record;
    if (!isObject(toolUseResult) || toolUseResult.agentId !== agent || !isObject(message)) continue;
    const block = Array.isArray(message.content) ? (message.content as unknown[])[0] : undefined;
    if (isObject(block)) return text(block.tool_use_id);
  }
  return undefined;
}

function answersOf(path: string): Set<string> {
  const answers = new Set<string>();
  for (const { message } of records(path, undefined)) {
    const id = isObject(message) ? text(message.id) : undefined;
    if (id !== undefined) answers.add(id);
  }
  return answers;
}

function* records(path: string, chunkBytes: number | undefined): Generator<Record<string, unknown>> {
  try {
    for (const batch of readJsonl(path, { redactor: null, chunkBytes, maxLineBytes: MAX_SEARCH }))
      for (const line of batch) for (const record of line.records) if (isObject(record)) yield record;
  } catch {
    // a parent that is gone or cannot be read only means that the call stays unknown
  }
}
