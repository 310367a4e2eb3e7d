import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { targetWindow } from './window.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'claude-window-'));
  mkdirSync(join(home, '.claude'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('the window of Claude Code', () => {
  it('is that of its common models, less what its own prompt and its compaction need', async () => {
    expect(await targetWindow({ home, env: {} })).toEqual({
      model: null,
      window: 200_000,
      basis: expect.stringContaining('not known'),
      reserve: 58_000,
      tokenizer: 'o200k_base',
      factor: 1.2,
    });
  });

  it('follows the model of the settings, and the environment before them', async () => {
    writeFileSync(join(home, '.claude', 'settings.json'), '{"model":"sonnet[1m]"}');
    expect(await targetWindow({ home, env: {} })).toMatchObject({ model: 'sonnet[1m]', window: 1_000_000 });
    expect(await targetWindow({ home, env: { ANTHROPIC_MODEL: 'opus' } })).toMatchObject({
      model: 'opus',
      window: 200_000,
    });
  });

  it('takes damaged settings for none', async () => {
    writeFileSync(join(home, '.claude', 'settings.json'), '{"model":');
    expect(await targetWindow({ home, env: {} })).toMatchObject({ model: null });
  });
});
