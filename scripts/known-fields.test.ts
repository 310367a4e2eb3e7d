import { describe, expect, it } from 'vitest';
import { KNOWN_FIELDS } from '../adapters/known-fields.ts';
import { fixtureFields } from './fixture-fields.ts';

describe('the fields that are known of each agent', () => {
  it('are those of its fixtures; `node scripts/known-fields.ts` writes them down', async () => {
    for (const [agent, text] of Object.entries(await fixtureFields())) expect(KNOWN_FIELDS[agent]?.trim()).toBe(text);
  });
});
