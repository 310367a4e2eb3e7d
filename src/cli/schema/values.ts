import { z } from 'zod';
import { appErrorSchema, keyStateSchema, procedures, sourceSchema } from '../../shared/api.ts';
import { eventSchema, warningSchema } from '../../shared/events.ts';
import {
  commandSchema,
  fidelityReportSchema,
  handoffPlanSchema,
  handoffResultSchema,
  verdictSchema,
} from '../../shared/handoff.ts';
import { injectionSchema } from '../../shared/injection.ts';
import { exportFormatSchema } from '../../shared/outputs.ts';
import { sessionRowSchema } from '../../shared/session.ts';
import { transcriptRowSchema } from '../../shared/transcript.ts';

/**
 * What `--json` gives, by command: the value, and with `--jsonl` a line. The commands themselves do not load this; it makes
 * schema/cli/*.json (npm run schema), against which tests hold the real output.
 */
export interface CommandOutput {
  value: z.ZodType;
  line?: z.ZodType;
}

const int = z.number().int();
const id = z.string();

const importSummary = z.object({
  text: z.string(),
  done: int,
  total: int,
  unchanged: int,
  bytes: int,
  events: int,
  sessions_changed: int,
  changed: z.array(id),
  warnings: z.array(warningSchema),
  dropped_warnings: int,
});

const importedBundle = z.object({
  sessions: z.array(z.object({ id, events: int, added: z.boolean(), signed: z.boolean(), key_id: z.string() })),
});

const exportedBundle = z.object({
  path: z.string(),
  session: id,
  events: int,
  artifacts: int,
  head: z.string(),
  key_id: z.string(),
  public_key: z.string(),
  receipt: z.string(),
});

const exportedNative = z.object({
  session: id,
  agent: z.string(),
  native_id: z.string(),
  files: z.array(z.string()),
  command: commandSchema,
  fidelity: fidelityReportSchema,
  warnings: z.array(warningSchema),
  receipt: z.string(),
});

const exportedText = z.object({
  path: z.string(),
  format: exportFormatSchema,
  session: id,
  /** sub-agents that went along */
  subagents: int,
  bytes: int,
  sha256: z.string(),
  images: z.object({ included: int, left: int }),
  redaction: z.object({ removed: int, by_type: z.record(z.string(), int) }),
  warnings: z.array(warningSchema),
  receipt: id,
});

/** In the folder where the command runs. */
const agentHere = z.object({
  agent: z.string(),
  label: z.string(),
  installed: z.boolean(),
  version: z.string().nullable(),
  enabled: z.boolean(),
  sessions: int,
  last: z.object({ id, title: z.string().nullable(), last_activity: z.number().nullable() }).nullable(),
});

const status = z.object({
  home: z.string(),
  initialised: z.boolean(),
  keys: keyStateSchema,
  sessions: int,
  events: int,
  store_bytes: int,
  project: z.object({ cwd: z.string(), agents: z.array(agentHere) }),
  next: z.array(z.object({ command: z.string(), why: z.string() })),
});

const examination = z.object({
  ok: z.boolean(),
  version: z.string(),
  node: z.string(),
  platform: z.string(),
  home: z.string(),
  keys: keyStateSchema.nullable(),
  findings: z.array(
    z.object({
      id,
      level: z.enum(['ok', 'note', 'warn', 'error']),
      text: z.string(),
      fix: z.string().optional(),
    }),
  ),
});

const redactionReport = z.object({
  rules: int,
  sessions: int,
  events: int,
  older: int,
  definite: int,
  candidates: int,
  findings: z.array(
    z.object({ session: id, seq: int, tier: z.enum(['definite', 'candidate']), type: z.string(), field: z.string() }),
  ),
  dropped_findings: int,
});

const shownEvent = eventSchema.extend({ active: z.boolean(), in_model: z.boolean() });

const conversation = z.object({
  session: sessionRowSchema,
  total: int,
  rows: z.array(transcriptRowSchema),
  /** of a session that goes on over several ones: their native ids, and the last one */
  lineage: z.array(id).optional(),
  tip: id.optional(),
});

const resumed = commandSchema.extend({
  new_session: id.optional(),
  level: z.literal('L1').optional(),
  operation_id: id.optional(),
  receipt: id.optional(),
  replayed: z.boolean().optional(),
});

const sources = z.array(sourceSchema);

/** By the name of the command, words of subcommands joined by a hyphen. */
export const COMMAND_OUTPUTS: Record<string, CommandOutput> = {
  init: {
    value: z.object({
      home: z.string(),
      created: z.boolean(),
      keys: keyStateSchema,
      recovery_key: z.string().optional(),
      sources,
    }),
  },
  'sources-list': { value: sources },
  'sources-enable': { value: sources },
  'sources-disable': { value: sources },
  import: { value: z.union([importSummary, importedBundle]) },
  status: { value: status },
  list: { value: procedures['sessions.list'].output, line: sessionRowSchema },
  search: { value: procedures['sessions.search'].output },
  show: {
    value: z.union([conversation, z.object({ session: sessionRowSchema, events: z.array(shownEvent) }), eventSchema]),
    line: z.union([transcriptRowSchema, shownEvent]),
  },
  compile: {
    value: procedures['compile.run'].output.extend({
      path: z.string().optional(),
      files: z.array(z.string()).optional(),
      injection: injectionSchema.optional(),
    }),
  },
  handoff: { value: z.union([handoffResultSchema, handoffPlanSchema, procedures['handoff.undo'].output]) },
  export: { value: z.union([exportedText, exportedNative, exportedBundle]) },
  resume: { value: resumed },
  fork: { value: procedures['sessions.fork'].output },
  checkpoint: { value: procedures['sessions.checkpoint'].output },
  receipts: { value: procedures['receipts.list'].output },
  redact: { value: redactionReport },
  verify: {
    value: z.object({
      kind: z.enum(['store', 'session', 'receipt', 'bundle']),
      subjects: z.array(z.object({ id, verdict: verdictSchema })),
    }),
  },
  doctor: { value: examination },
  'mcp-install': {
    value: z.object({
      agent: z.string(),
      kind: z.enum(['mcp', 'skill']),
      file: z.string(),
      at: z.string(),
      action: z.enum(['add', 'update', 'remove', 'none']),
      text: z.string(),
      written: z.boolean(),
      next: z.string(),
    }),
  },
  serve: { value: z.object({ url: z.string(), port: int }) },
  completion: { value: z.object({ shell: z.string(), script: z.string() }) },
};

/** What stderr holds with `--json`: remarks, and an error as its last line. */
export const ERROR_LINE = z.object({ ok: z.literal(false), error: appErrorSchema });
export const NOTE_LINE = z.object({ note: z.string() });
