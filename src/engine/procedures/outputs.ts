import { join } from 'node:path';
import { shorten } from '../../core/text.ts';
import type { Output, Parsed } from '../../shared/api.ts';
import type { CompiledContext } from '../../shared/compiled.ts';
import { ok, type Result } from '../../shared/errors.ts';
import type { SessionRow } from '../../shared/session.ts';
import type { ExportedText, Surroundings, TextExport } from '../outputs/export-text.ts';
import { type EngineContext, type HandlersOf, resolveSession, withHome } from './context.ts';
import { handoffProcedures } from './handoff.ts';

/** Sessions and compiled contexts for people and other programs. */
export const outputProcedures: HandlersOf<'compile.files' | 'export.start'> = {
  'compile.files': (context, { format, file, ...input }, signal) =>
    withHome(context, async (home) => {
      const row = await resolveSession(home.store.reader, input.session);
      if (!row.ok) return row;
      const compiled = await handoffProcedures['compile.run'](context, input, signal);
      if (!compiled.ok) return compiled;
      const { compiledFiles } = await import('../outputs/compiled.ts');
      return compiledFiles(home, row.value, compiled.value, { format, file });
    }),
  'export.start': (context, { session, ...request }) =>
    withHome(context, async (home) => {
      const row = await resolveSession(home.store.reader, session);
      if (!row.ok) return row;
      const { exportText } = await import('../outputs/export-text.ts');
      const { OUTPUTS } = await import('../../core/outputs/formats.ts');
      const path = join(context.options.home, 'exports', nameOf(row.value, OUTPUTS[request.format].extension));
      return ok(
        context.jobs.start('export', `Writing ${request.format}`, async (update, signal) => {
          const onProgress = (progress: { done: number; total: number }): void => update(progress);
          const done = await exportText(context, home, row.value, { ...request, path }, { signal, onProgress });
          if (!done.ok) return done;
          const { bytes, warnings } = done.value;
          return ok({ text: `Written to ${path}`, path, bytes, events: row.value.events, warnings });
        }),
      );
    }),
};

/** A name that says what it is, and that no export had before: with its time. */
function nameOf(row: SessionRow, extension: string): string {
  const words = (row.title ?? row.first_prompt ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const title = shorten(words.join('-'), 60).replace(/[…-]+$/, '');
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 17);
  return `${[title, row.id.slice('sess_'.length, 'sess_'.length + 8), time].filter(Boolean).join('-')}.${extension}`;
}

/** For programs on this machine: what is written where they say, and files of a context that they compiled. */
export interface OutputServices {
  compiledFiles(
    id: string,
    compiled: CompiledContext,
    form: Pick<Parsed<'compile.files'>, 'format' | 'file'>,
  ): Promise<Result<Output<'compile.files'>>>;
  exportText(id: string, request: TextExport, around?: Partial<Surroundings>): Promise<Result<ExportedText>>;
}

export function outputServices(context: EngineContext): OutputServices {
  return {
    compiledFiles: (id, compiled, form) =>
      withHome(context, async (home) => {
        const row = await resolveSession(home.store.reader, id);
        if (!row.ok) return row;
        const { compiledFiles } = await import('../outputs/compiled.ts');
        return compiledFiles(home, row.value, compiled, form);
      }),
    exportText: (id, request, around = {}) =>
      withHome(context, async (home) => {
        const row = await resolveSession(home.store.reader, id);
        if (!row.ok) return row;
        const { exportText } = await import('../outputs/export-text.ts');
        return exportText(context, home, row.value, request, { signal: new AbortController().signal, ...around });
      }),
  };
}
