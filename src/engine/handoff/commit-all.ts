import type { Written } from '../../../adapters/contract.ts';
import { AppFailure } from '../../shared/errors.ts';

/**
 * Puts written sessions in place, one after the other. What is in place when a further one cannot be put there stays, since it
 * is whole, and the error names it; the others are taken back. @throws AppFailure what `commit` gives
 */
export async function commitAll(all: readonly Written[]): Promise<void> {
  for (const [at, one] of all.entries()) {
    const done = await one.commit();
    if (done.ok) continue;
    for (const other of all.slice(at)) await other.abort();
    if (at === 0) throw new AppFailure(done.error);
    const files = all.slice(0, at).map(({ final }) => final);
    const message = `${done.error.message} In place already: ${files.join(', ')}.`;
    throw new AppFailure({ ...done.error, message, details: { ...done.error.details, files } });
  }
}
