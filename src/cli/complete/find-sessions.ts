import { clip, safeLine } from '../../core/safe-text.ts';
import type { SessionRow } from '../../shared/session.ts';
import { engineFor, homeOf } from '../engine-host.ts';
import { tilde } from '../format.ts';
import type { CliIo } from '../io.ts';
import type { Suggestion } from './complete.ts';

/** The newest ones: nobody completes his way through more. */
const OFFERED = 1000;
const SHORT = 8;
const ABOUT = 60;

/**
 * Sessions whose id begins as typed, else those that a search for the word finds. Whatever is wrong with the store, and a
 * store that would have to be unlocked by somebody, is no session: a Tab asks nothing and says nothing.
 */
export async function findSessions(io: CliIo, home: string | undefined, typed: string): Promise<Suggestion[]> {
  if (!(await opensByItself(io, home))) return [];
  const engine = await engineFor({ io, home }, { host: 'cli' });
  try {
    const all = await engine.call('sessions.list', { limit: OFFERED });
    if (!all.ok) return [];
    const byId = all.value.rows.filter(({ id }) => id.startsWith(typed) || id.slice(PREFIX.length).startsWith(typed));
    if (byId.length > 0) return byId.map((row) => suggestion(row, all.value.rows, typed, io));
    const byText = await engine.call('sessions.list', { text: typed, limit: OFFERED });
    return byText.ok ? byText.value.rows.map((row) => suggestion(row, all.value.rows, '', io)) : [];
  } finally {
    await engine.close();
  }
}

async function opensByItself(io: CliIo, home: string | undefined): Promise<boolean> {
  const { readHomeFile } = await import('../../engine/keys/home-file.ts');
  const file = await readHomeFile(homeOf(io, { home }));
  if (!file.ok || file.value === null) return false;
  return file.value.key.kind !== 'passphrase' || io.env.SESSIONCTL_PASSPHRASE !== undefined;
}

const PREFIX = 'sess_';

/** The shortest name that is safe to type: the beginning of the id, `sess_` only where it was begun. */
function suggestion(row: SessionRow, among: readonly SessionRow[], typed: string, io: CliIo): Suggestion {
  const bare = row.id.slice(PREFIX.length);
  const short = bare.slice(0, SHORT);
  const alone = among.every(({ id }) => id === row.id || !id.startsWith(PREFIX + short));
  const name = alone && typed.length <= PREFIX.length + SHORT ? short : bare;
  const value = typed !== '' && PREFIX.startsWith(typed.slice(0, PREFIX.length)) ? PREFIX + name : name;
  const where = row.cwd === null ? '' : ` · ${tilde(row.cwd, io.env.HOME)}`;
  return { value, about: clip(safeLine(`${row.agent}: ${row.title ?? row.first_prompt ?? ''}${where}`), ABOUT) };
}
