/** What a rollout needs beside the conversation. */
export interface RolloutOptions {
  threadId: string;
  cwd: string;
  /** time of the handoff, seconds */
  at: number;
  cliVersion: string;
  provider: string;
  gitBranch: string | null;
  paginated: boolean;
  tokens: number;
  contextWindow: number;
  preface?: string;
}

export const ORIGINATOR = 'sessionctl';

/** The header of the file. */
export function sessionMeta(options: RolloutOptions): Record<string, unknown> {
  const { threadId, cwd, cliVersion, provider, gitBranch, paginated, at } = options;
  return {
    session_id: threadId,
    id: threadId,
    timestamp: new Date(at * 1000).toISOString(),
    cwd,
    originator: ORIGINATOR,
    cli_version: cliVersion,
    source: 'cli',
    thread_source: 'user',
    model_provider: provider,
    history_mode: paginated ? 'paginated' : 'legacy',
    ...(gitBranch === null ? {} : { git: { branch: gitBranch } }),
  };
}
