import type { NativeSource } from '../../../adapters/contract.ts';
import { sha256Hex } from '../../core/hash.ts';

/**
 * Canonical id of a native session: the same on every capture, so that a session is found again and its log goes on, also
 * when its agent has moved it.
 * @param part which session of a source that holds several; '' is the main one
 */
export function sessionIdOf(
  source: Pick<NativeSource, 'agent' | 'native_id' | 'path' | 'home_path'>,
  part = '',
): string {
  return `sess_${sha256Hex([source.agent, source.native_id, source.home_path ?? source.path, part].join('\0')).slice(0, 20)}`;
}
