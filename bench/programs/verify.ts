import { createHash } from 'node:crypto';
import type { SessionEvent } from '../../src/shared/events.ts';
import { openHome } from './home.ts';
import { tellUsage } from './usage.ts';

/**
 * Checks a store by other means than the product's: sorts and hashes every event again, naively. `verify <store> [all]`
 * counts events by type; without `all` every hundredth session is enough.
 */
const [storeHome, all] = process.argv.slice(2) as [string, string?];

function sorted(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, one]) => `${JSON.stringify(key)}:${sorted(one)}`).join(',')}}`;
}

function next(previous: string, event: SessionEvent): string {
  const { checksum: _, ...rest } = event;
  return createHash('sha256').update(Buffer.from(previous, 'hex')).update(sorted(rest)).digest('hex');
}

const { store } = await openHome(storeHome, storeHome);
const types: Record<string, number> = {};
const broken: string[] = [];
let redacted = 0;
for (let offset = 0; ; offset += 1000) {
  const { rows } = await store.reader.sessions({ offset, limit: 1000, empty: true, subagents: true });
  if (rows.length === 0) break;
  for (const [i, row] of rows.entries()) {
    redacted += row.redactions;
    if (all === undefined && rows.length > 100 && i % 100 !== 0) continue;
    let head = '0'.repeat(64);
    let seq = 0;
    for await (const events of store.reader.stream(row.id)) {
      for (const event of events) {
        head = next(head, event);
        const parent = event.parent_seq ?? -1;
        if (event.seq !== seq || event.checksum !== `sha256:${head}` || parent >= seq) broken.push(`${row.id}:${seq}`);
        types[event.type] = (types[event.type] ?? 0) + 1;
        seq++;
      }
    }
    if (seq !== row.events) broken.push(`${row.id}: ${seq} of ${row.events} events`);
  }
}
await store.close();
tellUsage({ types, redacted, broken: broken.length, first_broken: broken[0] ?? null });
