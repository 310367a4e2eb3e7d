import { z } from 'zod';
import { ok } from '../../shared/errors.ts';
import { needSession } from '../bound.ts';
import { compiledPage, emptyPage, pageSchema, partInput } from '../compiled.ts';
import { fenced, lineOf, NOTICE } from '../quote.ts';
import { briefLine, briefOf, briefSchema, findSession } from '../session.ts';
import { defineTool, READS } from '../tool.ts';

/** Tokens of the page, when what is vital does not need more. */
const ROOM = 2_000;
/** Files that are named, those touched last first. */
const FILES = 20;

export const sessionSummary = defineTool({
  name: 'session_summary',
  title: 'Summary of a session',
  description:
    'What a session is about, in about 2,000 tokens: its facts, the files it touched, the task, the state, open points and ' +
    'the last error. Without `session`: of this conversation, when it is known which one that is.',
  annotations: READS,
  input: z.strictObject({
    session: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('The session: an id, the beginning of one, or the path of its file.'),
    ...partInput,
  }),
  output: z.object({
    session: briefSchema,
    children: z.number().int(),
    errors: z.number().int(),
    files: z.array(z.object({ path: z.string(), reads: z.number().int(), edits: z.number().int() })),
    files_total: z.number().int(),
    ...pageSchema.shape,
    notice: z.string(),
  }),
  run: async (call, { session: handle, ...wanted }) => {
    const row = await (handle === undefined ? needSession(call) : findSession(call, handle, wanted.part));
    if (!row.ok) return row;
    const { engine } = call.connection;
    const touched = await engine.call('sessions.files', { id: row.value.id }, call.signal);
    if (!touched.ok) return touched;
    const target = call.connection.agent ?? row.value.agent;
    const page = await compiledPage(call, { session: row.value.id, target, ...wanted }, ROOM);
    if (!page.ok && page.error.code !== 'no_conversation') return page;
    const told = page.ok ? page.value : emptyPage(ROOM);
    const session = briefOf(row.value, call.clean);
    const files = touched.value
      .slice(0, FILES)
      .map(({ path, reads, edits }) => ({ path: lineOf(path, 300, call.clean), reads, edits }));
    const facts = [
      briefLine(session),
      ...files.map(({ path, reads, edits }) => `  ${path} (read ${reads} times, edited ${edits} times)`),
      ...(touched.value.length > FILES ? [`  … and ${touched.value.length - FILES} more files`] : []),
    ];
    return ok({
      value: {
        session,
        children: row.value.children.length,
        errors: row.value.errors,
        files,
        files_total: touched.value.length,
        ...told,
        notice: NOTICE,
      },
      text: `${fenced(session.id, facts.join('\n'))}\n\n${told.text}`,
    });
  },
});
