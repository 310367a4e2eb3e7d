import type { MaterializeOptions, Written } from '../../../adapters/contract.ts';
import { unwrap } from '../../shared/errors.ts';
import { secretsIn } from '../verify/secrets-in.ts';
import type { Prepared, StepRunner } from './prepare.ts';

/**
 * Writes a prepared session under its temporary name, looks through the very bytes for secrets, and reads them back. Should
 * a secret be found, which the capture has let through, all of it is written once more, redacted on the way; what looks like
 * one even then stands in a part that is kept or removed whole, never altered (an id, a signature), and is warned of.
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
    const found = await secretsOf(first);
    if (found === 0) return first;
    if (redactor.clean) return warned(first, found);
    await first.abort();
    redactor.clean = true;
    const second = unwrap(await writer.write(options));
    prepared.redaction = redactor.counts;
    return warned(second, await secretsOf(second));
  });
  await step('readback', 'Reading it back', async () => {
    const read = await writer.readBack(written, options, 'temp');
    if (!read.ok) await written.abort();
    unwrap(read);
  });
  return written;
}

async function secretsOf({ temp, beside = [] }: Written): Promise<number> {
  let found = 0;
  for (const path of [temp, ...beside.map((one) => one.temp)]) found += await secretsIn(path);
  return found;
}

function warned(written: Written, count: number): Written {
  if (count === 0) return written;
  const texts =
    count === 1 ? 'One text that looks like a secret stands' : `${count} texts that look like secrets stand`;
  const detail = `${texts} in ids or other parts that cannot be altered. Look through ${written.final} before anybody else reads it.`;
  written.warnings.push({ about: 'secrets-left', detail, count });
  return written;
}
