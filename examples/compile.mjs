// Prints what the next agent must know of the session that was active last.
// node examples/compile.mjs [agent] [tokens]
import { Compiler, Session, Store } from 'sessionctl';

const [agent = 'codex', budget = '8000'] = process.argv.slice(2);
const store = await Store.local();
try {
  const { rows } = await store.list({ limit: 1 });
  if (rows.length === 0)
    throw new Error('No session is known yet: sessionctl sources enable <agent>, sessionctl import');
  const session = await Session.open(rows[0].id, store);
  const page = await Compiler.compile(session, agent, Number(budget));
  console.log(page.text);
  console.error(`${page.tokens} of ${page.budget} tokens; ${page.dropped.length} items left out`);
} finally {
  await store.close();
}
