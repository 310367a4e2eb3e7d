import { parseArgs } from 'node:util';
import { buildPrograms } from './build.ts';
import { importHermes, importOf } from './figures/agents.ts';
import { convert, convertAgents } from './figures/convert.ts';
import { importHuge, importLarge, importLight, importLongLine, importSecrets, importSmall } from './figures/import.ts';
import { list } from './figures/list.ts';
import { live } from './figures/live.ts';
import { open } from './figures/open.ts';
import { asLine, type Figure } from './report.ts';
import { type Surroundings, surroundingsOf } from './surroundings.ts';

/**
 * `npm run bench -- [names] [--json] [--quick]`: measures on generated data and compares with the bars of the design.
 * `--json` prints a line a figure, `--quick` takes less data and fewer rounds. A missed bar is shown, not an error.
 */
const FIGURES: Record<string, (around: Surroundings) => Promise<Figure[]>> = {
  import: importLarge,
  'import-secrets': importSecrets,
  'import-light': importLight,
  'import-long-line': importLongLine,
  'import-small': importSmall,
  'import-huge': importHuge,
  'import-codex': importOf('codex'),
  'import-pi': importOf('pi'),
  'import-opencode': importOf('opencode'),
  'import-gemini': importOf('gemini'),
  'import-hermes': importHermes,
  convert,
  'convert-agents': convertAgents,
  live,
  open,
  list,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(FIGURES, name));
if (unknown.length > 0) {
  console.error(`There is no figure ${unknown.join(', ')}. Known are: ${Object.keys(FIGURES).join(', ')}.`);
  process.exit(2);
}
const around = surroundingsOf(await buildPrograms(), values.quick);
try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(FIGURES))
    for (const figure of (await FIGURES[name]?.(around)) ?? [])
      console.log(values.json ? JSON.stringify(figure) : asLine(figure));
} finally {
  around.remove();
}
