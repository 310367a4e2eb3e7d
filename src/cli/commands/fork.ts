import { type Run, withEngine } from '../command.ts';
import { plural } from '../format.ts';
import { handleOf } from '../handle.ts';

interface Options {
  at: number;
  reason?: string;
  operation?: string;
}

/** `sessionctl fork`: a new session that goes on from everything up to an event. */
export const fork: Run<Options, [string]> = (cli, { at, reason, operation }, session) =>
  withEngine(cli, async (engine) =>
    cli.output.end(
      await engine.call('sessions.fork', {
        id: handleOf(cli, session),
        at_seq: at,
        ...(reason === undefined ? {} : { reason }),
        ...(operation === undefined ? {} : { operation_id: operation }),
      }),
      ({ session: made, from_session, from_seq, receipt, replayed }) => {
        const { output } = cli;
        if (replayed) output.note('This fork was made before; nothing was made now.');
        output.line(
          `${made.id}: goes on from event ${from_seq} of ${from_session}, with ${plural(made.copied, 'event')} of it`,
        );
        output.note(`Receipt ${receipt}. Go on with it: ${output.typed(`sessionctl handoff ${made.id} --to <agent>`)}`);
      },
    ),
  );
