import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A stand-in for Codex on the PATH of browser tests: it tells a version and answers the calls by which a session is
 * registered. The real Codex is run by `npm run conformance`.
 */
export function installFakeCodex(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const script = `#!${process.execPath}
const { createInterface } = require('node:readline');
if (process.argv[2] === '--version') {
  console.log('codex-cli 0.171.0');
} else {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: { method } }));
  }).on('close', () => process.exit(0));
}
`;
  writeFileSync(join(folder, 'codex'), script, { mode: 0o755 });
}
