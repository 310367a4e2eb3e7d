import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CliLab } from '../cli/testing.ts';
import { type LocalServer, serveHere } from './testing/server.ts';
import { manySessions } from './testing/store.ts';

let lab: CliLab;
let ids: Awaited<ReturnType<typeof manySessions>>['ids'];
let server: LocalServer;

beforeAll(async () => {
  ({ lab, ids } = await manySessions());
  const folder = join(lab.home, '.pi', 'agent');
  await mkdir(folder, { recursive: true });
  const models = { providers: { local: { models: [{ id: 'small', contextWindow: 32_768 }] } } };
  await writeFile(join(folder, 'models.json'), JSON.stringify(models));
  await writeFile(
    join(folder, 'settings.json'),
    JSON.stringify({ defaultProvider: 'local', defaultModel: 'small', compaction: { reserveTokens: 40_000 } }),
  );
  server = await serveHere(lab);
  await server.greet('codex-mcp-client');
});
afterAll(async () => {
  await server.end();
  await lab.close();
});

it('a page for an agent with a small window needs no budget to be named, and is no larger than that window has room', async () => {
  const { structuredContent: page } = await server.call('context_compile', { session: ids.long, for: 'pi' });
  expect(page).toMatchObject({ budget: 4_096, text: expect.stringContaining('Handover from') });
  expect(page.tokens).toBeLessThanOrEqual(4_096);
  const named = await server.call('context_compile', { session: ids.long, for: 'pi', budget: 32_000 });
  expect(named.structuredContent).toMatchObject({ error: { code: 'invalid_request' } });
});
