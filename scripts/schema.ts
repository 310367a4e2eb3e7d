// npm run schema: writes the JSON schemas of what we store and exchange; --check only compares (npm run check).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { outputSchemas } from '../src/cli/schema/json-schema.ts';
import { procedures } from '../src/shared/api.ts';
import { EVENT_TYPES, eventSchema } from '../src/shared/events.ts';
import { fidelityReportSchema, handoffPlanSchema, handoffResultSchema, receiptSchema } from '../src/shared/handoff.ts';
import { sessionExportSchema } from '../src/shared/outputs.ts';
import { manifestSchema, sessionRowSchema } from '../src/shared/session.ts';

const folder = join(import.meta.dirname, '..', 'schema');
const json = (schema: z.ZodType): object => z.toJSONSchema(schema, { unrepresentable: 'any', io: 'output' });

const api = Object.fromEntries(
  Object.entries(procedures).map(([name, { input, output }]) => [
    name,
    { input: z.toJSONSchema(input, { unrepresentable: 'any', io: 'input' }), output: json(output) },
  ]),
);

const files: Record<string, unknown> = {
  'canonical-session.schema.json': {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Canonical session: one event of events.jsonl, and its manifest',
    known_event_types: EVENT_TYPES,
    $defs: { event: json(eventSchema), manifest: json(manifestSchema) },
    $ref: '#/$defs/event',
  },
  'handoff.schema.json': {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Handoff: plan, result, fidelity report, receipt',
    $defs: {
      plan: json(handoffPlanSchema),
      result: json(handoffResultSchema),
      fidelity: json(fidelityReportSchema),
      receipt: json(receiptSchema),
    },
  },
  'session-row.schema.json': json(sessionRowSchema),
  'session-export.schema.json': {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A session as `export --format json` writes it',
    ...json(sessionExportSchema),
  },
  'api.json': api,
  ...Object.fromEntries(Object.entries(outputSchemas()).map(([name, schema]) => [join('cli', name), schema])),
};

const stale: string[] = [];
mkdirSync(join(folder, 'cli'), { recursive: true });
for (const [name, content] of Object.entries(files)) {
  const path = join(folder, name);
  const text = `${JSON.stringify(content, null, 2)}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  if (process.argv.includes('--check')) stale.push(name);
  else writeFileSync(path, text);
}
if (stale.length > 0) {
  console.error(`Out of date in schema/: ${stale.join(', ')}. Run: npm run schema`);
  process.exitCode = 1;
}
