// Shows what a handoff would lose, does it, and prints the command that goes on.
// node examples/handoff.mjs <session> <agent> [folder]
import { Session, SessionctlError, Store } from 'sessionctl';

const [id = '', agent = '', cwd = process.cwd()] = process.argv.slice(2);
const store = await Store.local();
try {
  const session = await Session.open(id, store);
  const plan = await session.preflight(agent, undefined, { cwd });
  for (const { kind, outcome, count, how } of plan.fidelity.rows) console.log(`${outcome} ${count} ${kind}: ${how}`);
  const done = await session.handoff(agent, 'Go on where this stopped.', { cwd });
  console.log(`Go on: ${done.command.text}`);
} catch (error) {
  if (!(error instanceof SessionctlError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  for (const { id, title } of error.details.candidates ?? []) console.error(`  ${id} ${title}`);
  process.exitCode = 1;
} finally {
  await store.close();
}
