import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { type AppError, toAppError } from '../shared/errors.ts';
import { trimmed } from './bounds.ts';
import { clean } from './outgoing.ts';
import { fenced } from './quote.ts';
import type { Call, Tool } from './tool.ts';

/** As it is listed: codes are those of docs/errors.md. */
const errorSchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()).optional() }),
});

/** In the answer of any tool: what it may lack since not all was read, and why. */
const noteSchema = { note: z.string().optional() };

/** A tool as it is listed. Its structured output is what its schema says, or an error of our one list of codes. */
export function listedTool({ name, title, description, annotations, input, output }: Tool): ListedTool {
  return {
    name,
    title,
    description,
    annotations: { title, ...annotations },
    inputSchema: jsonSchema(input, 'input') as ListedTool['inputSchema'],
    outputSchema: {
      type: 'object',
      anyOf: [jsonSchema(output.extend(noteSchema), 'output'), jsonSchema(errorSchema, 'output')],
    },
  };
}

/** Without what costs a model tokens and tells it nothing; outputs may get new fields. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema: part }) => {
      if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
      if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
      if (io === 'output') delete part.additionalProperties;
      delete part.propertyNames;
    },
  });
  return json;
}

/** Runs a tool. Whatever fails is an answer with `isError`, a code, and what to do; nothing is thrown. */
export async function callTool(tool: Tool, call: Call, args: Record<string, unknown>): Promise<CallToolResult> {
  const input = tool.input.safeParse(ownArguments(args));
  if (!input.success) {
    const issue = input.error.issues[0];
    const where = issue?.path.join('.') || 'arguments';
    const message = `${where}: ${issue?.message ?? 'not valid'}`;
    return failed({ code: 'invalid_request', message, details: { path: where } }, call);
  }
  try {
    const result = await tool.run(call, input.data);
    if (!result.ok) return failed(result.error, call);
    const { note } = call.reading;
    const text = note === undefined ? result.value.text : `${note}\n${result.value.text}`;
    const value = { ...(result.value.value as object), ...(note === undefined ? {} : { note }) };
    return clean({ content: [{ type: 'text' as const, text }], structuredContent: value }, call.clean);
  } catch (error) {
    return failed(toAppError(error), call);
  }
}

/** Gemini CLI 0.61 adds an argument to every tool, for itself, and sends it along. */
const OF_CLIENTS = ['wait_for_previous'];

function ownArguments(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !OF_CLIENTS.includes(name)));
}

/** What a session that is not there, or not clear, may be missing for. */
const OF_READING: ReadonlySet<string> = new Set(['not_found', 'selection_required']);

/** The message of an error, with what was not read where that may be the reason. */
export function messageOf({ code, message }: AppError, { reading }: Call): string {
  return reading.note === undefined || !OF_READING.has(code) ? message : `${message} ${reading.note}`;
}

/** `details` may hold text of sessions (titles of candidates), and any number of entries. */
function failed(failure: AppError, call: Call): CallToolResult {
  const { code, details } = failure;
  const message = messageOf(failure, call);
  const shown =
    details === undefined
      ? undefined
      : (trimmed(clean(structuredClone(details), call.clean)) as Record<string, unknown>);
  const text = [
    `${code}: ${message}`,
    ...(shown === undefined ? [] : [fenced(code, JSON.stringify(shown, null, 1))]),
  ].join('\n');
  const error = { code, message, ...(shown === undefined ? {} : { details: shown }) };
  return clean({ isError: true, content: [{ type: 'text' as const, text }], structuredContent: { error } }, call.clean);
}
