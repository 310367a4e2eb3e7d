import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { listFixtures, loadFixture } from '../../fixtures/load.ts';
import type { SessionEvent } from '../../src/shared/events.ts';
import type { Move } from '../home/move.ts';
import { readJsonl } from '../io/jsonl.ts';
import { captureOrigins } from '../testing/way-home.ts';
import { describeWayHome } from '../testing/way-home-tests.ts';
import { codex } from './adapter.ts';
import { parseRolloutName } from './home.ts';
import { isObject } from './read/item.ts';
import { codexWayHome } from './write/home.ts';

type Json = Record<string, unknown>;

/** Records of all files of a thread, each with the place of its file. */
function recordsOf(path: string): unknown[] {
  if (path.endsWith('.json')) {
    const { session, items } = JSON.parse(readFileSync(path, 'utf8')) as { session: Json; items: Json[] };
    return [session, ...items].map((record) => ({ file: 0, record }));
  }
  const thread = parseRolloutName(basename(path))?.threadId;
  const names = readdirSync(dirname(path)).filter((name) => parseRolloutName(name)?.threadId === thread);
  const own = names.filter((name) => !names.includes(name.replace(/\.zst$/, '')) || !name.endsWith('.zst'));
  return own.sort().flatMap((name, file) => linesOf(join(dirname(path), name)).map((record) => ({ file, record })));
}

function linesOf(path: string): unknown[] {
  const content = path.endsWith('.zst') ? zstdDecompressSync(readFileSync(path)) : readFileSync(path);
  return [...readJsonl(path, { redactor: null, content })].flatMap((lines) => lines.flatMap(({ records }) => records));
}

/** Said by replacing texts: no fixture speaks of its own id or folder in other places. */
function moved(value: unknown, move: Move): unknown {
  const { file, record } = value as { file: number; record: Json };
  const payload = isObject(record.payload) ? record.payload : record;
  const kinds = ['session_meta', 'turn_context', 'world_state', 'event_msg', undefined];
  return { file, record: kinds.includes(record.type as string) ? walk(record, move, payload) : record };
}

function walk(value: unknown, move: Move, payload: Json, key = ''): unknown {
  const settings =
    payload.type === undefined || /^(thread_settings_applied|session_configured)$/.test(String(payload.type));
  if (typeof value === 'string') {
    if (settings && (key === 'cwd' || key.endsWith('_roots'))) return move.folder(value);
    return key === 'id' || /^(thread|session|conversation|forked_from)_id$/.test(key) ? move.id(value) : value;
  }
  if (Array.isArray(value)) return value.map((item) => walk(item, move, payload, key));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, move, payload, name)]));
}

describeWayHome({
  adapter: codex,
  fixtures: (await listFixtures('codex')).map((name) => ['codex', name] as const),
  secrets: new Set(),
  records: recordsOf,
  moved,
});

async function* withoutRecords(log: AsyncIterable<SessionEvent>): AsyncGenerator<SessionEvent> {
  for await (const event of log) if (event.payload.key !== 'records') yield event;
}

describe('a thread of Codex', () => {
  it.each([
    ['q-backtrack-tui', false],
    ['b-shell', true],
  ])(
    '%s goes home whole: %s; what was rewound into other files or not kept is told from the log',
    async (fixture, goes) => {
      const home = await mkdtemp(join(tmpdir(), 'codex-takes-'));
      try {
        await loadFixture('codex', fixture, home);
        const [origin] = await captureOrigins(codex, { home, env: {} });
        await rm(home, { recursive: true });
        const { row, logs } = origin!.session;
        expect(await codexWayHome.takes!(row, logs()[0]!)).toBe(goes);
        expect(await codexWayHome.takes!(row, withoutRecords(logs()[0]!))).toBe(false);
      } finally {
        await rm(home, { recursive: true, force: true });
      }
    },
  );
});
