// The store as the session storage of the Claude Agent SDK. With the SDK installed it is one option:
//
//   import { query } from '@anthropic-ai/claude-agent-sdk';
//   for await (const message of query({ prompt, options: { sessionStore, resume } })) …
//
// Here the SDK's part is played by hand: it mirrors each batch of lines, and asks for all of them to resume.
import { ClaudeSessionStore, Store } from 'sessionctl';

const store = await Store.local();
try {
  const sessionStore = new ClaudeSessionStore(store);
  const key = { projectKey: '-home-dev-app', sessionId: '0d5b6a52-7d0c-4f0e-9c46-6f1f0f6a1c11' };
  await sessionStore.append(key, [{ type: 'user', uuid: 'a', message: { role: 'user', content: 'Hello' } }]);
  await sessionStore.append(key, [{ type: 'assistant', uuid: 'b', message: { role: 'assistant', content: 'Hi' } }]);
  await sessionStore.append({ ...key, subpath: 'subagents/agent-1' }, [{ type: 'user', uuid: 'c' }]);

  const entries = await sessionStore.load(key);
  const [{ sessionId }] = await sessionStore.listSessions(key.projectKey);
  console.log(`${sessionId}: ${entries?.length} entries, sub-agents: ${await sessionStore.listSubkeys(key)}`);
} finally {
  await store.close();
}
