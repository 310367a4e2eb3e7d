import type { Output } from '../../shared/api.ts';
import { fail, ok } from '../../shared/errors.ts';
import { EVENT_TYPES, type FileEdit, type FileRead } from '../../shared/events.ts';
import { isOwn } from '../../shared/session.ts';
import type { StoreReader } from '../store/contract.ts';
import { type HandlersOf, resolveSession, withHome } from './context.ts';

/** Sessions as rows: lists, lineage, the files they touched, single events, artifacts, the way to go on. */
export const sessionProcedures: HandlersOf<
  | 'sessions.list'
  | 'sessions.get'
  | 'sessions.lineage'
  | 'sessions.files'
  | 'events.get'
  | 'artifacts.get'
  | 'resume.command'
  | 'resume.open'
> = {
  'sessions.list': (context, query) => withHome(context, async ({ store }) => ok(await store.reader.sessions(query))),
  'sessions.get': (context, { id }) => withHome(context, ({ store }) => resolveSession(store.reader, id)),
  'sessions.lineage': (context, { id }) =>
    withHome(context, async ({ store }) => {
      const row = await resolveSession(store.reader, id);
      return row.ok ? ok(await store.reader.lineage(row.value.id)) : row;
    }),
  'sessions.files': (context, { id }) =>
    withHome(context, async ({ store }) => {
      const row = await resolveSession(store.reader, id);
      return row.ok ? ok(await filesOf(store.reader, row.value.id)) : row;
    }),
  'events.get': (context, { id, seq }) =>
    withHome(context, async ({ store }) => {
      const row = await resolveSession(store.reader, id);
      if (!row.ok) return row;
      const last = row.value.events - 1;
      const [event] = seq <= last ? await store.reader.eventsAt(row.value.id, [seq]) : [];
      if (event) return ok({ ...event });
      return fail('not_found', `There is no event ${seq}: this session has events 0 to ${last}.`, { seq, last });
    }),
  'artifacts.get': (context, { hash }) =>
    withHome(context, async ({ store }) => {
      const ref = hash.startsWith('artifact:')
        ? hash
        : `artifact:${hash.startsWith('sha256:') ? hash : `sha256:${hash}`}`;
      const artifact = await store.reader.artifact(ref);
      if (!artifact) return fail('not_found', 'There is no such artifact in this store.', { ref });
      return ok({ media_type: artifact.media_type, base64: Buffer.from(artifact.bytes).toString('base64') });
    }),
  'resume.command': (context, { id }) =>
    withHome(context, async ({ store }) => {
      const row = await resolveSession(store.reader, id);
      if (!row.ok) return row;
      if (isOwn(row.value))
        return fail(
          'target_unsupported',
          'No agent has a file of this session. Hand it off: `sessionctl handoff <session> --to <agent>`.',
        );
      const adapter = context.agents.adapter(row.value.agent);
      return adapter.ok ? ok(adapter.value.resume(row.value, context.agents.env)) : adapter;
    }),
  'resume.open': async (context, input, signal) => {
    const { openTerminal } = context.options;
    if (!openTerminal)
      return fail('target_unsupported', 'Only the desktop app can open a terminal. Copy the command instead.');
    const command = await sessionProcedures['resume.command'](context, input, signal);
    if (!command.ok) return command;
    const opened = await openTerminal(command.value);
    return opened.ok ? ok({ opened: true }) : opened;
  },
};

const READ = EVENT_TYPES.indexOf('file.read');
const EDIT = EVENT_TYPES.indexOf('file.edit');
const PAGE = 1000;

/** Files by last touch, newest first. */
async function filesOf(reader: StoreReader, id: string): Promise<Output<'sessions.files'>> {
  const index = await reader.index(id);
  const seqs: number[] = [];
  for (let seq = 0; seq < index.n; seq++) if (index.type[seq] === READ || index.type[seq] === EDIT) seqs.push(seq);
  const files = new Map<string, Output<'sessions.files'>[number]>();
  for (let from = 0; from < seqs.length; from += PAGE) {
    for (const event of await reader.eventsAt(id, seqs.slice(from, from + PAGE))) {
      const { path } = event.payload as unknown as FileRead | FileEdit;
      const entry = files.get(path) ?? { path, reads: 0, edits: 0, last_seq: event.seq };
      if (event.type === 'file.read') entry.reads++;
      else entry.edits++;
      entry.last_seq = event.seq;
      files.set(path, entry);
    }
  }
  return [...files.values()].sort((a, b) => b.last_seq - a.last_seq);
}
