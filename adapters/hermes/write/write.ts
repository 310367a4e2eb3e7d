import { ok, type Result } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import type { MaterializeOptions, SessionSource, Written } from '../../contract.ts';
import { requireCwd, writeSession } from '../../conversation/write.ts';
import { sessionPath } from '../../io/database-path.ts';
import { realFolder } from '../../io/real-folder.ts';
import { databaseOf } from '../home.ts';
import type { Json } from '../json.ts';
import { checkDatabase } from './database.ts';
import { insertSession } from './insert.ts';
import { digestOfLines } from './lines.ts';
import { RowWriter } from './rows.ts';
import { cleanTitle } from './title.ts';

const VERSION_UNKNOWN: Warning = {
  about: 'target-version-unknown',
  detail: 'The version of Hermes is not known; what its database has for columns decides what is written.',
};

/**
 * Streams the model view of a session into a private file of rows. `commit` puts them into the database in one
 * transaction. The digest is that of the messages alone: what Hermes itself changes of a session (its model, its
 * counters) is no continuation.
 */
export async function writeRows(session: SessionSource, options: MaterializeOptions): Promise<Result<Written>> {
  const cwd = requireCwd(options.cwd);
  if (!cwd.ok) return cwd;
  const path = databaseOf(options.env);
  const fit = await checkDatabase(path);
  if (!fit.ok) return fit;
  const written = await writeSession(session, options, {
    final: sessionPath(path, options.nativeId),
    begin: (first, emit, warn) =>
      new RowWriter(
        {
          session: sessionRow(session, options),
          at: options.at,
          ...(options.preface === undefined ? {} : { preface: options.preface }),
        },
        first,
        emit,
        warn,
      ),
    warnings: options.version === null ? [VERSION_UNKNOWN] : [],
  });
  if (!written.ok) return written;
  const { temp, final, bytes, warnings, abort } = written.value;
  const commit = async (): Promise<Result<void>> => {
    const done = await insertSession(path, temp, sha256, options);
    await abort();
    return done;
  };
  const sha256 = digestOfLines(temp);
  return ok({ temp, final, bytes, sha256, warnings, commit, abort });
}

function sessionRow({ row }: SessionSource, { nativeId, title, cwd }: MaterializeOptions): Json {
  const clean = cleanTitle(title);
  return {
    id: nativeId,
    source: 'cli',
    // it runs in the folder and sees where links lead
    cwd: realFolder(cwd),
    ...(row.git_branch === null ? {} : { git_branch: row.git_branch }),
    ...(clean === null ? {} : { title: clean, title_source: 'user' }),
    model_config: '{}',
  };
}
