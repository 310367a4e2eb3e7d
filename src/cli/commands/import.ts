import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { safeLine } from '../../core/safe-text.ts';
import { prepareCapture } from '../../engine/capture/capture.ts';
import type { ImportSummary } from '../../engine/capture/contract.ts';
import type { Engine } from '../../engine/engine.ts';
import { fail, type Result } from '../../shared/errors.ts';
import { type Cli, type Run, withEngine } from '../command.ts';
import { bytes, number, plural } from '../format.ts';
import { showProgress } from '../scan.ts';

interface Options {
  agent?: string;
  path?: string;
}

/** `sessionctl import`: reads native sessions, or a bundle. */
export const importSessions: Run<Options> = (cli, options) => {
  prepareCapture();
  return withEngine(cli, async (engine) => {
    const path = options.path === undefined ? undefined : resolve(cli.io.cwd, options.path);
    if (path !== undefined && !existsSync(path))
      return cli.output.fail(fail('source_unreadable', `There is no ${path}.`, { path }).error);
    if (path !== undefined && (await isBundle(path))) {
      return cli.output.end(await engine.local.importBundle(path, cli.signal), ({ sessions }) => {
        for (const { id, events, added, signed, key_id } of sessions)
          cli.output.line(
            `${id}  ${plural(events, 'event')}  ${added ? 'added' : 'already here'}  signed by ${safeLine(key_id)}${signed ? '' : ' (not known here)'}`,
          );
        if (sessions.some(({ signed }) => !signed))
          cli.output.note(
            `Whose key it is is not known here, so who made the bundle is not proven. Ask them for their public key: ${cli.output.typed('sessionctl verify <bundle> --key <key>')}`,
          );
      });
    }
    const result = await engine.local.import(
      { agent: options.agent, path },
      (progress) => showProgress(cli, progress),
      cli.signal,
    );
    return cli.output.end(await explain(engine, result), (summary) => tell(cli, summary));
  });
};

/** A bundle is recognised by its name or its manifest, a session by everything else. */
async function isBundle(path: string): Promise<boolean> {
  if (/\.tar(\.zst)?$/.test(path)) return true;
  const { isBundleFolder } = await import('../../engine/bundle/layout.ts');
  return statSync(path).isDirectory() && isBundleFolder(path);
}

/** Nothing enabled is no success: it says what to enable. */
async function explain(engine: Engine, result: Result<ImportSummary>): Promise<Result<ImportSummary>> {
  if (!result.ok || result.value.total > 0 || result.value.unchanged > 0) return result;
  const sources = await engine.call('sources.list', {});
  if (!sources.ok || sources.value.some((source) => source.enabled)) return result;
  const found = sources.value.filter((source) => source.exists).map((source) => source.agent);
  if (found.length === 0) return result;
  return fail(
    'source_not_enabled',
    `No source is enabled yet. Allow one: \`sessionctl sources enable ${[...new Set(found)].join(' ')}\`.`,
    { found },
  );
}

function tell(cli: Cli, summary: ImportSummary): void {
  const { output } = cli;
  const { done, unchanged, events, bytes: read, sessions_changed: changed } = summary;
  output.line(
    `${plural(changed, 'session')} read: ${number(events)} new events from ${plural(done, 'file')}, ${bytes(read)}. ${number(unchanged)} unchanged.`,
  );
  for (const { about, detail, file, line, count } of summary.warnings) {
    const place =
      file === undefined
        ? ''
        : ` (${file}${line === undefined ? '' : `:${line}`}${count === undefined ? '' : `, ${number(count)} times`})`;
    output.note(`${output.style('yellow', about, 'stderr')}: ${detail}${place}`);
  }
  if (summary.dropped_warnings > 0) output.note(`and ${plural(summary.dropped_warnings, 'more warning')}`);
}
