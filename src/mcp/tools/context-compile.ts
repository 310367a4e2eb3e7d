import { z } from 'zod';
import { AGENTS } from '../../shared/agents.ts';
import { ok } from '../../shared/errors.ts';
import { budgetInput, compiledPage, pageSchema, partInput } from '../compiled.ts';
import { NOTICE } from '../quote.ts';
import { findSession } from '../session.ts';
import { defineTool, READS } from '../tool.ts';

/** Tokens of a page when nothing is said. */
const ROOM = 32_000;

export const contextCompile = defineTool({
  name: 'context_compile',
  title: 'Compile a context',
  description:
    'Compiles a session into one page for a given agent within a token budget, as `sessionctl compile` does: the same ' +
    'session and budget give the same bytes. Says how much was left out, and why. Long pages come in parts.',
  annotations: READS,
  input: z.strictObject({
    session: z.string().min(1).max(1000).describe('The session: an id, the beginning of one, or the path of its file.'),
    for: z.enum(AGENTS).describe('The agent that will read the page.'),
    budget: budgetInput.describe(
      `Tokens of the whole page in that agent's tokens (default ${ROOM}, less for a small window).`,
    ),
    ...partInput,
    max_chars: z.number().int().positive().optional().describe('A bound in characters too.'),
  }),
  output: z.object({ session: z.string(), for: z.string(), ...pageSchema.shape, notice: z.string() }),
  run: async (call, { session, for: target, ...wanted }) => {
    const row = await findSession(call, session, wanted.part);
    if (!row.ok) return row;
    const page = await compiledPage(call, { session: row.value.id, target, ...wanted }, ROOM);
    if (!page.ok) return page;
    const { parts, text, tokens, dropped } = page.value;
    const left = dropped.reduce((sum, { count }) => sum + count, 0);
    return ok({
      value: { session: row.value.id, for: target, ...page.value, notice: NOTICE },
      text: `${tokens} tokens of ${page.value.budget}, ${parts === 1 ? 'whole' : `in ${parts} parts`}; ${left} items were left out.\n\n${text}`,
    });
  },
});
