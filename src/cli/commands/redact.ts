import type { RedactionReport, SecretFinding } from '../../engine/verify/redaction.ts';
import { AppFailure } from '../../shared/errors.ts';
import { type Cli, type Run, STOPPED, withEngine } from '../command.ts';
import { number, plural } from '../format.ts';
import { handleOf } from '../handle.ts';

/** `sessionctl redact [session]`: where secrets stand, never which. Exit code 1 when there are any, with --strict also candidates. */
export const redact: Run<{ strict?: boolean }, [string | undefined]> = (cli, { strict = false }, session) =>
  withEngine(cli, async (engine) => {
    const { output } = cli;
    const id = session === undefined ? null : handleOf(cli, session);
    const looked = await engine.local.recheckRedaction(id, ({ sessions, events }) => {
      if (cli.signal.aborted) throw new AppFailure(STOPPED);
      output.progress(`Looking through session ${number(sessions)}, ${plural(events, 'event')}`);
    });
    if (!looked.ok) return output.fail(looked.error);
    const { definite, candidates } = looked.value;
    output.end(looked, (report) => tell(cli, report));
    return definite > 0 || (strict && candidates > 0) ? 1 : 0;
  });

function tell({ output }: Cli, report: RedactionReport): void {
  const { findings, dropped_findings, sessions, events, rules, older, definite, candidates } = report;
  if (findings.length > 0) {
    output.table<SecretFinding>(findings, [
      { head: 'SESSION', cell: ({ session }) => session.slice(0, 13) },
      { head: 'SEQ', cell: ({ seq }) => String(seq), align: 'right' },
      { head: 'TIER', cell: ({ tier }) => tier },
      { head: 'TYPE', cell: ({ type }) => type },
      { head: 'WHERE', cell: ({ field }) => field, grows: true },
    ]);
    if (dropped_findings > 0) output.line(`and ${plural(dropped_findings, 'more finding')}`);
    output.line();
  }
  output.line(`Looked through ${plural(sessions, 'session')}, ${plural(events, 'event')}, under rules ${rules}.`);
  if (older > 0) output.line(`${plural(older, 'session')} came in under older rules, or as a bundle.`);
  output.line(
    definite === 0
      ? `${output.style('green', '✓')} No secret stands in what is stored.`
      : `${output.style('red', '✗')} ${plural(definite, 'secret')}: exports and handoffs replace ${definite === 1 ? 'it' : 'them'} on the way out; a bundle is refused.`,
  );
  if (candidates > 0)
    output.line(
      `${output.style('yellow', '!')} ${plural(candidates, 'text')} may be ${candidates === 1 ? 'a secret' : 'secrets'}: nothing replaces ${candidates === 1 ? 'it' : 'them'}. Look: ${output.typed('sessionctl show <session> --seq <seq>')}`,
    );
}
