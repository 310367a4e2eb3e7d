import { answer, type Run } from '../command.ts';
import { handleOf } from '../handle.ts';

interface Options {
  message?: string;
  operation?: string;
}

/** `sessionctl checkpoint`: marks the end of a session as it is now. */
export const checkpoint: Run<Options, [string]> = (cli, { message, operation }, session) =>
  answer(
    cli,
    (engine) =>
      engine.call('sessions.checkpoint', {
        id: handleOf(cli, session),
        ...(message === undefined ? {} : { label: message }),
        ...(operation === undefined ? {} : { operation_id: operation }),
      }),
    ({ session: id, seq, replayed }) => {
      if (replayed) cli.output.note('This point was marked before; nothing was written now.');
      cli.output.line(
        `Marked at event ${seq}. Come back to it: ${cli.output.typed(`sessionctl fork ${id} --at ${seq}`)}`,
      );
    },
  );
