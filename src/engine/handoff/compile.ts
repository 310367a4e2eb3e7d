import type { SessionAdapter } from '../../../adapters/contract.ts';
import type { CompiledContext } from '../../shared/api.ts';
import { fail, type Result } from '../../shared/errors.ts';
import type { Budget } from '../../shared/handoff.ts';
import type { EngineContext, OpenHome } from '../procedures/context.ts';
import type { StoreReader } from '../store/contract.ts';
import type { Choice } from './modes.ts';
import type { Snapshot } from './snapshot.ts';

export interface Compiled {
  text: string;
  sha256: string;
  tokens: number;
  parts: Budget['parts'];
}
export async function compileFor(
  _reader: StoreReader,
  _snapshot: Snapshot,
  _to: SessionAdapter,
  _choice: Choice,
): Promise<Result<Compiled>> {
  return fail('internal', 'The compiler is being built.');
}
export async function compileSession(
  _context: EngineContext,
  _home: OpenHome,
  _input: { session: string; for: string; budget?: number | undefined },
): Promise<Result<CompiledContext>> {
  return fail('internal', 'The compiler is being built.');
}
