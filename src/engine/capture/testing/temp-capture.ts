import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '../../../shared/errors.ts';
import { type TempStore, tempStore } from '../../store/testing/temp-store.ts';
import { createCapture } from '../capture.ts';
import type { Capture } from '../contract.ts';
import { sessionIdOf } from '../session-id.ts';

/** A store, a home with fake sessions, and captures from one into the other. */
export interface TempCapture extends TempStore {
  agentHome: string;
  capture: Capture;
  /** Appends records to a fake session and returns its path. */
  write(name: string, ...records: object[]): string;
  path(name: string): string;
  id(name: string, part?: string): string;
}

export async function tempCapture({ enabled = true } = {}): Promise<TempCapture> {
  const temp = await tempStore();
  const agentHome = mkdtempSync(join(tmpdir(), 'sessionctl-agent-'));
  mkdirSync(join(agentHome, '.fake'));
  if (enabled) unwrap(await temp.store.writer.setSourceEnabled('claude', true));
  const worker = new URL('./fake-capture-worker.ts', import.meta.url);
  const env = { agents: { home: agentHome, env: {} }, redactionKey: new Uint8Array(32) };
  const path = (name: string) => join(agentHome, '.fake', `${name}.jsonl`);
  const removeStore = temp.remove;
  const reopenStore = temp.reopen;
  const capture: TempCapture = Object.assign(temp, {
    agentHome,
    capture: createCapture(temp.store, env, worker),
    write: (name: string, ...records: object[]) => {
      appendFileSync(path(name), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
      return path(name);
    },
    path,
    id: (name: string, part?: string) => sessionIdOf({ agent: 'claude', native_id: name, path: path(name) }, part),
    reopen: async () => {
      const store = await reopenStore();
      capture.capture = createCapture(store, env, worker);
      return store;
    },
    remove: async () => {
      await removeStore();
      rmSync(agentHome, { recursive: true, force: true });
    },
  });
  return capture;
}
