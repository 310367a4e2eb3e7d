import { parseArgs } from 'node:util';
import { buildPrograms } from './build.ts';
import { importHermes, importOf } from './figures/agents.ts';
import { compileSpeed, compileSurvival } from './figures/compile.ts';
import { convert, convertAgents } from './figures/convert.ts';
import { importHuge, importLarge, importLight, importLongLine, importSecrets, importSmall } from './figures/import.ts';
import { list } from './figures/list.ts';
import { live } from './figures/live.ts';
import { open } from './figures/open.ts';
import { search } from './figures/search.ts';
import { asLine, type Figure } from './report.ts';
import { type Surroundings, surroundingsOf } from './surroundings.ts';
import { asTable } from './table.ts';

/**
 * `npm run bench -- [names] [--json] [--quick]`: measures on generated data and compares with the bars of the design.
 * Each figure is told when it is there, all of them in a table at the end. `--json` prints a line a figure, `--quick` takes
 * less data and fewer rounds. A missed bar is shown, not an error.
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
  compile: compileSurvival,
  'compile-speed': compileSpeed,
  live,
  open,
  list,
  search,
};

/** Several figures under one name. */
const GROUPS: Record<string, string[]> = {
  huge: ['import-huge', 'import-long-line'],
  agents: ['import-codex', 'import-pi', 'import-opencode', 'import-gemini', 'import-hermes', 'convert-agents'],
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
});
const known = [...Object.keys(FIGURES), ...Object.keys(GROUPS)];
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`There is no figure ${unknown.join(', ')}. Known are: ${known.join(', ')}.`);
  process.exit(2);
}
const names = positionals.length > 0 ? positionals.flatMap((name) => GROUPS[name] ?? [name]) : Object.keys(FIGURES);
const around = surroundingsOf(await buildPrograms(), values.quick);
const start = performance.now();
const all: Figure[] = [];
try {
  for (const name of names) {
    try {
      const figures = (await FIGURES[name]?.(around)) ?? [];
      for (const figure of figures) console.log(values.json ? JSON.stringify(figure) : asLine(figure));
      all.push(...figures);
    } catch (thrown) {
      // one that fails does not take the others of a long run with it
      console.error(`${name} failed:`, thrown);
      process.exitCode = 1;
    }
  }
  if (!values.json) console.log(`\n${asTable(all)}\n\n${Math.round((performance.now() - start) / 6000) / 10} minutes.`);
} finally {
  around.remove();
}
