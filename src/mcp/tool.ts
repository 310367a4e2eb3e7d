import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import type { Result } from '../shared/errors.ts';
import type { Connection } from './connection.ts';
import type { Clean } from './outgoing.ts';
import type { Reading } from './scanner.ts';

/** One call of a tool. */
export interface Call {
  connection: Connection;
  /** aborted when the client cancels the call or goes away */
  signal: AbortSignal;
  /** `_meta` of the request: what a client tells of itself */
  meta: Readonly<Record<string, unknown>>;
  /** Tells the client how far the work is; without effect when it did not ask. */
  progress(done: number, total: number | undefined, text: string): void;
  /** reads what is new, before a tool looks at sessions; its `note` is put into the answer */
  reading: Reading;
  /** takes secrets out of the answer */
  clean: Clean;
}

/** What a tool gives: JSON for programs, and the same for a model to read. */
export interface Answer<T> {
  value: T;
  text: string;
}

/** A tool of the server. Names have at most 40 characters of a-z and _: clients put the server's name in front. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: z.ZodObject;
  output: z.ZodObject;
  run(call: Call, input: unknown): Promise<Result<Answer<unknown>>>;
}

interface Definition<I extends z.ZodObject, O extends z.ZodObject> extends Omit<Tool, 'input' | 'output' | 'run'> {
  input: I;
  output: O;
  run(call: Call, input: z.output<I>): Promise<Result<Answer<z.input<O>>>>;
}

/** A tool whose code is checked against its own schemas. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(tool: Definition<I, O>): Tool {
  return tool as unknown as Tool;
}

/** Hints of a tool that changes nothing but what our own store knows. */
export const READS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
