import { readHomeFile } from '../engine/keys/home-file.ts';
import { type Asker, askHidden } from './prompt.ts';

/** The passphrase of a home that is locked by one, asked on the terminal; undefined for all other homes. */
export async function passphraseFor(asker: Asker, home: string): Promise<string | undefined> {
  const file = await readHomeFile(home);
  if (!file.ok || file.value?.key.kind !== 'passphrase') return undefined;
  return askHidden(asker, 'Passphrase: ');
}
