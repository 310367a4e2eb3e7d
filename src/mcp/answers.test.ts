import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CliLab } from '../cli/testing.ts';
import { fencedParts } from '../core/compile/render.ts';
import { PART_BYTES } from './bounds.ts';
import { type LocalServer, type Message, serveHere } from './testing/server.ts';
import { manySessions, ORDER } from './testing/store.ts';

/** What answers hold: texts of any kind and size, and lists. */

let lab: CliLab;
let ids: Awaited<ReturnType<typeof manySessions>>['ids'];
const running: LocalServer[] = [];

beforeAll(async () => {
  ({ lab, ids } = await manySessions());
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.end();
});
afterAll(() => lab.close());

async function connect(client = 'codex-mcp-client'): Promise<LocalServer> {
  const server = await serveHere(lab);
  running.push(server);
  await server.greet(client);
  return server;
}

const textOf = (result: Message['result']): string =>
  result.content.map(({ text }: { text: string }) => text).join('\n');

describe('text of sessions', () => {
  it('is harmless in every answer: nothing that a terminal obeys, well formed, and fenced by marks that it cannot know', async () => {
    const server = await connect();
    const answers = [
      await server.call('session_list', { text: 'script' }),
      await server.call('session_summary', { session: ids.hostile }),
      await server.call('session_continue', { prev_session: ids.hostile }),
      await server.call('context_compile', { session: ids.hostile, for: 'claude' }),
      await server.call('session_search', { query: 'alert' }),
      await server.call('session_handoff', { session: ids.hostile, to: 'codex', cwd: lab.home }),
      await server.call('session_current', { session: ids.hostile }),
    ];
    const read = (await server.ask('resources/read', { uri: `sessionctl://session/${ids.hostile}` })).result;
    const texts = [...answers.map(textOf), read.contents[0].text];
    for (const text of [...texts, ...answers.map(({ structuredContent }) => JSON.stringify(structuredContent))]) {
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
      expect(text.isWellFormed()).toBe(true);
      expect(text).not.toMatch(/\\u00[01][0-9a-f]/);
    }
    for (const text of texts) {
      // whatever the session says stands inside of a fence: of ours, or of the compiled page
      const { user, record } = fencedParts(text);
      const outside = text
        .replace(/^<(history-[0-9a-f]{10})>\n[\s\S]*?^<\/\1>$/gm, '')
        .replace(user, '')
        .replace(record, '');
      expect(outside).not.toContain(ORDER);
      expect(outside).not.toContain('<script>');
    }
    for (const { structuredContent } of answers.slice(0, 1)) expect(structuredContent.notice).toContain('data');
  });

  it('of any size comes in parts that no agent cuts, and the parts are the whole', async () => {
    const server = await connect();
    const first = await server.call('session_continue', { prev_session: ids.long, budget: 30_000 });
    const { parts, sha256 } = first.structuredContent;
    expect(parts).toBeGreaterThan(2);
    const whole = (await lab.run('compile', ids.long, '--for', 'codex', '--budget', '30000', '--json')).json.value;
    expect(sha256).toBe(whole.sha256);
    const answers = [first];
    for (let part = 2; part <= parts; part++)
      answers.push(await server.call('session_continue', { prev_session: ids.long, budget: 30_000, part, sha256 }));
    const inside = (text: string): string => /^<(history-[0-9a-f]{10})>\n([\s\S]*?)\n<\/\1>$/m.exec(text)![2]!;
    expect(`${answers.map((one) => inside(one.structuredContent.text)).join('\n')}\n`).toBe(whole.text);
    for (const answer of answers) {
      expect(Buffer.byteLength(textOf(answer))).toBeLessThan(PART_BYTES * 1.1);
      expect(Buffer.byteLength(JSON.stringify(answer.structuredContent))).toBeLessThan(PART_BYTES * 1.4);
    }
    expect(
      await server.call('session_continue', { prev_session: ids.long, budget: 30_000, part: parts + 1 }),
    ).toMatchObject({
      structuredContent: { error: { code: 'invalid_request', message: expect.stringContaining(`${parts} parts`) } },
    });
    expect(await server.call('session_continue', { prev_session: ids.long, part: 1, sha256: 'other' })).toMatchObject({
      structuredContent: { error: { code: 'invalid_request', message: expect.stringContaining('part 1') } },
    });
    expect(await server.call('session_continue', { prev_session: ids.long, budget: 300 })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'p0_over_budget', details: { needed: expect.any(Number) } } },
    });
    const { structuredContent: plain } = await server.call('session_continue', { prev_session: ids.long });
    expect(plain.tokens).toBeLessThanOrEqual(plain.budget);
  });

  it('of a session is read as a resource from row to row', async () => {
    const server = await connect();
    let uri = `sessionctl://session/${ids.long}`;
    let reads = 0;
    const seen: string[] = [];
    while (uri !== '') {
      const { text } = (await server.ask('resources/read', { uri })).result.contents[0];
      expect(Buffer.byteLength(text)).toBeLessThan(PART_BYTES * 1.4);
      seen.push(...[...text.matchAll(/^exit line (\d+)$/gm)].map(([, turn]) => turn));
      uri = /goes on at (\S+)/.exec(text)?.[1] ?? '';
      reads++;
    }
    expect(reads).toBeGreaterThan(10);
    expect(seen).toEqual(Array.from({ length: 400 }, (_, turn) => String(turn)));
    const context = (
      await server.ask('resources/read', { uri: `sessionctl://context/${ids.long}/claude?budget=20000` })
    ).result;
    expect(context.contents[0]).toMatchObject({ mimeType: 'text/markdown', text: expect.stringContaining(ids.long) });
  });
});

describe('lists', () => {
  it('come in pages, each session once, newest first', async () => {
    const server = await connect();
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const answer: Message['result'] = await server.call('session_list', { offset, limit: 50 });
      expect(JSON.stringify(answer.structuredContent).length).toBeLessThan(PART_BYTES);
      expect(textOf(answer)).toContain(answer.structuredContent.sessions[0].id);
      seen.push(...answer.structuredContent.sessions.map(({ id }: { id: string }) => id));
      offset = answer.structuredContent.next_offset;
    }
    expect(seen).toHaveLength(63);
    expect(new Set(seen).size).toBe(63);
    expect((await server.call('session_list', { agent: 'codex' })).structuredContent).toMatchObject({
      total: 0,
      sessions: [],
    });
    expect((await server.call('session_list', { after: '2100-01-01T00:00:00Z' })).structuredContent.total).toBe(0);
  });

  it('of resources are paged, and hold no more than clients want to read at their start', async () => {
    const server = await connect();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { result } = await server.ask('resources/list', cursor === undefined ? {} : { cursor });
      seen.push(...result.resources.map(({ uri }: { uri: string }) => uri));
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(63);
    expect((await server.ask('resources/list', { cursor: 'nonsense' })).result).toEqual({ resources: [] });
  });

  it('of hits name the sessions in which something was said', async () => {
    const server = await connect();
    const { structuredContent } = await server.call('session_search', { query: '"number 399"' });
    expect(structuredContent.sessions.map(({ session }: { session: { id: string } }) => session.id)).toEqual([
      ids.long,
    ]);
    expect(structuredContent.sessions[0].hits[0].text).toContain('number 399');
    expect((await server.call('session_search', { query: 'zyzzyva' })).structuredContent.total.sessions).toBe(0);
  });
});
