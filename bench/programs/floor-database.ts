import { once } from 'node:events';
import { copyFileSync, createWriteStream } from 'node:fs';
import Database from 'better-sqlite3';
import { tellUsage } from './usage.ts';

/** The floor of reading a database: copy it, read all rows of some tables, parse what is JSON, stringify, write. */
const [from, to, ...tables] = process.argv.slice(2) as [string, string, ...string[]];
copyFileSync(from, `${to}.copy`);
const db = new Database(`${to}.copy`);
const out = createWriteStream(to);
for (const table of tables) {
  for (const row of db.prepare(`SELECT * FROM ${table}`).iterate() as IterableIterator<Record<string, unknown>>) {
    for (const [name, value] of Object.entries(row))
      if (typeof value === 'string' && /^[[{]/.test(value)) row[name] = parsed(value);
    if (!out.write(`${JSON.stringify(row)}\n`)) await once(out, 'drain');
  }
}
db.close();
out.end();
await once(out, 'finish');
tellUsage({});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
