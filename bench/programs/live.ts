import { appendFileSync } from 'node:fs';
import { unwrap } from '../../src/shared/errors.ts';
import type { EventDraft } from '../../src/shared/events.ts';
import { openHome } from './home.ts';
import { tellUsage } from './usage.ts';

/** Reads and appends on a store that holds one large session: `live <store> <home> <session file> <rounds>`. */
const [storeHome, agentHome, path, times] = process.argv.slice(2) as [string, string, string, string];
const rounds = Number(times);
const { store, capture } = await openHome(storeHome, agentHome);
const { reader, writer } = store;
const row = (await reader.sessions({ offset: 0, limit: 1 })).rows[0];
if (row === undefined) throw new Error('the store is empty');

async function timed(n: number, action: (i: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < n; i++) {
    const start = performance.now();
    await action(i);
    times.push(performance.now() - start);
  }
  return times;
}

let state = 1;
const random = (below: number) => {
  state = (state * 1103515245 + 12345) % 2147483648;
  return state % below;
};

function draft(text: string): EventDraft {
  const payload = { content: [{ kind: 'text', text }], response: 'r' };
  const common = {
    ts: 1_790_000_000,
    agent: 'claude',
    actor: 'agent:claude',
    type: 'message.assistant',
    level: 2 as const,
  };
  return { ...common, payload, refs: [], parent_seq: row === undefined ? null : row.events - 1, origin: null };
}

const page = await timed(rounds, async () => {
  const from = random(row.events - 200);
  const events = await reader.events(row.id, from, 200);
  if (events.length !== 200 || events[0]?.seq !== from) throw new Error('a page is wrong');
});
const small = 'sess_00000000000000000001';
const create = { id: small, agent: 'claude', native_id: 'small', source: null, parent: null, parent_kind: null };
unwrap(await writer.decide({ create: [create] }));
const decide = await timed(rounds, async () =>
  unwrap(await writer.decide({ append: [{ session: small, drafts: [draft('x'.repeat(700))] }] })),
);
const batch = Array.from({ length: 10_000 }, (_, i) => draft(`text number ${i} ${'some words of a text '.repeat(20)}`));
const many = await timed(23, async (i) => {
  const id = `sess_${String(i).padStart(20, '9')}`;
  unwrap(await writer.decide({ create: [{ ...create, id }], append: [{ session: id, drafts: batch }] }));
});
// the first ones pay for compiling the code
const batches = many.slice(3);

unwrap(await writer.setSourceEnabled('claude', true));
let heard: ((head: number) => void) | null = null;
const watching = unwrap(
  await capture.watch((event) => event.topic === 'session' && event.id === row.id && heard?.(event.head_seq)),
);
if ('heldBy' in watching) throw new Error('another process watches');
const watch = await timed(rounds, async (i) => {
  const arrived = new Promise<number>((resolve) => {
    heard = resolve;
  });
  const uuid = `00000000-0000-4000-9000-${String(i).padStart(12, '0')}`;
  const message = { role: 'user', content: `appended line ${i} ${'some words of a prompt '.repeat(20)}` };
  const record = {
    parentUuid: null,
    isSidechain: false,
    type: 'user',
    message,
    uuid,
    timestamp: '2026-08-01T08:00:00.000Z',
    sessionId: 's',
  };
  appendFileSync(path, `${JSON.stringify(record)}\n`);
  const head = await arrived;
  const [event] = await reader.events(row.id, head, 1);
  if (event === undefined) throw new Error('the line did not arrive');
});
await watching.close();
await store.close();
tellUsage({ page, decide, batches, watch });
