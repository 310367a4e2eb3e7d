// An agent of your own: what it says goes into a session as it happens, and can be marked and forked.
// node examples/own-agent.mjs
import { Session, Store } from 'sessionctl';

const store = await Store.local();
try {
  const session = await Session.create({ agent: 'mybot', cwd: process.cwd(), title: 'Nightly triage' }, store);
  await session.append([
    { type: 'message.user', payload: { content: 'Which tests fail?' } },
    {
      type: 'tool.call',
      payload: { call_id: '1', name: 'sh', tool: 'shell', arguments: { cmd: 'npm test' } },
    },
    { type: 'tool.result', payload: { call_id: '1', content: '1 failed: parser', is_error: true, exit_code: 1 } },
    { type: 'message.assistant', payload: { content: 'One: parser.' } },
    { type: 'decision', payload: { conclusion: 'Fix the parser first', reason: 'nothing else fails' } },
  ]);
  const { seq } = await session.checkpoint('before the fix');
  await session.append({ type: 'message.user', payload: { content: 'Fix it.' } });

  // another way from the same point; nothing is copied
  const fork = await session.fork(seq, { reason: 'rewrite instead' });
  await fork.append({ type: 'message.user', payload: { content: 'Rewrite the parser.' } });

  for (const one of [session, fork]) {
    const { counts, last_prompt } = await one.refresh();
    console.log(`${one.id}: ${counts.user} prompts, the last: ${last_prompt}`);
  }
} finally {
  await store.close();
}
