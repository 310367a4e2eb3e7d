import { resolve } from 'node:path';
import type { Engine } from '../../engine/engine.ts';
import { fail } from '../../shared/errors.ts';
import type { ExportFormat } from '../../shared/outputs.ts';
import { type Cli, type Run, withEngine } from '../command.ts';
import { bytes, number, plural } from '../format.ts';
import { handleOf } from '../handle.ts';
import { readNew } from '../read-new.ts';

interface Options {
  agent?: string;
  bundle?: boolean;
  format?: ExportFormat;
  all?: boolean;
  /** false with --no-subagents */
  subagents: boolean;
  cwd?: string;
  allowSecrets?: boolean;
  out: string;
}

/**
 * `sessionctl export`: a signed bundle; a session in an agent's own format below a folder that is no agent's home; or a session
 * for people and other programs, as a file or on stdout.
 */
export const exportSession: Run<Options, [string]> = (cli, options, session) =>
  withEngine(cli, async (engine) => {
    const ways = [options.agent !== undefined, options.bundle === true, options.format !== undefined];
    if (ways.filter(Boolean).length !== 1) {
      return cli.output.fail(
        fail(
          'invalid_request',
          'Say what to write, one of: --format <format> to be read, --agent <agent> for its own format, --bundle.',
        ).error,
      );
    }
    const id = handleOf(cli, session);
    await readNew(cli, engine, id);
    if (options.format !== undefined) return readable(cli, engine, id, options, options.format);
    return options.agent === undefined
      ? bundle(cli, engine, id, options)
      : native(cli, engine, id, options, options.agent);
  });

async function readable(cli: Cli, engine: Engine, id: string, options: Options, format: ExportFormat): Promise<number> {
  const { output, io, signal } = cli;
  const path = options.out === '-' ? null : resolve(io.cwd, options.out);
  if (path === null && output.json)
    return output.fail(
      fail('invalid_request', 'With --out - the session itself is on stdout: leave --json out.').error,
    );
  const request = { format, path, all: options.all === true, subagents: options.subagents };
  const exported = await engine.local.exportText(id, request, {
    signal,
    onProgress: ({ done, total }) => output.progress(`${number(done)} of ${number(total)} events`),
    sink: (piece) => written(io.stdout, piece),
  });
  if (!exported.ok) return output.fail(exported.error);
  const { value } = exported;
  for (const warning of value.warnings) output.note(warning.detail);
  return path === null
    ? 0
    : output.end(exported, () => {
        const along = value.subagents === 0 ? '' : `, with ${plural(value.subagents, 'sub-agent')}`;
        output.line(`${path}: ${bytes(value.bytes)}${along}`);
      });
}

/** What is written is harmless to a terminal already; resolves when the reader takes more, or is gone. */
function written(stdout: Cli['io']['stdout'], piece: Uint8Array): Promise<void> | undefined {
  if (stdout.destroyed || stdout.write(piece)) return undefined;
  return new Promise((done) => {
    const go = (): void => {
      stdout.off('drain', go).off('close', go);
      done();
    };
    stdout.on('drain', go).on('close', go);
  });
}

async function native(cli: Cli, engine: Engine, id: string, options: Options, agent: string): Promise<number> {
  const { output } = cli;
  const wanted = { agent, folder: resolve(cli.io.cwd, options.out), cwd: options.cwd ?? null };
  return output.end(
    await engine.local.exportNative(id, wanted, cli.signal),
    ({ files, warnings, command, fidelity }) => {
      for (const file of files) output.line(file);
      const { arriving, total } = fidelity.events;
      if (arriving < total) output.line(`Carried: ${number(arriving)} of ${plural(total, 'event')}`);
      for (const warning of warnings) output.note(`${warning.about}: ${warning.detail}`);
      output.note(`Put it into the agent's own folder to go on: ${command.text}`);
    },
  );
}

async function bundle(cli: Cli, engine: Engine, id: string, options: Options): Promise<number> {
  const { output } = cli;
  const path = resolve(cli.io.cwd, options.out);
  return output.end(
    await engine.local.exportBundle(id, path, { allowSecrets: options.allowSecrets === true, signal: cli.signal }),
    ({ events, artifacts, key_id, public_key }) => {
      output.line(`${path}: ${plural(events, 'event')}, ${plural(artifacts, 'artifact')}, signed by ${key_id}`);
      output.note(`To be checked with the public key ${public_key}, which you give by another way.`);
    },
  );
}
