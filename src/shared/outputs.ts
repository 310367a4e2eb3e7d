import { z } from 'zod';
import { COMPILE_FORMATS, EXPORT_FORMATS } from './choices.ts';
import { countsSchema, parentKindSchema, usageSchema } from './session.ts';
import { transcriptRowSchema } from './transcript.ts';

export const exportFormatSchema = z.enum(EXPORT_FORMATS);
export type ExportFormat = z.infer<typeof exportFormatSchema>;

export const compileFormatSchema = z.enum(COMPILE_FORMATS);
export type CompileFormat = z.infer<typeof compileFormatSchema>;

/** The session as `export --format json` tells it: what a reader needs, without paths of our own. */
export const exportedSessionSchema = z.object({
  id: z.string(),
  agent: z.string(),
  agent_version: z.string().nullable(),
  native_id: z.string(),
  title: z.string().nullable(),
  model: z.string().nullable(),
  cwd: z.string().nullable(),
  git_branch: z.string().nullable(),
  /** seconds since the epoch */
  started_at: z.number().nullable(),
  last_activity: z.number().nullable(),
  counts: countsSchema,
  usage: usageSchema,
  parent: z.string().nullable(),
  parent_kind: parentKindSchema.nullable(),
});

/** The file that `export --format json` writes. */
export const sessionExportSchema = z.object({
  format: z.literal('sessionctl.session'),
  version: z.literal(1),
  /** version of sessionctl that wrote it */
  sessionctl: z.string(),
  /** true: undone turns and dead branches are there too, with `active` false */
  all: z.boolean(),
  /** the session itself, then its sub-agents */
  sessions: z.array(
    z.object({
      session: exportedSessionSchema,
      /** rows that were left out because they are not active */
      inactive: z.number().int(),
      rows: z.array(transcriptRowSchema),
      /** `data:` URLs of the images that were small enough, by artifact */
      images: z.record(z.string(), z.string()),
    }),
  ),
});
