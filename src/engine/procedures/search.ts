import { fail } from '../../shared/errors.ts';
import type { HandlersOf } from './context.ts';

/** Full-text search. */
export const searchProcedures: HandlersOf<'sessions.search'> = {
  'sessions.search': async () => fail('target_unsupported', 'Search is being built and cannot be used yet.'),
};
