import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/shared/events.ts';
import { captureAll, eachSource } from './testing/fixtures.ts';

describe('an output that the client wrote to a file of its own', () => {
  it('stays the preview that the model sees, with the whole beside it', async () => {
    const spilled: ToolResult[] = [];
    await eachSource({ agent: 'claude', name: 'long-output' }, async (source, home) => {
      const { main } = await captureAll(source, home);
      for (const event of main?.events ?? []) {
        const payload = event.payload as unknown as ToolResult;
        if (event.type === 'tool.result' && payload.spilled !== undefined) spilled.push(payload);
      }
    });
    expect(spilled).toHaveLength(3);
    for (const { content, truncated, spilled: whole } of spilled) {
      expect(content).toEqual([{ kind: 'text', text: expect.stringMatching(/^<persisted-output>\nOutput too large/) }]);
      expect(truncated).toBeUndefined();
      expect(whole?.bytes).toBeGreaterThan(30_000);
    }
  });
});
