import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFixture } from '../../../fixtures/load.ts';
import type { SessionEvent } from '../../../src/shared/events.ts';
import { tempHome } from '../testing/home.ts';
import { type Captured, captureHome, captureSource, texts, told } from '../testing/native.ts';

type Json = Record<string, unknown>;

const PARENT = '01a22788-2535-7ad0-b771-f334a34654a3';
const FORK = '01a22788-2709-7dd2-873d-f7bd8de7d4cc';

let home: ReturnType<typeof tempHome>;
beforeEach(() => {
  home = tempHome();
});
afterEach(() => home.dispose());

const byId = (all: Captured[], id: string): Captured => all.find(({ ref }) => ref.native_id === id)!;
const own = (events: SessionEvent[]) => events.filter(({ origin }) => origin?.session === undefined);
const copied = (events: SessionEvent[]) => events.filter(({ origin }) => origin?.session === PARENT);
const usages = (events: SessionEvent[]) => events.filter(({ payload }) => payload.key === 'usage');
const pathOf = (id: string): string =>
  join(home.codex, 'sessions/2026/11/29', `rollout-2026-11-29T13-49-51-${id}.jsonl`);

const line = (ms: number, type: string, payload: Json): string =>
  `${JSON.stringify({ timestamp: new Date(1_795_960_000_000 + ms).toISOString(), type, payload })}\n`;
const meta = (ms: number, id: string, more: Json = {}): string =>
  line(ms, 'session_meta', { id, timestamp: '2026-11-29T13:49:51.000Z', cwd: '/home/dev', ...more });
const said = (ms: number, text: string): string =>
  line(ms, 'response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }] });

function write(id: string, ...lines: string[]): void {
  mkdirSync(dirname(pathOf(id)), { recursive: true });
  writeFileSync(pathOf(id), lines.join(''));
}

describe('the copy of its parent that a legacy fork begins with', () => {
  it('is told from what is its own, whether the parent is there or not', async () => {
    await loadFixture('codex', 'legacy-0.144.6-ops', home.env.home);
    const all = await captureHome(home.env);
    const parent = byId(all, PARENT);
    expect(copied(parent.events)).toEqual([]);
    rmSync(parent.source.path);
    for (const { events } of [byId(all, FORK), byId(await captureHome(home.env), FORK)]) {
      expect(texts(own(events), 'message.user')).toEqual(['A question in the fork.']);
      expect(usages(own(events))).toHaveLength(1);
      expect(texts(copied(events), 'message.user')).toEqual(texts(parent.events, 'message.user').slice(0, 4));
      expect(usages(copied(events))).toHaveLength(5);
    }
  });

  it('ends where its lines differ, however soon the fork went on', async () => {
    write(PARENT, meta(0, PARENT), said(1, 'one'), said(2, 'two'), said(90, 'never copied'));
    const forked = [meta(50, FORK, { forked_from_id: PARENT }), meta(50, PARENT), said(50, 'one'), said(50, 'two')];
    write(FORK, ...forked, said(51, 'three'));
    const fork = byId(await captureHome(home.env), FORK);
    expect(texts(own(fork.events), 'message.user')).toEqual(['three']);
    expect(told(fork.outcome)).toBe(fork.outcome.records);
  });

  it('is no longer than it was when the fork grows, and when the parent does', async () => {
    write(PARENT, meta(0, PARENT), said(1, 'one'), said(2, 'two'));
    write(FORK, meta(50, FORK, { forked_from_id: PARENT }), meta(50, PARENT), said(50, 'one'));
    const first = byId(await captureHome(home.env), FORK);
    expect(texts(copied(first.events), 'message.user')).toEqual(['one']);
    appendFileSync(pathOf(PARENT), said(3, 'three'));
    appendFileSync(pathOf(FORK), said(900, 'three'));
    const { events } = await captureSource(first.source, home.env, first.sink, first.outcome.cursor);
    expect(texts(own(events), 'message.user')).toEqual(['three']);
    expect(texts(events, 'message.user')).toEqual(['one', 'three']);
  });
});
