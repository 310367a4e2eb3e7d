/** What the lab knows of every agent: how to run it and how to read what it sends. */

/** The request of a resumed session, or why there was none (the agent's own words). */
export type Resumed = { ok: true; body: unknown } | { ok: false; reason: string };

/** What an agent is told on resume. It is the last thing sent and no fact of the session. */
export const PROMPT = 'continue';
