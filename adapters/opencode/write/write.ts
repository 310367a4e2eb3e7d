import { existsSync } from 'node:fs';
import { fail, ok, type Result } from '../../../src/shared/errors.ts';
import type { Warning } from '../../../src/shared/events.ts';
import type { AgentEnv, Installed, MaterializeOptions, SessionSource, Written } from '../../contract.ts';
import { requireCwd, writeSession } from '../../conversation/write.ts';
import { realFolder } from '../../io/real-folder.ts';
import { databaseStat, openSqliteSnapshot } from '../../io/sqlite-snapshot.ts';
import { type Model, modelOf, ownModel } from '../config.ts';
import { findOpenCode, runOpenCode } from '../installed.ts';
import { objectOf, parsedObject, textOf } from '../json.ts';
import { isOpenCode } from '../read/rows.ts';
import { digestOf, messagesOfDatabase, messagesOfFile } from './digest.ts';
import { Export } from './export.ts';
import { insertSession, takesRows } from './insert.ts';
import { databaseOf, exportFile, finalPath } from './place.ts';
import { removeSession } from './remove.ts';

const IMPORT_MS = 120_000;
const ASK_MS = 20_000;

const VERSION_UNKNOWN: Warning = {
  about: 'target-version-unknown',
  detail: 'The version of OpenCode is not known; the session is written as 1.18.33 reads it.',
};
const MODEL_UNKNOWN: Warning = {
  about: 'target-model-unknown',
  detail:
    'No model is set in OpenCode, so the session names none that it has. Choose one when it opens (opencode -m provider/model).',
};

/** Its client passes the folder on in a form that it then decodes (1.18.33, its own sessions too). */
const FOLDER_REFUSED: Warning = {
  about: 'target-folder',
  detail:
    'OpenCode does not run in a folder with a percent sign in its path. Rename the folder, or name another (--cwd in a terminal).',
};

/** Writes the model view of a session into a private file; `commit` has OpenCode import it. */
export async function writeExport(session: SessionSource, options: MaterializeOptions): Promise<Result<Written>> {
  const named = requireCwd(options.cwd);
  if (!named.ok) return named;
  const cwd = realFolder(named.value);
  const model = await modelFor(session, options.env, cwd);
  const own = { ...options, cwd, model: model ?? { providerID: 'none', modelID: 'none' } };
  const written = await writeSession(session, options, {
    final: exportFile(options.nativeId),
    begin: (first, emit, warn) => new Export(own, first, emit, warn),
    warnings: [
      ...(options.version === null ? [VERSION_UNKNOWN] : []),
      ...(model === null ? [MODEL_UNKNOWN] : []),
      ...(cwd.includes('%') ? [FOLDER_REFUSED] : []),
    ],
  });
  if (!written.ok) return written;
  const { temp, bytes, warnings, abort } = written.value;
  const sha256 = await digestOf(messagesOfFile(temp));
  const final = finalPath(options.env, options.nativeId);
  const commit = async (): Promise<Result<void>> => {
    const done = await importFile({ temp, final, sha256 }, own);
    await abort();
    return done;
  };
  return ok({ temp, final, bytes, sha256, warnings, commit, abort });
}

/** A session of OpenCode's own goes on with its model; every other one with what the user has chosen. */
async function modelFor(session: SessionSource, env: AgentEnv, cwd: string): Promise<Model | null> {
  const { agent, model } = session.row;
  const before = agent === 'opencode' && model !== null ? await lastModel(env, model) : null;
  const chosen = before ?? (await ownModel(env, cwd));
  if (chosen !== null) return chosen;
  const installed = await findOpenCode(env);
  const last = await lastModel(env);
  if (last !== null || installed === null) return last;
  const { code, stdout } = await runOpenCode(installed.path, ['models'], { env, cwd, timeoutMs: ASK_MS });
  return code === 0 ? modelOf(stdout.split('\n')[0]?.trim()) : null;
}

