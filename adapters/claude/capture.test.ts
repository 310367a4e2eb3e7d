import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/core/log/canonical-json.ts';
import type { SessionEvent } from '../../src/shared/events.ts';
import { isObject, type Json } from './record.ts';
import { contextOf, recordsOf } from './testing/context.ts';
import { accounted, allFixtures, captureAll, eachSource, type OracleMessage, oracleOf } from './testing/fixtures.ts';
import { summaryTitle } from './titles.ts';

const fixtures = await allFixtures();

/** The records of a log in the order of the context. */
function contextUuids(events: readonly SessionEvent[]): string[] {
  const uuids: string[] = [];
  for (const event of contextOf(events)) {
    const uuid = messageUuid(event);
    if (uuid !== undefined && uuids.at(-1) !== uuid) uuids.push(uuid);
  }
  return uuids;
}

/** The id by which the SDK lists the message that an event belongs to; undefined for what it does not list. */
function messageUuid({ type, payload, origin }: SessionEvent): string | undefined {
  if (origin?.native_id == null || type === 'meta') return undefined;
  const native: Json = isObject(payload.native) ? payload.native : {};
  if (isObject(native.attachment) && native.attachment.type === 'queued_command')
    return String(native.attachment.source_uuid);
  if (type === 'message.system' && (native.type !== undefined || native.isMeta === true)) return undefined;
  return origin.native_id;
}

const conversation = (messages: readonly OracleMessage[]): string[] =>
  messages.filter(({ type }) => type !== 'system').map(({ uuid }) => uuid);

describe('capturing a session of Claude Code', () => {
  it.each(fixtures)('holds what the agent itself reads: $agent $name', async (fixture) => {
    const oracle = await oracleOf(fixture);
    let compared = 0;
    await eachSource(fixture, async (source, home) => {
      const own = oracle.sessions.find(({ sessionId }) => sessionId === source.native_id);
      const agents = oracle.sessions.flatMap(({ subagents }) => subagents);
      const messages = own?.messages ?? agents.find(({ agentId }) => source.native_id === `agent-${agentId}`)?.messages;
      // the SDK stops at the progress lines of 2.1.50's sub-agents, the client does not
      if (messages === undefined || messages.length < 2) return;
      const { main } = await captureAll(source, home);
      expect(contextUuids(main?.events ?? [])).toEqual(conversation(messages));
      compared++;
    });
    expect(compared).toBeGreaterThan(0);
  });

  it.each(fixtures)('accounts for every record, and knows all of them: $agent $name', async (fixture) => {
    await eachSource(fixture, async (source, home) => {
      const { outcome } = await captureAll(source, home);
      const lines = (await readFile(source.path, 'utf8')).split('\n').filter((line) => line !== '');
      expect(outcome).toMatchObject({ records: lines.length, unknown: {}, unreadable: 0 });
      expect(accounted(outcome)).toBe(lines.length);
    });
  });

  // 1.0 also takes the summary of another session for a title; a secret in a title is taken out
  it.each(fixtures.filter(({ agent, name }) => name !== 'secrets' && !(agent === 'claude-1.0.128' && name === 'fork')))(
    'is named as the agent itself names it: $agent $name',
    async (fixture) => {
      const oracle = await oracleOf(fixture);
      await eachSource(fixture, async (source, home) => {
        const own = oracle.sessions.find(({ sessionId }) => sessionId === source.native_id);
        const { main } = await captureAll(source, home);
        if (own !== undefined && main !== undefined) expect(main.facts.title).toBe(summaryTitle(own.summary));
      });
    },
  );

  it.each(fixtures.filter(({ name }) => name !== 'secrets'))(
    'loses nothing: every record can be written again: $agent $name',
    async (fixture) => {
      await eachSource(fixture, async (source, home) => {
        const { sink, main } = await captureAll(source, home);
        if (main === undefined) return;
        const rebuilt = await recordsOf(sink);
        const kept = new Set(rebuilt.values());
        const lines = (await readFile(source.path, 'utf8')).split('\n').filter((line) => line !== '');
        for (const [i, line] of lines.entries()) {
          const native = canonicalJson(JSON.parse(line));
          // a state line that only repeats the last one of its type is not kept again
          if (rebuilt.has(i)) expect(rebuilt.get(i)).toBe(native);
          else expect(kept.has(native)).toBe(true);
        }
      });
    },
  );
});
