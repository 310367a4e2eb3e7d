import { sha256Hex } from '../../core/hash.ts';
import { a2aTask } from '../../core/outputs/a2a.ts';
import { injectionOf } from '../../core/outputs/injection.ts';
import type { Origin } from '../../core/outputs/origin.ts';
import { workMemory } from '../../core/outputs/work-mem.ts';
import { safeJson } from '../../core/safe-text.ts';
import type { Output, Parsed } from '../../shared/api.ts';
import type { CompiledContext } from '../../shared/compiled.ts';
import { ok, type Result } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import { outgoingRedactor } from '../handoff/outgoing.ts';
import type { OpenHome } from '../procedures/context.ts';
import { lastLook } from './last-look.ts';

type File = Output<'compile.files'>['files'][number];

/** A compiled context in the form that is asked for, as files that the caller puts where they belong. */
export async function compiledFiles(
  { store: { reader }, keys }: OpenHome,
  row: SessionRow,
  compiled: CompiledContext,
  { format, file }: Pick<Parsed<'compile.files'>, 'format' | 'file'>,
): Promise<Result<Output<'compile.files'>>> {
  const redactor = await outgoingRedactor(reader, row, keys.redaction);
  const looked = lastLook(structuredClone({ row, compiled }), redactor);
  const { text } = looked.compiled;
  const page = { ...looked.compiled, sha256: sha256Hex(text) };
  const [last] = await reader.eventsAt(row.id, [compiled.head]);
  const origin: Origin = { row: looked.row, head: { seq: compiled.head, checksum: last?.checksum ?? '' } };
  const where = { text, tokens: compiled.tokens, file: file ?? 'context.md', cwd: row.cwd };
  return ok({
    compiled: page,
    files: filesOf(format, page, origin).map((one) => ({ ...one, sha256: sha256Hex(one.text) })),
    ...(format === 'context' ? { injection: injectionOf(compiled.target, where) } : {}),
  });
}

function filesOf(
  format: Parsed<'compile.files'>['format'],
  compiled: CompiledContext,
  origin: Origin,
): Omit<File, 'sha256'>[] {
  if (format === 'work-mem')
    return workMemory(compiled, origin).map((one) => ({ ...one, media_type: 'text/markdown' }));
  if (format === 'a2a')
    return [
      { name: 'task.a2a.json', media_type: 'application/a2a+json', text: `${safeJson(a2aTask(compiled, origin))}\n` },
    ];
  return [{ name: 'context.md', media_type: 'text/markdown', text: compiled.text }];
}
