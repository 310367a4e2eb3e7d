import { z } from 'zod';
import { COMMAND_OUTPUTS, ERROR_LINE, NOTE_LINE } from './values.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The JSON Schema of every command's output, by file name; of stderr in `stderr.json`. */
export function outputSchemas(): Record<string, object> {
  const files: Record<string, object> = {
    'stderr.json': {
      ...json(z.union([NOTE_LINE, ERROR_LINE])),
      $schema: DIALECT,
      title: 'A line of stderr with --json: a remark, or the error, which comes last',
    },
  };
  for (const [name, { value, line }] of Object.entries(COMMAND_OUTPUTS)) {
    const command = `sessionctl ${name.replace('-', ' ')}`;
    files[`${name}.json`] = {
      ...json(z.object({ ok: z.literal(true), value })),
      $schema: DIALECT,
      title: `${command} --json`,
    };
    if (line) files[`${name}.line.json`] = { ...json(line), $schema: DIALECT, title: `a line of ${command} --jsonl` };
  }
  return files;
}

const json = (schema: z.ZodType): object => z.toJSONSchema(schema, { unrepresentable: 'any', io: 'output' });
