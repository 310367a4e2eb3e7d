import { resolve } from 'node:path';
import { fail } from '../../shared/errors.ts';
import { type Run, withEngine } from '../command.ts';
import { plural } from '../format.ts';
import { handleOf } from '../handle.ts';

interface Options {
  agent?: string;
  bundle?: boolean;
  cwd?: string;
  allowSecrets?: boolean;
  out: string;
}

/** `sessionctl export`: a signed bundle, or a session in an agent's own format below a folder that is no agent's home. */
export const exportSession: Run<Options, [string]> = (cli, options, session) =>
  withEngine(cli, async (engine) => {
    const { output } = cli;
    if ((options.agent === undefined) === (options.bundle !== true)) {
      return output.fail(
        fail('invalid_request', 'Say what to write: --agent <agent> for its own format, or --bundle.').error,
      );
    }
    const path = resolve(cli.io.cwd, options.out);
    const id = handleOf(cli, session);
    if (options.agent !== undefined) {
      const wanted = { agent: options.agent, folder: path, cwd: options.cwd ?? null };
      return output.end(await engine.local.exportNative(id, wanted), ({ files, warnings, command }) => {
        for (const file of files) output.line(file);
        for (const warning of warnings) output.note(`${warning.about}: ${warning.detail}`);
        output.note(`Put it into the agent's own folder to go on: ${command.text}`);
      });
    }
    return output.end(
      await engine.local.exportBundle(id, path, { allowSecrets: options.allowSecrets === true }),
      ({ events, artifacts, key_id, public_key }) => {
        output.line(`${path}: ${plural(events, 'event')}, ${plural(artifacts, 'artifact')}, signed by ${key_id}`);
        output.note(`To be checked with the public key ${public_key}, which you give by another way.`);
      },
    );
  });
