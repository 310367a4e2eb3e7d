/**
 * `npm run conformance -- --from claude --to codex`: hands native sessions over with our CLI and compares what the real
 * target agent then sends to its model with what the real source agent sends (see facts.ts for what is compared).
 *
 *     --only NAME       one scenario (repeatable), e.g. tools or 2.0.76/tools
 *     --home DIR --id ID   any other native session; DIR is copied, never touched
 *     --json            the reports as JSON
 *     --log DIR         keeps every request body there
 *     --record          stores what the source agent sends beside its fixtures
 *     --jobs N          sessions at a time (2)
 *
 * Exit code 0 only when every session passed; 2 for wrong options; 3 when an agent could not be installed.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { cliHandoff } from './handoff.ts';
import { installAgent } from './install.ts';
import { startModelServer } from './model-server.ts';
import { closingLine, progress, table, totals } from './report.ts';
import { type Bench, runSource, type SessionReport } from './scenario.ts';
import { fixtureSources, homeSource, RECORDED_ROOT, type Source } from './source.ts';

const OPTIONS = {
  from: { type: 'string', default: 'claude' },
  to: { type: 'string', default: 'codex' },
  only: { type: 'string', multiple: true, default: [] as string[] },
  home: { type: 'string' },
  id: { type: 'string' },
  json: { type: 'boolean', default: false },
  log: { type: 'string' },
  record: { type: 'boolean', default: false },
  jobs: { type: 'string', default: '2' },
} as const;

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

process.exitCode = await main(process.argv.slice(2));

async function main(argv: string[]): Promise<number> {
  const options = readOptions(argv);
  if (typeof options === 'string') {
    console.error(options);
    return 2;
  }
  const [claude, codex] = [await installAgent('claude'), await installAgent('codex')];
  if (!claude.ok || !codex.ok) {
    if (!claude.ok) console.error(`Claude Code is not installed: ${claude.reason}`);
    if (!codex.ok) console.error(`Codex is not installed: ${codex.reason}`);
    console.error('Not run: without the real agents nothing is proven.');
    return 3;
  }
  const { sources, dispose } = await sourcesOf(options);
  try {
    if (sources.length === 0) {
      console.error(`No such scenario: ${options.only.join(', ')}.`);
      return 2;
    }
    const bench: Bench = {
      claude: claude.program,
      codex: codex.program,
      handoff: cliHandoff,
      startServer: startModelServer,
      keep: keeper(options),
    };
    const reports = await runAll(bench, sources, options);
    print(reports, options.json);
    return reports.every((report) => report.verdict !== 'failed') &&
      reports.some((report) => report.verdict === 'passed')
      ? 0
      : 1;
  } finally {
    await dispose();
  }
}

function readOptions(argv: string[]): Options | string {
  try {
    const { values } = parseArgs({ args: argv, options: OPTIONS });
    if (values.from !== 'claude' || values.to !== 'codex') return 'The lab runs --from claude --to codex so far.';
    if ((values.home === undefined) !== (values.id === undefined)) return '--home DIR and --id ID belong together.';
    if (!/^[1-9]\d?$/.test(values.jobs)) return '--jobs takes a number from 1.';
    return values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function sourcesOf(options: Options): Promise<{ sources: Source[]; dispose(): Promise<void> }> {
  if (options.home !== undefined && options.id !== undefined) {
    const source = await homeSource(resolve(options.home), options.id);
    return { sources: [source], dispose: source.dispose };
  }
  return { sources: await fixtureSources(options.from, options.only), dispose: async () => {} };
}

/** Runs the sources with a few at a time; the reports come back in the order of the sources. */
async function runAll(bench: Bench, sources: readonly Source[], options: Options): Promise<SessionReport[]> {
  const reports: SessionReport[][] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < sources.length) {
      const index = next++;
      const source = sources[index]!;
      reports[index] = await runSource(bench, source);
      if (!options.json) console.error(progress(reports[index]));
    }
  };
  await Promise.all(Array.from({ length: Number(options.jobs) }, worker));
  return reports.flat();
}

function print(reports: readonly SessionReport[], asJson: boolean): void {
  if (asJson) {
    console.log(JSON.stringify({ sessions: reports, totals: totals(reports) }, null, 2));
    return;
  }
  const sums = totals(reports);
  console.log(table(reports));
  console.log('');
  console.log(
    `Facts carried ${sums.carried}/${sums.facts} (${sums.withheld} with withheld text), wrongly shown ${sums.wrong}, ` +
      `tool calls as real calls ${sums.calls_carried}/${sums.calls}, images ${sums.images_carried}/${sums.images}, ` +
      `losses declared ${sums.declared_losses}.`,
  );
  console.log(closingLine(reports));
}

/** Writes request bodies where `--log` and `--record` want them. */
function keeper(options: Options): Bench['keep'] {
  return async (what, scenario, id, body, root) => {
    if (options.log !== undefined) {
      await mkdir(options.log, { recursive: true });
      await writeFile(join(options.log, `${scenario.replace('/', '-')}.${id}.${what}.json`), JSON.stringify(body));
    }
    if (options.record && what === 'oracle' && options.home === undefined)
      await record(options.from, scenario, id, body, root);
  };
}

/** Only the messages, with the paths of the recording, compressed (this also keeps fake secrets out of clear text). */
async function record(agent: string, scenario: string, id: string, body: unknown, root: string): Promise<void> {
  const coded = (path: string): string => path.replace(/[^a-zA-Z0-9]/g, '-');
  const { messages } = body as { messages?: unknown };
  const text = JSON.stringify({ messages })
    .replaceAll(root, RECORDED_ROOT)
    .replaceAll(coded(root), coded(RECORDED_ROOT));
  const [version, name] = scenario.includes('/') ? scenario.split('/') : [undefined, scenario];
  const folder = resolve(
    import.meta.dirname,
    '../../fixtures',
    version === undefined ? agent : `${agent}-${version}`,
    name ?? '',
  );
  await writeFile(join(folder, `resume.${id}.json.gz`), gzipSync(text, { level: 9 }));
}
