import type { SourceInfo } from '../../shared/api.ts';
import { ok, type Result } from '../../shared/errors.ts';
import { withUnknown } from '../agents/unknown.ts';
import type { ImportProgress, ImportRequest } from '../capture/contract.ts';
import { readHomeFile } from '../keys/home-file.ts';
import { type EngineContext, type HandlersOf, withHome } from './context.ts';

/** Which sources are read, and reading them. */
export const sourceProcedures: HandlersOf<
  'sources.list' | 'sources.set' | 'import.start' | 'jobs.list' | 'jobs.cancel'
> = {
  'sources.list': (context) => list(context),
  'sources.set': async (context, { agent, enabled }) => {
    const known = context.agents.adapter(agent);
    if (!known.ok) return known;
    return withHome(context, async ({ store }) => {
      const set = await store.writer.setSourceEnabled(agent, enabled);
      if (!set.ok) return set;
      context.emit({ topic: 'sources' });
      context.sourcesChanged();
      return list(context);
    });
  },
  'import.start': async (context, request) => {
    if (request.agent !== undefined) {
      const known = context.agents.adapter(request.agent);
      if (!known.ok) return known;
    }
    return withHome(context, async () => ok(startImport(context, request)));
  },
  'jobs.list': async (context) => ok(context.jobs.list()),
  'jobs.cancel': async (context, { id }) => context.jobs.cancel(id),
};

async function list(context: EngineContext): Promise<Result<SourceInfo[]>> {
  const found = await context.agents.discover();
  const file = await readHomeFile(context.options.home);
  if (!file.ok) return file;
  // first run: sources are shown with their counts before there is a store
  if (!file.value) return ok(found.map((source) => ({ ...source, enabled: false })));
  return withHome(context, async ({ store }) => {
    const enabled = new Set(await store.reader.enabledSources());
    const told = withUnknown(found, await store.reader.unknownRecords());
    return ok(told.map((source) => ({ ...source, enabled: enabled.has(source.agent) })));
  });
}

function startImport(context: EngineContext, request: ImportRequest) {
  return context.jobs.start('import', 'Looking for sessions', (update, signal) =>
    withHome(context, async ({ capture }) => {
      const summary = await capture.import(request, (progress: ImportProgress) => update(progress), signal);
      if (!summary.ok) return summary;
      const { text, done, total, bytes, events, sessions_changed, warnings } = summary.value;
      return ok({ text, done, total, bytes, events, sessions_changed, warnings });
    }),
  );
}
