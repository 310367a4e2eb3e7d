import { readFileSync, statSync } from 'node:fs';
import { fileOf } from '../../../adapters/io/database-path.ts';
import type { Counts } from '../../../src/shared/session.ts';

/** A session that we wrote, as a strict reader of the target would take it. */
export interface Written {
  target: 'codex' | 'claude-code' | 'pi' | 'hermes' | 'opencode';
  path: string;
  /** id that the handoff named */
  id: string;
  /** ids that existed in source and target before */
  knownIds: ReadonlySet<string>;
  /** counts of the session that was handed over */
  counts: Counts;
  /** the home in which it was written */
  home: string;
  /** what the handoff said about registration and the like */
  warnings: readonly { about: string; detail: string }[];
}

/** A rule answers with what is wrong, or null. */
export type Rule = (written: Written) => string | null;

export type Line = Record<string, unknown> & { type?: string; payload?: Record<string, unknown> };

/** Lines of the file as objects; throws where one is not JSON. */
export function lines(written: Written): Line[] {
  return text(written)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

export function text(written: Written): string {
  return readFileSync(written.path, 'utf8');
}

/** One tool call or result in the order of the file. */
export interface Step {
  kind: 'call' | 'result' | 'prompt' | 'reply';
  id: string;
  family: string;
  text: string;
  isError: boolean;
  /** one reply of the model, where the format tells */
  response?: string;
}

/** Rules that hold for every target, given how its calls, results and prompts are found. */
export function pairRules(steps: (written: Written) => Step[]): Record<string, Rule> {
  return {
    tool_pairs_closed: (written) => pairsClosed(steps(written)),
    no_orphan_results: (written) => {
      const orphan = orphans(steps(written))[0];
      return orphan ? `result without call: ${orphan}` : null;
    },
    closed_as_interrupted: (written) => closedAsInterrupted(steps(written)),
    last_item_not_a_call: (written) => (steps(written).at(-1)?.kind === 'call' ? 'ends with a call' : null),
    parallel_results_together: (written) => resultsTogether(steps(written)),
    call_ids_conform: (written) =>
      first(steps(written), (step) => step.kind === 'call' && !/^[A-Za-z0-9_-]{1,64}$/.test(step.id)),
    call_ids_unique: (written) => {
      const ids = steps(written)
        .filter((step) => step.kind === 'call')
        .map((step) => step.id);
      return new Set(ids).size === ids.length ? null : 'a call id repeats';
    },
  };
}

function first(steps: Step[], wrong: (step: Step) => boolean): string | null {
  const found = steps.find(wrong);
  return found ? `${found.kind} ${found.id}` : null;
}

function pairsClosed(steps: Step[]): string | null {
  const open = new Set<string>();
  for (const step of steps) {
    if (step.kind === 'call') open.add(step.id);
    if (step.kind === 'result' && !open.delete(step.id)) return `result ${step.id} has no open call before it`;
    if (step.kind === 'prompt' && open.size > 0) return `call ${[...open][0]} is still open at the next prompt`;
  }
  return open.size > 0 ? `call ${[...open][0]} has no result` : null;
}

function orphans(steps: Step[]): string[] {
  const calls = new Set<string>();
  return steps.flatMap((step) => {
    if (step.kind === 'call') calls.add(step.id);
    return step.kind === 'result' && !calls.has(step.id) ? [step.id] : [];
  });
}

/** Results that were made up say that nothing ran. At least one is there, since the rule is asked of interrupted sessions. */
function closedAsInterrupted(steps: Step[]): string | null {
  const results = steps.filter((step) => step.kind === 'result');
  const closing = results.filter((step) => /not run|interrupt|abort|never finished|no result/i.test(step.text));
  return closing.length > 0 ? null : 'no result says that its call was interrupted';
}

function resultsTogether(steps: Step[]): string | null {
  const open = new Set<string>();
  for (const step of steps) {
    if (step.kind === 'call') open.add(step.id);
    else if (step.kind === 'result') open.delete(step.id);
    else if (open.size > 0) return `${step.kind} stands between a call and its result`;
  }
  return null;
}

/** Rules on the file itself. */
export const fileRules: Record<string, Rule> = {
  jsonl_valid: (written) => {
    const bytes = readFileSync(written.path);
    if (bytes.includes(0)) return 'NUL byte';
    const broken = bytes
      .toString('utf8')
      .split('\n')
      .findIndex((line, at, all) => !(line === '' && at === all.length - 1) && !isObject(line));
    return broken < 0 ? null : `line ${broken + 1} is not a JSON object`;
  },
  ends_with_newline: (written) => (text(written).endsWith('\n') ? null : 'no newline at the end'),
  no_lone_surrogates: (written) => {
    const raw = text(written);
    if (raw.includes('\uFFFD') && /\\u[dD][89abAB]/.test(raw)) return 'escaped lone surrogate';
    for (const line of raw.split('\n')) {
      if (line !== '' && !JSON.stringify(JSON.parse(line)).isWellFormed()) return 'lone surrogate';
      if (line !== '' && /\\ud[89a-f]/i.test(JSON.stringify(JSON.parse(line)))) return 'escaped lone surrogate';
    }
    return null;
  },
  mode_0600: (written) => {
    const mode = statSync(fileOf(written.path)).mode & 0o777;
    return mode === 0o600 ? null : `mode is 0${mode.toString(8)}`;
  },
  fresh_session_id: (written) => (written.knownIds.has(written.id) ? `id ${written.id} existed before` : null),
  no_foreign_reasoning: (written) => {
    const found = /"(signature|encrypted_content)":"[^"]|redacted_thinking/.exec(text(written));
    return found ? `foreign reasoning: ${found[0]}` : null;
  },
};

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
