import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Ref } from '../../core/hash.ts';
import { type Signer, signerOf } from '../../core/log/sign.ts';
import { draftOf, LogBuilder } from '../../core/view/testing.ts';
import { unwrap } from '../../shared/errors.ts';
import { openStore } from '../store/client.ts';
import type { Store } from '../store/contract.ts';

/** A store in a folder of its own, for tests. */
export interface TestStore {
  folder: string;
  store: Store;
  signer: Signer;
  keyOf: (keyId: string) => string | null;
  close(): Promise<void>;
}

export async function testStore(): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-store-'));
  const { privateKey } = generateKeyPairSync('ed25519');
  const signer = signerOf(privateKey);
  const store = unwrap(await openStore({ home: join(folder, 'home'), key: randomBytes(32), signingKey: privateKey }));
  return {
    folder,
    store,
    signer,
    keyOf: (keyId) => (keyId === signer.keyId ? signer.publicKey : null),
    close: async () => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Puts a session of `turns` turns into a store: prompts, answers, calls with results, one artifact. */
export async function seedSession(
  store: Store,
  id = `sess_${'a'.repeat(20)}`,
  turns = 4,
  word = 'Prompt',
): Promise<string> {
  const bytes = Buffer.from('a long output, kept whole');
  const artifact = `artifact:${sha256Ref(bytes)}`;
  const log = new LogBuilder();
  log.event('session.start', { cwd: '/home/dev/app' }, { actor: 'system' });
  for (let turn = 0; turn < turns; turn++) {
    log.user(`${word} ${turn} – with “quotes”, 中文 and \u2028`);
    log.call(`r${turn}`, `c${turn}`);
    log.result(
      `c${turn}`,
      `out ${turn}`,
      undefined,
      turn === 1 ? { truncated: { bytes: bytes.length, artifact } } : {},
    );
    log.assistant(`r${turn}`, `Answer ${turn}`);
  }
  unwrap(
    await store.writer.decide({
      create: [{ id, agent: 'claude', native_id: 'native-1', source: null, parent: null, parent_kind: null }],
      append: [{ session: id, drafts: log.events.map(draftOf) }],
      artifacts: [{ bytes, media_type: 'text/plain' }],
    }),
  );
  return id;
}
