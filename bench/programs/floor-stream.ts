import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { tellUsage } from './usage.ts';

/** The floor of reading one file: stream it, parse and stringify each line, write it. No conversion, nothing kept. */
const [from, to] = process.argv.slice(2) as [string, string];
const out = createWriteStream(to);
for await (const line of createInterface({ input: createReadStream(from), crlfDelay: Number.POSITIVE_INFINITY }))
  if (line !== '' && !out.write(`${JSON.stringify(JSON.parse(line))}\n`)) await once(out, 'drain');
out.end();
await once(out, 'finish');
tellUsage({});
