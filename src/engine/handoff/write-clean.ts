import type { MaterializeOptions, Written } from '../../../adapters/contract.ts';
import { unwrap } from '../../shared/errors.ts';
import { secretsIn } from '../verify/secrets-in.ts';
import type { Prepared, StepRunner } from './prepare.ts';

/**
 * Writes a prepared session under its temporary name, looks through the very bytes for secrets, and reads them back. Should
 * a secret be found, which the capture has let through, all of it is written once more, redacted on the way.
 * Throws AppFailure: write_failed, readback_mismatch and what the adapter says; nothing is left then.
 */
export async function writeClean(
  prepared: Pick<Prepared, 'writer' | 'redactor' | 'shape' | 'redaction'>,
  options: MaterializeOptions,
  step: StepRunner,
): Promise<Written> {
  const { writer, redactor, shape } = prepared;
  const written = await step('write', `Writing a ${shape.name}`, async () => {
    const first = unwrap(await writer.write(options));
    if (redactor.clean || (await isClean(first))) return first;
    await first.abort();
    redactor.clean = true;
    const second = unwrap(await writer.write(options));
    prepared.redaction = redactor.counts;
    return second;
  });
  await step('readback', 'Reading it back', async () => {
    const read = await writer.readBack(written, options, 'temp');
    if (!read.ok) await written.abort();
    unwrap(read);
  });
  return written;
}

async function isClean({ temp, beside = [] }: Written): Promise<boolean> {
  for (const path of [temp, ...beside.map((one) => one.temp)]) if ((await secretsIn(path)) > 0) return false;
  return true;
}