/** The model that was used last according to the database, or last under this name. */
async function lastModel(env: AgentEnv, modelId = ''): Promise<Model | null> {
  const path = databaseOf(finalPath(env, 'ses_x'));
  if ((await databaseStat(path)) === null) return null;
  const snapshot = await openSqliteSnapshot(path);
  if (!snapshot.ok) return null;
  try {
    if (!isOpenCode(snapshot.value.db)) return null;
    const query = `SELECT data FROM message WHERE instr(data, '"role":"user"') > 0 AND instr(data, ?) > 0
      ORDER BY time_created DESC LIMIT 1`;
    const named = `"modelID":${JSON.stringify(modelId).slice(0, modelId === '' ? 0 : undefined)}`;
    const [row] = snapshot.value.db.prepare(query).all(named) as { data: string }[];
    const { providerID, modelID } = objectOf(parsedObject(row?.data)?.model);
    const [provider, model] = [textOf(providerID), textOf(modelID)];
    return provider === null || model === null ? null : { providerID: provider, modelID: model };
  } finally {
    await snapshot.value.close();
  }
}

/** What stands in the database under the id: nothing, the very session, or another one (or a part of it). */
export async function stateOf(
  { final, sha256 }: Pick<Written, 'final' | 'sha256'>,
  nativeId: string,
): Promise<Result<'absent' | 'same' | 'other'>> {
  const path = databaseOf(final);
  if ((await databaseStat(path)) === null) return ok('absent');
  const snapshot = await openSqliteSnapshot(path);
  if (!snapshot.ok) return snapshot;
  const { db, close } = snapshot.value;
  try {
    if (!isOpenCode(db)) return ok('absent');
    if (db.prepare('SELECT 1 AS one FROM session WHERE id = ?').all(nativeId).length === 0) return ok('absent');
    return ok((await digestOf(messagesOfDatabase(db, nativeId))) === sha256 ? 'same' : 'other');
  } finally {
    await close();
  }
}

/** It has to be started in the session's folder. */
const importsInto = (cwd: string): boolean => existsSync(cwd);

/** See `TargetAdapter.accepts`. */
export async function acceptsSession(
  env: AgentEnv,
  { installed, cwd }: { installed: Installed | null; cwd: string },
): Promise<Result<{ firstStart: boolean }>> {
  const folder = realFolder(cwd);
  const database = databaseOf(finalPath(env, 'ses_x'));
  if (installed !== null && importsInto(folder)) return ok({ firstStart: !existsSync(database) });
  const taken = await takesRows(database, folder);
  return taken.ok ? ok({ firstStart: false }) : taken;
}

async function importFile(
  { temp, final, sha256 }: Pick<Written, 'temp' | 'final' | 'sha256'>,
  options: MaterializeOptions,
): Promise<Result<void>> {
  const { env, cwd, nativeId } = options;
  const before = await stateOf({ final, sha256 }, nativeId);
  if (!before.ok) return before;
  if (before.value === 'same') return ok(undefined);
  if (before.value === 'other')
    return fail(
      'target_exists',
      `${final} already exists and holds something else. It was not touched; start the handoff anew to get another id.`,
      { path: final },
    );
  const installed = importsInto(cwd) ? await findOpenCode(env) : null;
  if (installed === null) return insertSession(temp, databaseOf(final), cwd);
  const { code, stdout, stderr } = await runOpenCode(installed.path, ['import', temp], {
    env,
    cwd,
    timeoutMs: IMPORT_MS,
  });
  const after = await stateOf({ final, sha256 }, nativeId);
  if (code === 0 && after.ok && after.value === 'same') return ok(undefined);
  await removeSession({ final, sha256 }, options);
  const said = `${stderr}\n${stdout}`
    .replace(/\u001b\[[0-9;]*m/g, '')
    .trim()
    .slice(-400);
  return fail(
    'write_failed',
    `OpenCode did not import the session${code === 0 ? ' whole' : ''}: ${said === '' ? 'it said nothing' : said}. What it had taken in was removed.`,
    { path: final },
  );
}
