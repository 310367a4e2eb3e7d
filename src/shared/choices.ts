/**
 * Closed lists that people choose from on a command line. They stand apart from the schemas that use them, since those need a
 * library that takes longer to load than the whole help of the CLI.
 */

/**
 * Where in a session something was said, one of these an event:
 * a person's prompt; an answer; reasoning; a tool's call or result; the summary of a compaction or a branch; what a harness
 * put in; the session's title; and what was noted down (decisions, memory, todos, checkpoints, handoffs, other types).
 */
export const SEARCH_KINDS = ['prompt', 'reply', 'thinking', 'tool', 'summary', 'system', 'title', 'note'] as const;

/** What `in` of a search may be: a kind, or `error`: whatever failed, of any kind. */
export const SEARCH_PLACES = [...SEARCH_KINDS, 'error'] as const;

/** What `has` may be: sessions that hold it anywhere. */
export const SESSION_HAS = ['error', 'secret', 'image', 'subagent', 'warning'] as const;

/** Forms in which a session is written out for people and other programs. */
export const EXPORT_FORMATS = ['markdown', 'html', 'json', 'atif'] as const;

/** Forms of a compiled context: one page for an agent, the files of a working memory, or a task of the A2A protocol. */
export const COMPILE_FORMATS = ['context', 'work-mem', 'a2a'] as const;
