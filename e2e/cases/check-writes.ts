import { existsSync } from 'node:fs';
import { fileOf } from '../../adapters/io/database-path.ts';
import type { HandoffResult } from '../../src/shared/handoff.ts';
import type { SessionRow } from '../../src/shared/session.ts';
import { AGENT_OF, type ExpectedWrite } from './expect.ts';
import type { Problems } from './problems.ts';
import { claudeRules, claudeSteps } from './rules/claude.ts';
import { codexRules, codexSteps } from './rules/codex.ts';
import { piRules, piSteps } from './rules/pi.ts';
import { hermesRules, hermesSteps, hermesText, opencodeRules, opencodeSteps, opencodeText } from './rules/rows.ts';
import { type Rule, type Step, text, type Written } from './rules/written.ts';
import type { Answer, Sandbox } from './sandbox.ts';

/** How a strict reader of each target takes a session. */
const READERS: Record<Written['target'], Reader> = {
  'claude-code': { rules: claudeRules, steps: claudeSteps, text },
  codex: { rules: codexRules, steps: codexSteps, text },
  pi: { rules: piRules, steps: piSteps, text },
  hermes: { rules: hermesRules, steps: hermesSteps, text: hermesText },
  opencode: { rules: opencodeRules, steps: opencodeSteps, text: opencodeText },
};

interface Reader {
  rules: Record<string, Rule>;
  steps: (written: Written) => Step[];
  /** all of the session, to look for texts in it */
  text: (written: Written) => string;
}

/** Words of the error codes for the cases' refusal reasons. */
export const REASONS: Record<string, string[]> = {
  'unknown-cwd': ['unknown_cwd'],
  'ambiguous-id': ['selection_required'],
  'no-conversation': ['no_conversation'],
  'not-a-session': ['not_a_session'],
};

/** Hands a session over and checks what was written by the strict rules of the target. Returns false where there is no writer yet. */
export async function checkWrite(
  sandbox: Sandbox,
  rows: SessionRow[],
  wanted: ExpectedWrite,
  problems: Problems,
): Promise<boolean> {
  const to = AGENT_OF[wanted.target];
  if (to === undefined) return false;
  const source =
    wanted.from_session === undefined
      ? rows.find((row) => row.parent === null)
      : rows.find((row) => row.native_id === wanted.from_session);
  if (source === undefined) {
    problems.add(`nothing to hand over to ${wanted.target}`);
    return true;
  }
  const answer = await sandbox.cli<HandoffResult>(['handoff', source.id, '--to', to]);
  // OpenCode takes sessions by its own program, which is not on every machine
  if (!answer.ok && answer.error?.code === 'target_unavailable') return false;
  if (wanted.either !== undefined) checkEither(answer, wanted.either, wanted.target, problems);
  else if (!answer.ok)
    problems.add(
      `handoff to ${wanted.target} failed: ${answer.error?.code} ${answer.error?.message ?? answer.stderr.slice(0, 300)}`,
    );
  else checkWritten(sandbox, rows, source, answer.value, wanted, problems);
  return true;
}

function checkEither(
  answer: Answer<HandoffResult>,
  either: NonNullable<ExpectedWrite['either']>,
  target: string,
  problems: Problems,
): void {
  const fits = either.some((way) => {
    if (way.outcome === 'refuse')
      return !answer.ok && (REASONS[way.reason_about ?? ''] ?? []).includes(answer.error?.code ?? '');
    return answer.ok && !(answer.value.files[0] ?? '').includes(way.folder_not ?? '\0');
  });
  if (!fits)
    problems.add(`${target}: neither of the allowed outcomes, but ${answer.error?.code ?? answer.value?.files[0]}`);
}

function checkWritten(
  sandbox: Sandbox,
  rows: SessionRow[],
  source: SessionRow,
  result: HandoffResult,
  wanted: ExpectedWrite,
  problems: Problems,
): void {
  const target = wanted.target as Written['target'];
  const path = result.files[0] ?? '';
  if (!existsSync(fileOf(path))) {
    problems.add(`${target}: ${path} was not written`);
    return;
  }
  const written: Written = {
    target,
    path,
    id: result.native_id,
    knownIds: new Set(rows.map((row) => row.native_id)),
    counts: source.counts,
    home: sandbox.home,
    warnings: result.warnings,
  };
  const { rules, steps, text } = READERS[target];
  for (const name of wanted.rules ?? []) {
    const rule = rules[name];
    const wrong = rule === undefined ? 'the runner does not know this rule' : rule(written);
    if (wrong !== null) problems.add(`${target} ${name}: ${wrong}`);
  }
  const content = text(written);
  problems.contains(`${target} file`, content, wanted.contains ?? []);
  problems.excludes(`${target} file`, content, wanted.excludes ?? []);
  if (wanted.cwd !== undefined) problems.equal(`${target} cwd`, result.command.cwd, wanted.cwd);
  if (wanted.resume_command !== undefined)
    problems.equal(
      `${target} command`,
      result.command.argv.join(' '),
      wanted.resume_command.replace('<new id>', result.native_id),
    );
  for (const step of wanted.not_in_roles ? steps(written) : []) {
    const role = step.kind === 'prompt' ? (step.family === 'developer' ? 'developer' : 'user') : '';
    const found =
      wanted.not_in_roles?.roles.includes(role) && wanted.not_in_roles.texts.find((part) => step.text.includes(part));
    if (found) problems.add(`${target}: ${found} stands in a ${role} message`);
  }
}
