import { afterEach, expect, it } from 'vitest';
import {
  addSession,
  chatDraft,
  chatDrafts,
  sessionId,
  type TempStore,
  tempStore,
} from '../store/testing/temp-store.ts';
import { takenBack } from './known.ts';
import { takeSnapshot } from './snapshot.ts';

let temp: TempStore;
afterEach(() => temp.remove());

it('a prompt that was taken back is told without the secret that an older version stored with it', async () => {
  temp = await tempStore();
  const token = ['gh', 'p_', 'q7Rk2mXw9TzB4nVc8LdF6hJs3GyA1eUo5PiZ'].join('');
  const instead = { ...chatDraft(4, 'Another way.'), parent_seq: 1 };
  const drafts = [...chatDrafts(2), chatDraft(2, `Use ${token} for it.`), chatDraft(3), instead, chatDraft(5)];
  await addSession(temp.store, sessionId(1), drafts);
  const { reader } = temp.store;
  const snapshot = await takeSnapshot(reader, sessionId(1));
  expect(await takenBack(reader, snapshot, 3, new Uint8Array(32))).toEqual([
    { seq: 2, text: 'Use [REDACTED:github-token:1] for it.' },
  ]);
});
