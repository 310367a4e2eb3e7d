// node scripts/known-fields.ts: writes down which fields the files of each agent have, from the fixtures. A test compares.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFields } from './fixture-fields.ts';

const agents = Object.entries(await fixtureFields()).map(([agent, text]) => `  ${agent}: \`\n${text}\n\`,\n`);
const path = join(import.meta.dirname, '..', 'adapters', 'known-fields.ts');
writeFileSync(
  path,
  `/**
 * Fields by agent and kind of record, as the versions that the adapters were checked with write them. Written by
 * scripts/known-fields.ts from the fixtures; src/engine/verify/census.ts reads it. A kind a line, its fields behind it.
 */
export const KNOWN_FIELDS: Readonly<Record<string, string>> = {
${agents.join('')}};
`,
);
