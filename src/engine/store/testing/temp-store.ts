import { createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '../../../shared/errors.ts';
import type { EventDraft } from '../../../shared/events.ts';
import { openStore } from '../client.ts';
import type { Store } from '../contract.ts';

/** Stores in folders of their own, for tests. */

export const TEST_KEY = new Uint8Array(32).fill(7);

export function testSigningKey(): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', TEST_KEY, '', 'test', 32));
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

export interface TempStore {
  store: Store;
  home: string;
  /** Closes the store, keeps its files. */
  close(): Promise<void>;
  /** Opens it again after `close`. */
  reopen(): Promise<Store>;
  remove(): Promise<void>;
}

export async function tempStore(options: { busyMs?: number } = {}): Promise<TempStore> {
  const home = mkdtempSync(join(tmpdir(), 'sessionctl-store-'));
  const open = async () => unwrap(await openStore({ home, key: TEST_KEY, signingKey: testSigningKey(), ...options }));
  const temp: TempStore = {
    home,
    store: await open(),
    close: () => temp.store.close(),
    reopen: async () => {
      temp.store = await open();
      return temp.store;
    },
    remove: async () => {
      await temp.store.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
  return temp;
}

/** A prompt and its answer, alternating; parents form one line. */
export function chatDraft(seq: number, text = `text number ${seq}`): EventDraft {
  const prompt = seq % 2 === 0;
  return {
    ts: 1_780_000_000 + seq,
    agent: 'claude',
    actor: prompt ? 'user' : 'agent:claude',
    type: prompt ? 'message.user' : 'message.assistant',
    level: 2,
    payload: prompt
      ? { content: [{ kind: 'text', text }], via: 'prompt' }
      : { content: [{ kind: 'text', text }], response: `r${seq}` },
    refs: [],
    parent_seq: seq === 0 ? null : seq - 1,
    origin: null,
  };
}

export function chatDrafts(n: number, from = 0): EventDraft[] {
  return Array.from({ length: n }, (_, i) => chatDraft(from + i));
}

/** Makes a session by decision, as importing a bundle does. */
export async function addSession(store: Store, id: string, drafts: EventDraft[], native = id): Promise<void> {
  unwrap(
    await store.writer.decide({
      create: [
        {
          id,
          agent: 'claude',
          native_id: native,
          source: `/home/dev/${native}.jsonl`,
          parent: null,
          parent_kind: null,
        },
      ],
      append: [{ session: id, drafts }],
    }),
  );
}

/** All events of a stream. */
export async function gather<E>(stretches: AsyncIterable<E[]>): Promise<E[]> {
  const all: E[] = [];
  for await (const events of stretches) all.push(...events);
  return all;
}

export const sessionId = (n: number): string => `sess_${n.toString(16).padStart(20, '0')}`;
