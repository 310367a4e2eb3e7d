import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { VERSION } from './version.ts';

it('the version is that of the package', () => {
  expect(VERSION).toBe(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version);
});
