import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { AgentEnv } from '../../contract.ts';

/**
 * A program `codex` that answers `--version` and app-server calls as the real one does, on PATH of a temporary home.
 * `behaviour`: how it answers a call; what it was asked is in the file `asked`.
 */
export function installFakeCodex(
  env: AgentEnv,
  behaviour: 'works' | 'refuses' | 'dies' | 'garbles' = 'works',
  version = 'codex-cli 0.171.0',
): { env: AgentEnv; asked: () => { method: string; params: Record<string, unknown> }[] } {
  const bin = join(env.home, 'bin');
  const log = join(env.home, 'asked.jsonl');
  mkdirSync(bin, { recursive: true });
  const script = join(bin, 'codex.mjs');
  writeFileSync(
    script,
    `import { appendFileSync, readdirSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
if (process.argv[2] === '--version') { console.log(${JSON.stringify(version)}); process.exit(); }
const behaviour = ${JSON.stringify(behaviour)};
const say = (message) => console.log(JSON.stringify(message));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') return say({ id, result: {} });
  if (id === undefined) return;
  appendFileSync(${JSON.stringify(log)}, JSON.stringify({ method, params }) + '\\n');
  if (behaviour === 'dies') process.exit(3);
  if (behaviour === 'garbles') console.log('not JSON');
  if (behaviour === 'refuses') return say({ id, error: { code: -32600, message: 'no rollout found' } });
  if (method === 'thread/delete') {
    for (const name of readdirSync(${JSON.stringify(join(env.home, '.codex'))}, { recursive: true })) if (name.includes(params.threadId)) rmSync(join(${JSON.stringify(join(env.home, '.codex'))}, name));
  }
  say({ method: 'some/notification' });
  say({ id, result: {} });
});
`,
  );
  const program = join(bin, 'codex');
  writeFileSync(program, `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(script)} "$@"\n`);
  chmodSync(program, 0o755);
  const asked = (): { method: string; params: Record<string, unknown> }[] => {
    try {
      return readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { method: string; params: Record<string, unknown> });
    } catch {
      return [];
    }
  };
  return { env: { home: env.home, env: { ...env.env, PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin` } }, asked };
}
