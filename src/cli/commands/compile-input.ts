import { resolve } from 'node:path';
import type { LocalCompile } from '../../engine/compile/compile-session.ts';
import { fail, ok, type Result } from '../../shared/errors.ts';
import type { Cli } from '../command.ts';
import { handleOf } from '../handle.ts';

/** Options of `sessionctl compile` that say what is compiled. */
export interface CompileOptions {
  for: string;
  budget?: number;
  reserve?: number;
  maxChars?: number;
  at?: number;
  factor?: number;
  since?: string;
  workspace?: string | true;
  summariser?: string;
  model?: string;
  summariserKey?: string;
  summariserTimeout?: number;
  insecureSummariser?: boolean;
}

/** What was asked for. Errors: invalid_request. */
export function compileInput(cli: Cli, options: CompileOptions, session: string): Result<LocalCompile> {
  const { workspace, since } = options;
  const summariser = summariserOf(cli, options);
  if (!summariser.ok) return summariser;
  return ok({
    session: handleOf(cli, session),
    for: options.for,
    budget: options.budget,
    reserve: options.reserve,
    max_chars: options.maxChars,
    at: options.at,
    factor: options.factor,
    ...(since === undefined ? {} : { since: handleOf(cli, since) }),
    ...(workspace === undefined ? {} : { workspace: workspace === true ? null : resolve(cli.io.cwd, workspace) }),
    ...(summariser.value === undefined ? {} : { summariser: summariser.value }),
  });
}

function summariserOf(cli: Cli, options: CompileOptions): Result<LocalCompile['summariser']> {
  const { summariser: url, model, summariserKey: variable } = options;
  if (url === undefined) {
    if (model === undefined && variable === undefined && options.insecureSummariser === undefined) return ok(undefined);
    return fail('invalid_request', 'Say which model server is meant: --summariser <url>.');
  }
  if (model === undefined) return fail('invalid_request', 'Name the model to ask: --model <name>.');
  const key = variable === undefined ? undefined : cli.io.env[variable];
  if (variable !== undefined && (key === undefined || key === ''))
    return fail('invalid_request', `The variable ${variable}, which shall hold the key, is not set.`);
  return ok({ url, model, key, insecure: options.insecureSummariser, seconds: options.summariserTimeout });
}

/** Remarks on how a page was made, and the command that makes it again. */
export function compileNotes(value: {
  sha256: string;
  reproduce?: string | undefined;
  summariser: {
    name: string;
    model?: string | undefined;
    conclusions: number;
    refused: number;
    fell_back?: string | undefined;
  };
  since?: { agent: string; native_id: string; seq: number; own_turns: number } | undefined;
}): string[] {
  const { summariser: by, since } = value;
  const notes: string[] = [];
  if (since)
    notes.push(
      `What ${since.agent} ${since.native_id} does not know: all after e${since.seq}.${since.own_turns > 0 ? ` It has gone on by itself for ${since.own_turns} turns.` : ''}`,
    );
  if (by.fell_back !== undefined)
    notes.push(`The model ${by.model ?? ''} was not used: ${by.fell_back}. Excerpts stand in its place.`);
  else if (by.model !== undefined)
    notes.push(
      `Conclusions of ${by.model}: ${by.conclusions}; refused for want of evidence: ${by.refused}. Asked again it may say something else.`,
    );
  notes.push(`sha256 ${value.sha256}`);
  if (value.reproduce !== undefined) notes.push(`Reproduce: ${value.reproduce}`);
  return notes;
}
