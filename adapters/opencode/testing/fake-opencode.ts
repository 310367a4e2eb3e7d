import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { AgentEnv } from '../../contract.ts';
import type { TestHome } from './database.ts';

/**
 * A program `opencode` on PATH that imports as the real one does (1.18.33): row by row, without a transaction.
 * `behaviour`: `dies` after the first message, `forgets` says it was done and did nothing.
 */
export function installFakeOpenCode(
  home: TestHome,
  behaviour: 'works' | 'dies' | 'forgets' = 'works',
): { env: AgentEnv; asked: () => { args: string[]; cwd: string }[] } {
  const bin = join(home.env.home, 'bin');
  const log = join(home.env.home, 'asked.jsonl');
  mkdirSync(bin, { recursive: true });
  const script = join(bin, 'opencode.mjs');
  writeFileSync(
    script,
    `import { appendFileSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
const args = process.argv.slice(2);
if (args[0] === '--version') { console.log('1.18.33'); process.exit(); }
appendFileSync(${JSON.stringify(log)}, JSON.stringify({ args, cwd: process.cwd() }) + '\\n');
if (args[0] === 'models') { console.log('lab/model-1'); process.exit(); }
if (args[0] !== 'import') process.exit(1);
const { info, messages } = JSON.parse(readFileSync(args[1], 'utf8'));
if (${JSON.stringify(behaviour)} !== 'forgets') {
  const db = new DatabaseSync(${JSON.stringify(home.database)});
  const { created, updated } = info.time;
  db.prepare('INSERT INTO session (id, project_id, slug, directory, path, title, version, agent, model, time_created, time_updated) VALUES (?,?,?,?,?,?,?,?,?,?,?)')
    .run(info.id, 'global', info.slug, process.cwd(), '', info.title, info.version, info.agent, JSON.stringify(info.model), created, updated);
  for (const { info: { id, sessionID, ...data }, parts } of messages) {
    db.prepare('INSERT INTO message VALUES (?,?,?,?,?)').run(id, info.id, data.time.created, data.time.created, JSON.stringify(data));
    for (const { id: part, sessionID, messageID, ...rest } of parts)
      db.prepare('INSERT INTO part VALUES (?,?,?,?,?,?)').run(part, id, info.id, 1, 1, JSON.stringify(rest));
    if (${JSON.stringify(behaviour)} === 'dies') { console.error('Error: out of luck'); process.exit(1); }
  }
  db.close();
}
console.log('Imported session: ' + info.id);
`,
  );
  const program = join(bin, 'opencode');
  writeFileSync(program, `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(script)} "$@"\n`);
  chmodSync(program, 0o755);
  const asked = (): { args: string[]; cwd: string }[] => {
    try {
      const lines = readFileSync(log, 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line) as { args: string[]; cwd: string });
    } catch {
      return [];
    }
  };
  return {
    env: { home: home.env.home, env: { ...home.env.env, PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin` } },
    asked,
  };
}
