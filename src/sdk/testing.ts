import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadFixture } from '../../fixtures/load.ts';
import { Store, type StoreOptions } from './store.ts';

/** A user's home with a store of its own. For tests. */
export interface SdkLab {
  home: string;
  options: StoreOptions;
  store: Store;
  close(): Promise<void>;
}

export async function sdkLab(fixtures: string[] = []): Promise<SdkLab> {
  const home = await mkdtemp(join(tmpdir(), 'sdk-lab-'));
  for (const name of fixtures) await loadFixture('claude', name, home);
  const options: StoreOptions = {
    home: join(home, '.sessionctl'),
    user_home: home,
    env: { HOME: home, PATH: '/nowhere' },
    create: 'keyfile',
  };
  const store = await Store.local(options);
  if (fixtures.length > 0) {
    await store.enable('claude');
    await store.import();
  }
  return {
    home,
    options,
    store,
    close: async () => {
      await store.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}
