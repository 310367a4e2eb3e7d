import { loadFixture } from '../../../fixtures/load.ts';
import { unwrap } from '../../../src/shared/errors.ts';
import type { AgentEnv, MaterializeOptions, SessionSource, Written } from '../../contract.ts';
import { sessionPath } from '../../io/database-path.ts';
import { type MemorySession, MemorySink } from '../../testing/memory-sink.ts';
import { databaseOf } from '../home.ts';
import { openDatabase } from '../read/database.ts';
import { hermesTarget } from '../target.ts';
import { optionsFor } from './native.ts';

export const ID = '20261129_130000_abcdef';

export function writeOptions(env: AgentEnv, more: Partial<MaterializeOptions> = {}): MaterializeOptions {
  return {
    env,
    nativeId: ID,
    title: 'A title',
    cwd: '/home/dev/project',
    version: '0.19.1',
    at: 1_795_960_000,
    tokens: 1234,
    ...more,
  };
}

/** Writes, reads back, commits, reads back again. */
export async function handOver(session: SessionSource, options: MaterializeOptions): Promise<Written> {
  const written = unwrap(await hermesTarget.write(session, options));
  unwrap(await hermesTarget.readBack(written, session, options, 'temp'));
  unwrap(await written.commit());
  unwrap(await hermesTarget.readBack(written, session, options, 'final'));
  return written;
}

/** The session that was written, captured alone by the adapter itself. */
export async function captureBack(env: AgentEnv, id = ID): Promise<MemorySession> {
  const path = databaseOf(env);
  const source = { agent: 'hermes', path, native_id: 'state.db', bytes: 0, mtime_ms: 0 } as const;
  const options = optionsFor(env);
  const open = unwrap(await openDatabase(source, null, { ...options, only: sessionPath(path, id) }));
  try {
    const sink = new MemorySink();
    unwrap(await open.capture(open.changed[0]!, null, sink, options));
    return [...sink.sessions.values()][0]!;
  } finally {
    await open.close();
  }
}

/** A Hermes home as a fixture left it. */
export async function layHome(fixture: string, env: AgentEnv): Promise<void> {
  await loadFixture('hermes', fixture, env.home);
}
