import { answer, type Run } from '../command.ts';
import { number, time } from '../format.ts';
import { handleOf } from '../handle.ts';

/** `sessionctl receipts [session]` */
export const receipts: Run<{ limit: number }, [string | undefined]> = (cli, { limit }, session) =>
  answer(
    cli,
    (engine) =>
      engine.call('receipts.list', {
        limit: Math.min(limit, 1000),
        ...(session === undefined ? {} : { session: handleOf(cli, session) }),
      }),
    ({ rows, total }) => {
      if (total === 0) return cli.output.line('No receipts yet: a handoff, an export or a bundle import makes one.');
      cli.output.table(rows, [
        { head: 'RECEIPT', cell: (receipt) => receipt.id },
        { head: 'AT', cell: (receipt) => time(Date.parse(receipt.at) / 1000) },
        { head: 'ACTION', cell: (receipt) => receipt.action },
        { head: 'SESSION', cell: (receipt) => receipt.session_id },
        { head: 'NO', cell: (receipt) => number(receipt.position), align: 'right' },
      ]);
      if (total > rows.length) cli.output.line(cli.output.style('dim', `${number(rows.length)} of ${number(total)}`));
    },
  );
