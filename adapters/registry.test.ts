import { expect, it } from 'vitest';
import { AGENTS, RECEIVERS } from '../src/shared/agents.ts';
import { adapters } from './registry.ts';

it('names as receivers the agents whose adapters write sessions, and no other', () => {
  expect([...RECEIVERS]).toEqual(AGENTS.filter((agent) => adapters[agent].target !== undefined));
});
