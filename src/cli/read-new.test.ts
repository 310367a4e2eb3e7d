import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliLab, readLab } from './testing.ts';

/** What was said a moment ago is part of a session whatever is done with it. */

let lab: CliLab;
let id: string;
beforeEach(async () => {
  ({ lab, id } = await readLab());
  const folder = join(lab.home, '.claude', 'projects');
  const [file] = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
  const records = (await readFile(join(folder, file!), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text) as { uuid?: string; sessionId?: string; parentUuid?: string });
  const last = records.findLast(({ uuid, parentUuid }) => uuid !== undefined && parentUuid !== undefined)!;
  const line = {
    type: 'user',
    uuid: '0f0f0f0f-0000-4000-8000-000000000001',
    parentUuid: last.uuid,
    isSidechain: false,
    sessionId: last.sessionId,
    timestamp: '2031-01-01T00:00:00.000Z',
    message: { role: 'user', content: 'Never round half up, says UNIQUEWORDX.' },
  };
  await appendFile(join(folder, file!), `${JSON.stringify(line)}\n`);
});
afterEach(() => lab.close());

describe('what was said since the last look', () => {
  it('is shown', async () => {
    const before = (await lab.run('list', '--no-scan', '--json')).json.value.rows[0].counts.user;
    expect((await lab.run('show', id)).stdout).toContain('UNIQUEWORDX');
    expect((await lab.run('list', '--no-scan', '--json')).json.value.rows[0].counts.user).toBe(before + 1);
  });

  it.each([
    ['compile', '--for', 'codex'],
    ['export', '--format', 'markdown', '--out', '-'],
  ])('is there for %s', async (command, ...options) => {
    expect((await lab.run(command, id, ...options)).stdout).toContain('UNIQUEWORDX');
  });

  it('is left unread where the agent may not be read', async () => {
    await lab.run('sources', 'disable', 'claude');
    expect((await lab.run('show', id)).stdout).not.toContain('UNIQUEWORDX');
  });
});
