import { z } from 'zod';
import { commandSchema } from './handoff.ts';

/** How an agent takes a compiled context: what to run, and what to type then where the command alone does not do it. */
export const injectionSchema = z.object({
  command: commandSchema.nullable(),
  prompt: z.string().nullable(),
  /** what the agent does with the file, in one sentence */
  how: z.string(),
  /** why this file does not reach the model whole, and what to do; absent when it does */
  too_long: z.string().optional(),
});
export type Injection = z.infer<typeof injectionSchema>;
