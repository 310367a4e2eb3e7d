/** The machine-checkable expectations of a case (fixtures/cases/SCHEMA.md). Only what the runner reads. */
export interface Case {
  case: string;
  title: string;
  agent: string;
  inputs: { agent: string; path: string; session_id: string }[];
  setup?: SetupStep[];
  env?: Record<string, string>;
  expect: Expect;
}

export type SetupStep =
  | { op: 'chmod'; path: string; mode: string }
  | { op: 'umask'; value: string }
  | { op: 'symlink'; path: string; target: string }
  | { op: 'run'; argv: string[] };

export interface Expect {
  outcome: string;
  sessions?: {
    count?: number;
    ids?: string[];
    with_messages?: string[];
    absent_ids?: string[];
    may_list_as_empty?: string[];
  };
  top_level_sessions?: { count?: number; ids?: string[] };
  per_session?: PerSession[];
  by_path?: (PerSession & { path: string })[];
  distinct_handles?: number;
  log_contains?: string[];
  log_contains_inactive?: string[];
  log_contains_raw?: string[];
  warnings?: ExpectedWarning[];
  ask?: ExpectedAnswer[];
  list_for_cwd?: { cwd: string; ids: string[] }[];
  handoff?: ExpectedHandoff;
  options?: { handoff_max_chars?: number };
  redacted?: Redacted;
  write?: ExpectedWrite[];
  runs?: FaultRun[];
  usage_over_all?: Record<string, number>;
  resume_command_contains?: { session_id: string; text: string }[];
  output_is_valid_utf8?: boolean;
  modes?: { files: string; dirs: string };
  max_rss_mb?: number;
  max_seconds?: number;
  source_unchanged?: boolean | string[];
}

export interface PerSession {
  session_id: string;
  counts?: Record<string, number>;
  counts_at_least?: Record<string, number>;
  contains?: string[];
  excludes?: string[];
  not_as_complete?: string[];
  order?: string[];
  each_once?: string[];
  user_texts_exclude?: string[];
  assistant_texts_exclude?: string[];
  last_user_contains?: string;
  title_contains?: string;
  title_excludes?: string[];
  cwd?: string | null;
  usage?: Record<string, number>;
  parent?: string;
  children?: number;
  branches?: number;
  last_activity?: string;
  archived?: boolean;
}

export interface ExpectedAnswer {
  id: string;
  outcome?: string;
  reason_about?: string;
  lists_paths?: number;
  /** native id of the session that the conversation goes on in */
  resolves_to_tip?: string;
  order?: string[];
  contains?: string[];
  excludes?: string[];
}

export interface ExpectedWarning {
  about: string;
  line?: number;
  file?: string;
  field?: string;
  count?: number;
  session_id?: string;
}

export interface ExpectedHandoff {
  max_chars?: number;
  must_contain?: string[];
  must_not_contain?: string[];
  inside_untrusted_block_only?: string[];
  states_untrusted?: boolean;
  max_occurrences?: Record<string, number>;
  must_mark_omission?: boolean;
  valid_utf8?: boolean;
  no_replacement_chars?: boolean;
}

export interface Redacted {
  excludes: string[];
  fragment_len: number;
  contains: string[];
  same_placeholder?: string[];
  nested_json_parses?: boolean;
  record_count_unchanged?: boolean;
}

export interface ExpectedWrite {
  target: string;
  from_session?: string;
  rules?: string[];
  contains?: string[];
  excludes?: string[];
  not_in_roles?: { texts: string[]; roles: string[] };
  either?: { outcome: string; reason_about?: string; folder_not?: string }[];
  cwd?: string;
  resume_command?: string;
}

export interface FaultRun {
  name?: string;
  fault?: string;
  setup?: SetupStep[];
  options: { handoff_max_chars?: number; target?: string; new_session_id?: string; read?: string };
  outcome?: string;
  reason_about?: string;
  unchanged?: string[];
  handoff?: ExpectedHandoff;
  no_partial_output?: boolean;
  no_partial_session_visible?: boolean;
}

/** Agent ids of the cases in our words; the others have no adapter yet. */
export const AGENT_OF: Record<string, string | undefined> = {
  'claude-code': 'claude',
  codex: 'codex',
  'gemini-cli': 'gemini',
  pi: 'pi',
  hermes: 'hermes',
  opencode: 'opencode',
};
