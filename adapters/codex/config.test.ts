import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { propertyRuns } from '../testing/property-runs.ts';
import { readConfig, targetWindow } from './config.ts';
import { codexHome, parseRolloutName, readsPaginated } from './home.ts';
import { resumeCommand } from './resume.ts';
import { codexTarget } from './target.ts';
import { THREAD, tempHome } from './testing/home.ts';
import { readToml } from './toml.ts';

describe('config.toml', () => {
  it('gives scalars by section, whatever quotes and comments there are', () => {
    const toml = readToml(`
model = "gpt-5.5" # the model
'odd key' = 'a "b"'
a.b = 1_000
text = """
model = "not this"
"""
list = ["x", "y"]
[projects."/home/dev/a b"]
trust_level = "trusted"
[model_providers.mock]
name = "M\\u00fcller"
on = true
`);
    expect(toml.get('', 'model')).toBe('gpt-5.5');
    expect(toml.get('', 'odd key')).toBe('a "b"');
    expect(toml.get('a', 'b')).toBe(1000);
    expect(toml.get('', 'list')).toBeUndefined();
    expect(toml.get('projects."/home/dev/a b"', 'trust_level')).toBe('trusted');
    expect(toml.get('model_providers.mock', 'name')).toBe('Müller');
    expect(toml.get('model_providers.mock', 'on')).toBe(true);
  });

  it('never fails, whatever it is given', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom('a', '=', '"', "'", '[', ']', '\n', '\\', '.', '#', ' ') }),
        ),
        (text) => {
          readToml(text).get('a', 'b');
        },
      ),
      propertyRuns(100, 504),
    );
  });
});

describe('the window of Codex', () => {
  let home: ReturnType<typeof tempHome>;
  beforeEach(() => {
    home = tempHome();
    mkdirSync(home.codex);
  });
  afterEach(() => home.dispose());
  const config = (text: string): void => writeFileSync(join(home.codex, 'config.toml'), text);

  it('is that of the model, less what Codex keeps for itself', async () => {
    config('model = "gpt-5.5"\n');
    expect(await targetWindow(home.env)).toEqual({
      model: 'gpt-5.5',
      window: 258_400,
      basis: expect.stringContaining('Codex 0.171.0'),
      reserve: 23_600,
      tokenizer: 'o200k_base',
      factor: 1,
    });
    config('model = "gpt-6.2-sol"\n');
    expect((await targetWindow(home.env)).window).toBe(475_000);
  });

  it('is what the user has set, also in a profile', async () => {
    config(
      'model = "m"\nmodel_context_window = 100000\nmodel_auto_compact_token_limit = 50000\nprofile = "p"\n[profiles.p]\nmodel_provider = "azure"\n',
    );
    expect(await targetWindow(home.env)).toMatchObject({ window: 95_000, reserve: 55_000 });
    expect(await readConfig(home.env)).toMatchObject({ model: 'm', provider: 'azure' });
  });

  it('has a default without any config', async () => {
    expect(await readConfig(home.env)).toEqual({
      model: null,
      provider: 'openai',
      contextWindow: null,
      compactAt: null,
    });
    expect((await targetWindow(home.env)).window).toBe(258_400);
  });
});

describe('names and places', () => {
  it('takes rollouts by their names only', () => {
    expect(parseRolloutName(`rollout-2026-11-29T13-49-51-${THREAD}.jsonl`)).toEqual({
      stamp: '2026-11-29T13-49-51',
      threadId: THREAD,
      rolloutId: THREAD,
      compressed: false,
    });
    expect(
      parseRolloutName(`rollout-2026-11-29T13-49-51-${THREAD}_01a22792-b6fb-7941-80d7-c9f2bef3dce7.jsonl.zst`),
    ).toMatchObject({ rolloutId: '01a22792-b6fb-7941-80d7-c9f2bef3dce7', compressed: true });
    expect(parseRolloutName(`.rollout-2026-11-29T13-49-51-${THREAD}.jsonl.1-0.part`)).toBeNull();
    expect(parseRolloutName('history.jsonl')).toBeNull();
  });

  it('goes by CODEX_HOME', () => {
    expect(codexHome({ home: '/h', env: {} })).toBe('/h/.codex');
    expect(codexHome({ home: '/h', env: { CODEX_HOME: '/x' } })).toBe('/x');
    expect(codexHome({ home: '/h', env: { CODEX_HOME: 'rel' } })).toBe('/h/rel');
  });

  it('writes the paginated form from 0.149 on', () => {
    expect(['0.171.0', '0.149.1', '1.0.0', '0.150.0-alpha.1'].map(readsPaginated)).toEqual([true, true, true, true]);
    expect(['0.148.9', '0.9.0', 'x', null].map(readsPaginated)).toEqual([false, false, false, false]);
    expect(codexTarget.shape('0.171.0', { home: '/h', env: {} }, THREAD, 0, null)).toMatchObject({
      name: 'paginated rollout (≥ 0.149)',
    });
    expect(codexTarget.shape(null, { home: '/h', env: {} }, THREAD, 0, null).files[0]).toContain(`${THREAD}.jsonl`);
  });

  it('resumes in the folder of the project', () => {
    expect(resumeCommand({ native_id: THREAD, cwd: "/home/dev/it's here" })).toEqual({
      argv: ['codex', 'resume', THREAD],
      cwd: "/home/dev/it's here",
      text: `cd '/home/dev/it'\\''s here' && codex resume ${THREAD}`,
    });
    expect(resumeCommand({ native_id: '--yolo; id', cwd: null })).toMatchObject({
      argv: ['codex', 'resume', '--', '--yolo; id'],
      text: "codex resume -- '--yolo; id'",
    });
    expect(resumeCommand({ native_id: THREAD, cwd: null }).text).toBe(`codex resume ${THREAD}`);
  });
});
