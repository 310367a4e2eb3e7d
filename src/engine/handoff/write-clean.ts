import type { MaterializeOptions, Written } from '../../../adapters/contract.ts';
import { unwrap } from '../../shared/errors.ts';
import { secretsIn } from '../verify/secrets-in.ts';
import type { Prepared, StepRunner } from './prepare.ts';

/**
 * Writes a prepared session under its temporary name, looks through the very bytes for secrets, and reads them back. Should
 * a secret be found, which the capture has let through, all of it is written once more, redacted on the way.
 * Throws AppFailure: write_failed, readback_mismatch and what the adapter says; nothing is left then.
 */
export async function writeClean(prepared: Prepared, options: MaterializeOptions, step: StepRunner): Promise<Written> {
  const { source, target, redactor, shape } = prepared;
  const written = await step('write', `Writing a ${shape.name}`, async () => {
    const first = unwrap(await target.write(source, options));
    if (redactor.clean || (await secretsIn(first.temp)) === 0) return first;
    await first.abort();
    redactor.clean = true;
    const second = unwrap(await target.write(source, options));
    prepared.redaction = redactor.counts;
    return second;
  });
  await step('readback', 'Reading it back', async () => {
    const read = await target.readBack(written, source, options, 'temp');
    if (!read.ok) await written.abort();
    unwrap(read);
  });
  return written;
}
