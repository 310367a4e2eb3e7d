/** Runs the handoff under test: our CLI as a user would start it, in the lab's home. */
import { cp } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { NativeSession } from './contract.ts';
import { exists, type Lab, runProgram } from './lab.ts';

/** The little of the CLI's JSON that the lab reads. */
const rowSchema = z.looseObject({
  kind: z.string(),
  outcome: z.string(),
  count: z.number(),
  tokens: z.number(),
  how: z.string().default(''),
});
const handoffSchema = z.looseObject({
  native_id: z.string(),
  files: z.array(z.string()),
  command: z.looseObject({ argv: z.array(z.string()), cwd: z.string().nullable() }),
  fidelity: z.looseObject({ rows: z.array(rowSchema) }),
});
const answerSchema = z.union([
  z.looseObject({ ok: z.literal(true), value: z.unknown() }),
  z.looseObject({ ok: z.literal(false), error: z.looseObject({ code: z.string(), message: z.string() }) }),
]);

const planSchema = z.looseObject({ title: z.string(), redaction: z.looseObject({ removed: z.number() }) });

export type FidelityRow = z.infer<typeof rowSchema>;
/** Of the plan: the title and how much text is withheld; of the handoff: the rest. */
export type HandedOver = z.infer<typeof handoffSchema> & { title: string; redactions: number };
export type HandoffOutcome = { ok: true; value: HandedOver } | { ok: false; reason: string };

/** One handoff in a laid-out home. */
export type Handoff = (
  lab: Lab,
  session: NativeSession,
  from: string,
  to: string,
  options?: readonly string[],
) => Promise<HandoffOutcome>;

const CLI = resolve(import.meta.dirname, '../../bin/sessionctl');

const PREPARATION = (from: string): string[][] => [['init'], ['sources', 'enable', from], ['import', '--agent', from]];

/** init, enable the source, import (once a session, for all its targets), plan, hand off: each step has to answer `ok`. */
export const cliHandoff: Handoff = async (lab, session, from, to, options = []) => {
  const prepared = await prepare(lab, session, from);
  return prepared.ok ? handOffAgain(lab, session, from, to, options) : prepared;
};

/** The same once more, with the store as it is. */
export const handOffAgain: Handoff = async (lab, session, _from, to, options = []) => {
  const command = [
    'handoff',
    session.path ?? session.id,
    '--to',
    to,
    ...(session.isHomeless ? ['--cwd', session.cwd] : []),
    ...options,
  ];
  const planned = await runCli(lab, session.cwd, [...command, '--dry-run']);
  if (!planned.ok) return planned;
  const plan = planSchema.safeParse(planned.value);
  if (!plan.success) return { ok: false, reason: `--dry-run answered in another shape: ${plan.error.message}` };
  const answer = await runCli(lab, session.cwd, command);
  if (!answer.ok) return answer;
  const done = handoffSchema.safeParse(answer.value);
  if (!done.success) return { ok: false, reason: `handoff answered in another shape: ${done.error.message}` };
  return { ok: true, value: { ...done.data, title: plan.data.title, redactions: plan.data.redaction.removed } };
};

async function prepare(lab: Lab, session: NativeSession, from: string): Promise<{ ok: true } | NotOk> {
  const kept = join(lab.root, 'stores', `${from}-${session.id}`);
  if (await exists(kept)) {
    await cp(kept, storeOf(lab), { recursive: true, preserveTimestamps: true });
    return { ok: true };
  }
  for (const step of PREPARATION(from)) {
    const answer = await runCli(lab, session.cwd, step);
    if (!answer.ok) return answer;
  }
  await cp(storeOf(lab), kept, { recursive: true, preserveTimestamps: true });
  return { ok: true };
}

const storeOf = (lab: Lab): string => join(lab.home, '.sessionctl');

type NotOk = { ok: false; reason: string };
type Answer = { ok: true; value: unknown } | NotOk;

/** One command with `--json`; a refusal, a crash and an answer that is no JSON are reasons. */
export async function runCli(lab: Lab, cwd: string, args: string[]): Promise<Answer> {
  const env = { ...lab.env, SESSIONCTL_HOME: storeOf(lab) };
  const finished = await runProgram(CLI, [...args, '--json'], { cwd, env, timeoutMs: 300_000 });
  const said = `sessionctl ${args.join(' ')}: exit ${finished.code}:`;
  // an error is the last line of stderr
  const answer = answerSchema.safeParse(parsed(finished.stdout || (finished.stderr.trim().split('\n').at(-1) ?? '')));
  if (!answer.success)
    return { ok: false, reason: `${said} ${`${finished.stdout}${finished.stderr}`.trim().slice(-400)}` };
  if (answer.data.ok) return { ok: true, value: answer.data.value };
  return { ok: false, reason: `${said} ${answer.data.error.code}: ${answer.data.error.message}` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
