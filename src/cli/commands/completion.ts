import { ok } from '../../shared/errors.ts';
import type { Run } from '../command.ts';
import { SCRIPTS, type Shell } from '../complete/scripts.ts';

/** `sessionctl completion <shell>`: prints what the shell loads. */
export const completion: Run<object, [Shell]> = (cli, _options, shell) =>
  Promise.resolve(
    cli.output.end(ok({ shell, script: SCRIPTS[shell] }), ({ script }) => cli.output.line(script.trimEnd())),
  );
