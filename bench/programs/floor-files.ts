import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { tellUsage } from './usage.ts';

/** The floor of reading many files: read each whole, parse and stringify its lines, write all into one. */
const [root, to] = process.argv.slice(2) as [string, string];
const out = openSync(to, 'w');
for (const folder of readdirSync(root)) {
  for (const name of readdirSync(join(root, folder))) {
    let text = '';
    for (const line of readFileSync(join(root, folder, name), 'utf8').split('\n'))
      if (line !== '') text += `${JSON.stringify(JSON.parse(line))}\n`;
    writeSync(out, text);
  }
}
tellUsage({});
