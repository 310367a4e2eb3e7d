import { describe, expect, it } from 'vitest';
import { claudeCodeWindow, providerWindow, UNKNOWN_WINDOW, unknownWindow } from './models.ts';

describe('the window of a model', () => {
  it('is that of Claude Code’s own list, whatever the spelling, and the large one where it is asked for', () => {
    for (const name of ['claude-opus-5-5', 'anthropic/claude-opus-5.5', 'us.anthropic.claude-opus-5-5-20261001-v1:0'])
      expect(claudeCodeWindow(name)).toMatchObject({ window: 1_000_000, basis: expect.stringContaining('2026-11-30') });
    expect(claudeCodeWindow('claude-sonnet-4-5-20250929')?.window).toBe(200_000);
    expect(claudeCodeWindow('sonnet[1m]')?.window).toBe(1_000_000);
    expect(claudeCodeWindow('opus')).toBeNull();
  });

  it('is that of the provider, and the smallest of all where the provider is not known', () => {
    expect(providerWindow('openai-codex', 'gpt-6.2-sol')?.window).toBe(500_000);
    expect(providerWindow('openai', 'gpt-6.2-sol')?.window).toBe(272_000);
    expect(providerWindow(null, 'openai/gpt-6.2-sol')).toMatchObject({
      window: 272_000,
      basis: expect.stringContaining('smallest'),
    });
    expect(providerWindow('somebody', 'claude-sonnet-5')?.window).toBe(1_000_000);
    expect(providerWindow('google', 'gemini-3.8-flash')?.window).toBe(1_048_576);
  });

  it('is a careful guess that says so where nothing is known', () => {
    expect(providerWindow('openai', 'gpt-99')).toBeNull();
    expect(providerWindow('constructor', '__proto__')).toBeNull();
    expect(unknownWindow('gpt-99')).toEqual({
      window: UNKNOWN_WINDOW,
      basis: expect.stringContaining('gpt-99 is not known'),
    });
    expect(unknownWindow(null).basis).toContain('not known');
  });
});
